"""How much of a talk's picture holds anything."""

import numpy as np
import pytest

from explorer.bench.stage import BLOCK, by_scene, touched

GROUND = np.array([255, 255, 255], np.uint8)


def paper(rows, columns):
    return np.full((rows, columns, 3), 255, np.uint8)


def test_nothing_is_touched_of_an_empty_picture_and_all_of_one_that_is_full():
    assert touched(paper(200, 360), GROUND) == 0
    assert touched(np.zeros((200, 360, 3), np.uint8), GROUND) == 1


@pytest.mark.parametrize(("row", "column"), [(0, 0), (39, 79), (40, 80), (199, 359)])
def test_a_single_pixel_touches_its_block_alone(row, column):
    pixels = paper(200, 360)
    pixels[row, column] = [0, 90, 160]
    assert touched(pixels, GROUND) == 1 / (200 / BLOCK * 360 / BLOCK)


def test_blocks_at_the_edge_count_though_they_are_smaller():
    pixels = paper(BLOCK + 1, BLOCK)
    pixels[BLOCK, 0] = 0
    assert touched(pixels, GROUND) == 0.5


def test_what_nobody_sees_touches_nothing_on_either_ground():
    assert touched(paper(80, 80) - np.uint8(8), GROUND) == 0
    assert touched(paper(80, 80) - np.uint8(9), GROUND) == 1
    assert touched(np.full((80, 80, 3), 20, np.uint8), np.array([20, 20, 20], np.uint8)) == 0


def test_a_line_across_touches_one_row_of_blocks():
    pixels = paper(400, 400)
    pixels[100] = 0
    assert touched(pixels, GROUND) == 0.1


def test_the_median_is_of_steps_and_each_scene_has_its_own():
    found = [(2, 1, 0.2), (2, 2, 0.4), (3, 1, 0.6), (3, 2, 0.6), (3, 3, 0.9)]
    assert by_scene(found) == "60 (2: 30, 3: 60)"
