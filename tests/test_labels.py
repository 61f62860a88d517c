"""The one placer of labels: clear of each other, of curves and of marks, and inside."""

from functools import partial

import pytest

RANDOM = """
const random = (seed) => () => {
  seed = (seed + 0x6D2B79F5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
};
const bounds = {x: 40, y: 30, w: 760, h: 300};
const solved = (r) => {
  const boxes = [];
  while (boxes.length < 20) {
    const w = 30 + 90 * r();
    const box = {x: bounds.x + r() * (bounds.w - w), y: bounds.y + r() * (bounds.h - 16), w, h: 16};
    if (!boxes.some((other) => c.meets(box, other, 6))) boxes.push(box);
  }
  return boxes.map(({x, y, w, h}) => {
    const [right, below] = [r() < 0.5, r() < 0.5];
    const place = {x: right ? x - 6 : x + w + 6, y: below ? y - 4 : y + h + 4};
    return {...place, w, h, priority: Math.floor(3 * r())};
  });
};
const over = (boxes) => boxes.filter((a, i) => boxes.some((b, j) => j < i && c.meets(a, b, 0)));
const outside = ({x, y, w, h}, b) => x < b.x || y < b.y || x + w > b.x + b.w || y + h > b.y + b.h;
"""
"""Sets of labels that are known to have a solution: each stood at a corner of its place."""


@pytest.fixture(scope="module")
def place(javascript):
    return partial(javascript, "design")


def test_two_hundred_crowded_sets_are_placed_without_overlap(place):
    code = """
    let [lost, met, out, covered, moved] = [0, 0, 0, 0, 0];
    for (let seed = 1; seed <= 200; seed++) {
      const labels = solved(random(seed));
      const marks = labels.map(({x, y}) => [x, y, 4]);
      const spots = c.placeLabels(labels, {bounds, marks});
      const again = c.placeLabels(labels, {bounds, marks});
      moved += JSON.stringify(spots) !== JSON.stringify(again);
      const boxes = spots.filter(Boolean).map((spot) => spot.box);
      lost += labels.length - boxes.length;
      met += over(boxes).length;
      out += boxes.filter((box) => outside(box, bounds)).length;
      covered += boxes.filter((box) => marks.some(([x, y]) =>
        x > box.x && x < box.x + box.w && y > box.y && y < box.y + box.h)).length;
    }
    return {lost, met, out, covered, moved};
    """
    assert place(RANDOM + code) == {"lost": 0, "met": 0, "out": 0, "covered": 0, "moved": 0}


def test_without_the_placer_these_sets_do_overlap(place):
    code = """
    let met = 0;
    for (let seed = 1; seed <= 200; seed++)
      met += over(solved(random(seed)).map((one) => ({...one, y: one.y - one.h}))).length > 0;
    return met;
    """
    assert place(RANDOM + code) > 20


def test_the_preferred_side_is_taken_where_it_is_free(place):
    code = """
    const label = {x: 300, y: 150, w: 60, h: 16};
    return ['e', 'n', 'sw'].map((side) =>
      c.placeLabels([{...label, sides: [side]}], {bounds})[0].box);
    """
    east, north, southwest = place(RANDOM + code)
    assert (east["x"], east["y"]) == (306, 142)
    assert (north["x"], north["y"]) == (270, 128)
    assert southwest["x"] < 240 and southwest["y"] > 150


def test_a_curve_is_kept_clear_of_and_far_labels_have_a_leader(place):
    code = """
    const curve = Array.from({length: 80}, (_, i) => [40 + 10 * i, 250 - 2.6 * i]);
    const near = {x: 300, y: 182, w: 90, h: 16};
    const [spot] = c.placeLabels([near], {bounds, curves: [curve]});
    const under = curve.filter(([x, y]) => x > spot.box.x && x < spot.box.x + spot.box.w
      && y > spot.box.y && y < spot.box.y + spot.box.h).length;
    const wall = {x: 220, y: 80, w: 200, h: 200};
    const [far] = c.placeLabels([near], {bounds, taken: [wall]});
    const [mute] = c.placeLabels([{...near, leads: false}], {bounds, taken: [wall]});
    return [under, spot.leader, far.leader, mute.leader];
    """
    under, near, far, mute = place(RANDOM + code)
    assert under == 0 and near is None and mute is None
    assert far[0] == [300, 182]


def test_the_more_important_one_stays_where_there_is_room_for_one(place):
    code = """
    const tight = {x: 0, y: 0, w: 100, h: 18};
    const labels = [{x: 5, y: 9, w: 80, h: 16}, {x: 5, y: 9, w: 80, h: 16, priority: 1}];
    const wide = [{x: 5, y: 9, w: 120, h: 16}];
    return [labels, wide].map((list) => c.placeLabels(list, {bounds: tight}).map(Boolean));
    """
    assert place(RANDOM + code) == [[False, True], [False]]


def test_what_is_optional_is_left_out_where_it_would_stand_on_a_curve(place):
    code = """
    const low = {x: 0, y: 0, w: 300, h: 40};
    const curves = [0, 12, 24, 36].map((y) => [[0, y], [300, y]]);
    const label = {x: 150, y: 20, w: 120, h: 30};
    const placed = (more, room) => c.placeLabels([{...label, ...more}], room).map(Boolean);
    return [placed({}, {bounds: low, curves}), placed({optional: true}, {bounds: low, curves}),
      placed({optional: true}, {bounds: {...low, h: 120}, curves})].flat();
    """
    assert place(code) == [True, False, True]


def test_what_is_optional_and_has_no_line_is_left_out_where_it_would_be_read_as_anothers(place):
    code = """
    const low = {x: 0, y: 0, w: 300, h: 20};
    const marks = [40, 60, 80].map((away) => [[150 - away, 10, 8], [150 + away, 10, 8]]).flat();
    const label = {x: 150, y: 10, w: 40, h: 16, leads: false};
    const placed = (more, room) => c.placeLabels([{...label, ...more}], room).map(Boolean);
    return [placed({}, {bounds: low, marks}), placed({optional: true}, {bounds: low, marks}),
      placed({optional: true}, {bounds: low})].flat();
    """
    assert place(code) == [True, False, True]
