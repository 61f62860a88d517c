"""A page's picture as one file: complete, small, closed to the network, nothing of others in it;
and what the canvases of each draw, beside what they drew when somebody looked."""

import re
import shutil
from functools import cache

import numpy as np
import pytest
from file_parts import parts_of
from streamlit_pages import opened
from write_pictures import ADDRESSES, ALONE, FOLDER, drawn, file_of, pictures_of, themes

from explorer.charts.palette import DARK, LIGHT
from explorer.pages.talk.address import page_and_params
from explorer.runs.frames import header_of, pack, unpack
from explorer.spec import SpecError, compact
from explorer.targets import parse
from explorer.ui import components, page_file
from explorer.ui.live import open_stream
from explorer.ui.page_file import mathml
from explorer.ui.pages import PAGES
from explorer.ui.shown import SHOWN, Shown

LIMIT = 1_500_000


@cache
def page_of(name):
    """The page at an address of the table, and its file."""
    shown = opened(name.split()[0], **ADDRESSES[name]).session_state[SHOWN]
    return shown, page_file.html(shown)


def alike(part, shown):
    """Whether a picture has in its file what it was given, and besides what it needs there."""
    (header, arrays), (given, before) = unpack(part), unpack(shown.data)
    for name in ("here", "alone"):
        assert bool(header.pop(name, None)) == bool(shown.offer if name == "here" else shown.alone)
        given.pop(name, None)
    same = all(np.array_equal(arrays[name], before[name], equal_nan=True) for name in before)
    return header == given and same


@pytest.mark.parametrize("name", ADDRESSES)
def test_a_file_holds_what_its_page_was_given(name):
    shown, file = page_of(name)
    html = file.decode()
    assert len(file) < LIMIT
    parts = parts_of(html)
    assert alike(parts["data"], shown)
    for component, more in shown.more.items():
        assert parts[f"data of {component}"] == more.data == shown.given(component)
        assert f'<section data-more="{component}">{page_file.markdown(more.words)}' in html
    below = {"Theorem": "theorem", "slices": "slices", "real": "head"}
    assert set(shown.more) == {more for of, more in below.items() if of in name}
    runs = {part.split()[0] for part in parts} - {"data"}
    for run in runs:
        record = open_stream(run).record
        steps = {int(part.split()[2]) for part in parts if part.startswith(f"{run} at ")}
        assert steps == set(record.snapshot_steps)
        assert header_of(parts[f"{run} frame"])["status"] == record.row.status
    assert runs == set(page_file.RUN.findall(repr(shown.data)))
    assert "default-src 'none'" in html
    assert not re.search(r"""(src|href)=["']|@import\s*["'u]|url\(""", html), "nothing is fetched"


