"""Links and input that are wrong, hostile or too quick: a message, and a page that works."""

import io
import json

import numpy as np
import pytest
from driving import NETWORK, until
from playwright.sync_api import expect

from explorer.runs.files import grid_sha256

BAD_SPECS = {
    "not JSON": ("", '{"rank": 2', "not JSON"),
    "not an object": ("train", "[1, 2]", "must be a JSON object"),
    "out of range": ("", '{"m_h": 4000, "rank": 2}', "m_h = 4000: allowed is a whole number"),
    "unknown field": ("train", '{"rnak": 2}', "rnak: unknown field"),
    "of a newer version": ("", '{"version": 99}', "a newer explorer wrote this specification"),
    "not finite": ("train", '{"alpha": NaN}', "NaN is not allowed"),
    "too long": ("", json.dumps({"formula": "u" * 30_000}), "characters, at most"),
    "a hostile formula": ("", '{"formula": "__import__(\'os\')"}', "__import__"),
    "a formula with a pole": ("train", '{"formula": "1/(u - u)"}', "finite"),
    "markup": ("", '{"<img src=x onerror=alert(1)>": 1}', "<img src=x onerror=alert(1)>: unknown"),
}


@pytest.mark.parametrize("page", ["", "train"])
def test_a_bad_specification_in_a_link_is_a_message(reader, page):
    """The first one cold, the others where the page is open already."""
    bad = [(text, says) for where, text, says in BAD_SPECS.values() if where == page]
    slider = "Width m of the head" if page == "" else "width of queries"
    tab = reader.open(page, bad[0][0])
    if page == "":
        tab.places("Design", "true")  # its slider is there before who hears it
    for text, says in bad:
        if text != bad[0][0]:
            tab.turn(text)
        expect(tab.warning).to_contain_text(says)
        tab.settle()
        expect(tab.slider(slider)).not_to_have_value("1")
        if "rank" in text and "m_h" in text:  # the good field of the two is kept
            expect(tab.verdict).to_contain_text("Centred rank 2")
        tab.slider(slider).press("Home")
        expect(tab.warning).to_have_count(0)
        until(lambda: tab.spec["m_h"] == 1)


@pytest.mark.parametrize("page", ["", "train"])
def test_a_link_to_samples_that_are_not_here_takes_their_file_and_no_other(reader, tmp_path, page):
    values = np.outer(np.arange(5.0), np.arange(4.0) ** 2) + len(page)  # a grid for each page
    np.save(tmp_path / "right.npy", values)
    np.save(tmp_path / "wrong.npy", 2 * values)
    tab = reader.open(page, {"grid": grid_sha256(values), "m_h": 2})
    expect(tab.warning).to_contain_text("cannot be drawn yet")
    field = tab.page.get_by_test_id("stMain").locator("input[type=file]")
    field.set_input_files(tmp_path / "wrong.npy")
    expect(tab.page.get_by_test_id("stAlertContentError")).to_contain_text("other samples")
    field.set_input_files(tmp_path / "right.npy")
    tab.verdict.wait_for()
    assert tab.spec == {"grid": grid_sha256(values), "m_h": 2}


UNKNOWN = ("0123456789ab-7", "../../etc/passwd", "<b>x</b>`")


def test_an_unknown_run_in_a_link_is_a_message(reader):
    spec = NETWORK | {"steps": 30}
    tab = reader.open("train", spec, UNKNOWN[0])
    for run in UNKNOWN:
        if run != UNKNOWN[0]:
            tab.turn(spec, run)
        expect(tab.warning).to_contain_text(f"The run {run.replace('`', '')} is not in this store")
    assert tab.start() not in UNKNOWN
    tab.wait_status("finished")
    expect(tab.warning).to_have_count(0)


def test_a_typed_formula_is_data(reader):
    tab = reader.open(spec={"formula": "u*v", "m_h": 2})
    expect(tab.verdict).to_contain_text("Centred rank 1")
    field = tab.page.get_by_role("textbox", name="ρ(u, v) =")
    for hostile, says in {
        "__import__('os').system('true')": "__import__",
        "1/(u - 0.5)**0 + log(0*v)": "finite",
        "u." + "x" * 40: "'.' is not allowed",
        "9**9**9**9": "finite",
        "(" * 400 + "u" + ")" * 400: "nested too deeply",
    }.items():
        field.fill(hostile)
        field.press("Enter")
        expect(tab.warning).to_contain_text(says)
        expect(field).to_have_value(hostile)  # kept, to be mended
        assert tab.spec["formula"] == "u*v"
    field.fill("u*v + sin(6*u)*cos(6*v)")
    field.press("Enter")
    expect(tab.verdict).to_contain_text("Centred rank 2")
    expect(tab.warning).to_have_count(0)


def npy(values):
    file = io.BytesIO()
    np.save(file, values)
    return file.getvalue()


def test_samples_of_a_coupling_are_taken_and_a_pickle_is_not(server, reader):
    tab = reader.open()
    tab.page.get_by_role("radio", name="file").click()
    upload = tab.page.locator("input[type=file]")
    x = (np.arange(24) + 0.5) / 24
    good = {"name": "rho.npy", "mimeType": "", "buffer": npy(np.outer(x, x))}
    pickled = npy(np.array([[print]], dtype=object))
    upload.set_input_files({"name": "evil.npy", "mimeType": "", "buffer": pickled})
    expect(tab.warning).to_contain_text("evil.npy")
    assert "grid" not in tab.spec
    upload.set_input_files(good)
    expect(tab.verdict).to_contain_text("Centred rank 1")
    expect(tab.warning).to_have_count(0)
    assert np.allclose(server.store.grid(tab.spec["grid"]), np.outer(x, x))

    link = reader.open("train", tab.spec | NETWORK | {"steps": 30, "rank": None})
    link.start()
    link.wait_status("finished")


def test_quick_keys_in_two_tabs_settle_on_the_last_value(reader):
    tabs = [reader.open(spec={"rank": rank, "m_h": 1}) for rank in (6, 16)]
    for _ in range(10):
        for tab in tabs:
            tab.slider("Width m of the head").press("ArrowRight")
    few, many = tabs
    expect(few.verdict).to_contain_text("= 11 ≥ 6 can represent ρ exactly")
    expect(many.verdict).to_contain_text("11 of its terms leave")
    for tab in tabs:
        tab.settle()
        expect(tab.slider("Width m of the head")).to_have_value("11")
        assert tab.spec["m_h"] == 11