@pytest.fixture(scope="module")
def canvases():
    """What all canvases draw, as text, by the name of the picture."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    pages = [pictures_of(name, *page_of(name)) for name in ADDRESSES]
    return drawn({name: one for page in (ALONE, *pages) for name, one in page.items()}, themes())


def test_every_canvas_draws_in_both_themes_what_it_did(canvases):
    """If it shall draw something else: PYTHONPATH=. python tests/write_pictures.py."""
    assert {file_of(name) for name in canvases} == {*FOLDER.iterdir()}
    other = [name for name, text in canvases.items() if file_of(name).read_text("utf-8") != text]
    for name in other:
        assert canvases[name].splitlines() == file_of(name).read_text("utf-8").splitlines(), name


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_wrong_colour_is_seen(canvases, theme):
    colours = themes()
    colours[theme] |= {"--st-primary-color": "#00649f"}
    text = drawn(pictures_of("design", *page_of("design")), colours)["design"]
    assert len(text.splitlines()) == len(canvases["design"].splitlines())
    assert text != canvases["design"]


def test_a_missing_mark_is_seen(canvases, tmp_path):
    """Of all pictures of one page, here the arrows of the handles."""
    shutil.copytree(components.HERE, tmp_path / "components")
    (tmp_path / "package.json").write_text('{"type": "module"}')
    script = tmp_path / "components" / "design" / "spectrum.js"
    both, one = "for (const way of [-1, 1])", "for (const way of [1])"
    script.write_text(script.read_text("utf-8").replace(both, one), "utf-8")
    pictures = pictures_of("design", *page_of("design"))
    text = drawn(pictures, themes(), tmp_path / "components")["design"]
    changed = {*canvases["design"].splitlines()} ^ {*text.splitlines()}
    assert 0 < len(changed) < 20


def test_a_run_whose_pictures_are_too_many_keeps_every_second_one(monkeypatch):
    monkeypatch.setattr(page_file, "MOST_BYTES", 160_000)
    html = page_file.html(page_of("train")[0]).decode()
    steps = [int(part.split()[2]) for part in parts_of(html) if " at " in part]
    kept = list(open_stream("asset-train").record.snapshot_steps)
    assert 2 < len(steps) < len(kept) and set(steps) < set(kept)
    assert steps[-1] == kept[-1], "the last one always stays"
    history = unpack(parts_of(html)["asset-train history"])[1]
    assert list(history["eval_step"]) == steps, "what can be looked back at is here"
    assert history["loss_step"].size == open_stream("asset-train").record.steps.size


def test_a_run_at_work_is_not_at_work_in_a_file():
    message = page_file._at_rest(_as_running(open_stream("asset-train").frame()))
    header = header_of(message)
    assert header["status"] == "saved while running"
    picture = message[-header["picture_bytes"] :]
    assert unpack(picture)[0]["step"] == header["step"]


def _as_running(message):
    """The same message of a run at work."""
    end = len(message) - header_of(message)["picture_bytes"]
    header, arrays = unpack(message[:end])
    header.pop("picture_bytes")
    return pack(header | {"status": "running"}, arrays, message[end:])


def test_texts_are_text():
    hostile = "<script>alert(1)</script> [x](javascript:alert(1)) ![y](http://a.b/c) $m_h$"
    shown = Shown("design", component="rates", data=pack({}, {}), verdict=hostile, badge=hostile)
    shown.address = shown.address or "/?spec=</code><script>"
    html = page_file.html(shown).decode()
    assert "<script>alert" not in html and "</code><script>" not in html
    assert 'javascript:alert(1)"' not in html and "<img" not in html
    assert "<math" in html


def test_both_themes_are_in_it():
    css = page_file.themes()
    for palette in (LIGHT, DARK):
        assert f"--st-primary-color:{palette.accent};" in css
        assert f"--st-background-color:{palette.paper};" in css


def test_a_page_without_a_picture_is_refused():
    with pytest.raises(page_file.NothingToShow, match="Runs"):
        page_file.html(opened("runs").session_state[SHOWN])


def test_the_command_line_takes_links_and_paths():
    spec = '{"m_h":3}'
    link = "http://localhost:8501/train?spec=%7B%22m_h%22%3A3%7D&at=20"
    assert page_and_params(link) == ("train", {"spec": spec, "at": "20"})
    assert page_and_params("/") == page_and_params("") == ("design", {})
    assert page_and_params('?spec={"m_h":3}') == ("design", {"spec": spec})
    assert page_and_params("rates") == ("rates", {})
    for wrong in ("/nowhere", "../../etc/passwd", "http://["):
        with pytest.raises(SpecError, match=r"page|address"):
            page_and_params(wrong)


def test_the_footer_names_a_complete_address():
    shown, file = page_of("design by a formula")
    name, params = page_and_params(shown.address)
    assert name == "design" and compact(parse(params["spec"])) == params["spec"]
    assert PAGES[name].question in file.decode()


def test_export_page_writes_the_file(answer, tmp_path):
    out = tmp_path / "picture.html"
    said = answer("export-page", "/rates", "--out", str(out))
    assert said["bytes"] == out.stat().st_size < LIMIT and said["page"] == "rates"


def test_a_formula_becomes_mathematics_and_nothing_else():
    assert "<mfrac>" in mathml(r"\frac{a}{b}") and 'display="block"' in mathml("a", "block")
    for latex in (
        r"\text{<script>alert(1)</script>}",
        r"\text{&lt;img src=x onerror=alert(1)&gt;}",
        r"\href{javascript:alert(1)}{x}",
        r"\style{position:fixed}{x}",
        r"\left[",
    ):
        found = mathml(latex)
        assert set(re.findall(r"<\W*(\w+)", found)) <= {"code", "math", "mrow", "mtext"}, found
        assert not re.search(r"<[^<>]*(href|style|on\w+)=", found), found
