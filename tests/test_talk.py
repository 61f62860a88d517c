"""A talk: what talk.json may say, where it errs, and the file that is made of it."""

import json
import re
import sys
import time
from pathlib import Path

import pytest
from file_parts import parts_of

from explorer.bench.backend import LONG
from explorer.bench.stage import LOOKED_AT
from explorer.hosting.fair import Shares
from explorer.pages.talk import decks, served
from explorer.pages.talk.address import page_and_params
from explorer.pages.talk.deck import build
from explorer.pages.talk.scenes import (
    TalkError,
    dump_talk,
    parse_talk,
    plain,
    problems_of,
    read_talk,
)
from explorer.runs.frames import unpack
from explorer.runs.store import Store
from explorer.spec import compact
from explorer.ui import page_file, specs

SHIPPED = (Path(__file__).parents[1] / "assets" / "talk.json").read_text("utf-8")
SCENE = {
    "title": "A coupling",
    "address": 'design?spec={"rank":6,"m_h":6}',
    "formula": [r"\rho =", r"\sigma_1"],
    "steps": [
        {"words": "All of it.", "panels": ["spectrum", "maps"], "lit": [0]},
        {"words": "One term.", "change": {"spec": {"m_h": 1}, "view": {"k": 2}}},
    ],
    "notes": "for me alone",
    "what_if": "sigma",
}
SERVED = [("memory", LOOKED_AT), ("train", LONG)]
READY = {
    "words": "turn $m_h$",
    "letter": "m_h",
    "choices": {"1": {"spec": {"m_h": 1}}, "2": {"spec": {"m_h": 0}}},
}
MANY = {**READY, "choices": {str(m): {"spec": {"m_h": m}} for m in range(1, 33)}}
HOSTILE = "<script>alert(1)</script> [x](javascript:alert(1)) <img src=x onerror=alert(1)>"


def talk(*scenes, **fields):
    return json.dumps({"version": 1, "title": "T", "scenes": list(scenes), **fields})


def amended(change):
    """The scene with another value at a path such as "steps 1 words"."""
    scene = json.loads(json.dumps(SCENE))
    for path, value in change.items():
        *way, last = [int(key) if key.isdigit() else key for key in path.split()]
        within = scene
        for key in way:
            within = within[key]
        within[last] = value
    return scene


def test_the_shipped_talk_has_scenes_of_short_sentences_in_half_an_hour():
    shipped = parse_talk(SHIPPED)
    kinds = [scene.kind for scene in shipped.scenes]
    assert kinds[0] == "title" and kinds.index("end") == len(kinds) - 3, "two encores"
    assert 20 * 60 < sum(scene.seconds for scene in shipped.scenes) < 30 * 60
    for scene in shipped.scenes:
        assert scene.notes and (scene.what_if or scene.ready or scene.kind != "page")
        assert all(len(plain(step.words).split()) <= 25 for step in scene.steps)
    assert dump_talk(shipped) == SHIPPED, "as an export writes it"


def test_what_a_step_offers_to_the_hand_is_done_on_what_it_shows():
    shipped = parse_talk(SHIPPED)
    for scene in [each for each in shipped.scenes if each.kind == "page"]:
        for index in range(len(scene.steps)):
            offered = scene.offered(index)
            assert offered is None or not offered.panel or offered.panel in scene.panels(index)
    order, mixing = (each for each in shipped.scenes if "matter?" in each.title)
    assert [order.offered(index).panel for index in range(2)] == ["kernels", "tokens"]
    assert [mixing.offered(index).panel for index in range(2)] == ["filter"] * 2


def test_a_step_is_the_scene_changed_and_not_the_step_before():
    scene = parse_talk(talk(SCENE)).scenes[0]
    assert scene.view(0) == page_and_params(SCENE["address"])
    page, params = scene.view(1)
    assert page == "design"
    assert json.loads(params["spec"]) == {"rank": 6, "m_h": 1}
    assert json.loads(params["view"]) == {"k": 2}
    assert scene.panels(1) == ("spectrum", "maps"), "pictures stay until others are named"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"steps 1 words": ""}, "scene 2, step 2, words: "),
        ({"steps 0 words": "x" * 401}, "scene 2, step 1, words: "),
        ({"steps 0 colour": "red"}, "scene 2, step 1, colour: "),
        ({"steps 1 change": {"spec": {"m_h": 0}}}, "scene 2, step 2, spec: m_h = 0"),
        ({"steps 1 change": {"view": {"k": 0}}}, "scene 2, step 2, view: k = 0"),
        ({"steps 1 change": {"colour": "red"}}, "scene 2, step 2, address: 'colour' is none of"),
        ({"steps 1 change": {"spec": {"grid": "0" * 64}}}, "scene 2, step 2, spec: the grid 0000"),
        (
            {"steps 1 change": {"spec": {"formula": "log(u-2)"}}},
            "scene 2, step 2, spec: formula = 'log(u-2)': the formula is not finite",
        ),
        ({"steps 1 change": {"run": "asset-none"}}, "scene 2, step 2, run asset-none: there is no"),
        ({"steps 1 panels": ["errors"]}, "scene 2, step 2, panels: 'errors' is none of maps"),
        ({"steps 1 panels": ["floor"]}, "scene 2, step 2, panels: floor is only drawn beside"),
        ({"steps 1 grows": "floor"}, "scene 2, step 2, grows: 'floor' is none of the step's"),
        ({"steps 1 lit": [2]}, "scene 2, step 2, lit: the formula has no part 2"),
        ({"steps 1 press": "predict"}, "scene 2, step 2, press: 'predict' is none of nothing"),
        ({"steps 1 live": True}, "scene 2, step 2, live: only what the page train shows"),
        ({"ready": READY}, "scene 2, ready: it takes the place of a what_if"),
        ({"ready": READY, "what_if": None}, "scene 2, ready 2, spec: m_h = 0"),
        ({"ready": {**READY, "choices": {"1": {}}}}, "scene 2, ready, choices: "),
        ({"steps 1 live": 1}, "scene 2, step 2, live: "),
        ({"opens": ["moon"]}, "scene 2, opens: there is no page 'moon'"),
        ({"opens": ["train?run=moon"]}, "scene 2, opens: run moon: this is not the id of a run"),
        ({"opens": ["", "", "design"]}, "scene 2, opens: the formula has no part 2"),
        ({"what_if": "token"}, "scene 2, what_if: 'token' is none of sigma"),
        (
            {"steps": [{"words": "Of {of=two}."}]},
            "scene 2, step 1, words: 'of' is no number of the picture, which has m, terms,",
        ),
        ({"kind": "text"}, "scene 2, address: a scene that is a text shows no page"),
        ({"kind": "film"}, "scene 2, kind: "),
        ({"address": "runs"}, "scene 2, address: the page runs has no picture"),
        ({"address": "http://[", "steps": SCENE["steps"]}, "scene 2, address: 'http://['"),
        ({"address": "../../etc/passwd"}, "scene 2, address: there is no page"),
        ({"seconds": 1e9}, "scene 2, seconds: "),
        ({"steps": []}, "scene 2, steps: "),
        (
            {"picture": "head"},
            "scene 2, address: picture = 'head': beside its first design has theorem",
        ),
        ({"address": "real", "picture": "tail"}, "scene 2, address: picture = 'tail': beside its"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(change, said):
    with pytest.raises(TalkError) as caught:
        parse_talk(talk(SCENE, amended(change)))
    assert caught.value.problems[0].startswith(said)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("no JSON", "talk: not JSON"),
        ("[]", "talk: must be a JSON object"),
        ("{}", "version = null"),
        (talk(SCENE, version=2), "version = 2: this explorer reads 1"),
        (talk(*[SCENE] * 10_000), "talk: "),
        (talk(*[{**SCENE, "steps": SCENE["steps"][:1]}] * 41), "scenes: "),
        (talk(*[{**SCENE, "steps": SCENE["steps"][:1] * 6}] * 34), "Value error, 204 steps and"),
        (
            talk(*[{**SCENE, "ready": MANY, "what_if": None}] * 10),
            "Value error, 340 steps and choices; a talk has at most 200",
        ),
        ('{"version":1,"title":"T","scenes":[' + "[" * 100_000, "talk: not JSON"),
        (talk(title="T"), "scenes: "),
    ],
)
def test_a_talk_of_another_kind_is_refused(text, said):
    with pytest.raises(TalkError) as caught:
        parse_talk(text)
    assert caught.value.problems[0].startswith(said)


def deck_of(html):
    return script(html, "deck")


def script(html, name):
    """What a script element of the deck holds."""
    return json.loads(re.search(rf"data-{name}>(.*?)</script>", html)[1])


def test_the_file_has_each_step_as_its_page_was_given_it_and_no_notes():
    html = build(parse_talk(talk(SCENE))).decode()
    deck, parts = deck_of(html), parts_of(html)
    frames = [
        unpack(b"".join(parts[name] for name in step["data"]))
        for step in deck["scenes"][0]["steps"]
    ]
    assert [header["m"] for header, _ in frames] == [6, 1]
    assert [header["k"] for header, _ in frames] == [1, 2]
    first, second = (step["data"] for step in deck["scenes"][0]["steps"])
    assert len(set(first) & set(second)) >= 3, "σ, φ and ψ stand there once"
    assert "for me alone" not in html
    assert not re.search(r"""(src|href)=["']|@import\s*["'u]|url\(""", html), "nothing is fetched"
    own = amended({"steps 1 notes": "for this step"})
    (notes,) = script(build(parse_talk(talk(own)), notes=True).decode(), "notes")
    assert notes == ["for me alone", "for this step"], "a step without any has the scene's"


def test_a_scene_may_be_of_another_picture_of_its_page():
    """The opened head: what its component was given, at each step the head that is named there."""
    steps = [
        {"words": "It looks back."},
        {"words": "Another, with two terms.", "change": {"real": {"layer": 3, "head": 2, "k": 2}}},
    ]
    scene = {"title": "T", "address": "real", "picture": "head", "what_if": "k", "steps": steps}
    html = build(parse_talk(talk(SCENE, scene))).decode()
    deck, parts = deck_of(html)["scenes"][1], parts_of(html)
    frames = [unpack(b"".join(parts[name] for name in step["data"])) for step in deck["steps"]]
    subjects = [header["subject"].split()[1:] for header, _ in frames]
    assert subjects == [["18", "6", "raw"], ["3", "2", "raw"]]
    assert [header["k"] for header, _ in frames] == [16, 2]
    assert (deck["component"], deck["steps"][0]["panels"]) == (
        "head",
        ["coupling", "whole", "kept"],
    )
    assert 'template data-component="head"' in html and ".head = " in html
    with pytest.raises(TalkError, match="scene 1, step 1: the page does not show 'head' yet"):
        own = {**scene, "address": 'real?real={"text":"not looked at"}', "steps": steps[:1]}
        build(parse_talk(talk(own)))


def test_what_trains_live_is_named_by_its_run_and_by_default_nothing_does():
    scene = {"title": "T", "address": "train?run=asset-cliff-6", "steps": [{"words": "Kept."}]}
    live = {**scene, "steps": [{"words": "Live.", "live": True}]}
    steps = [
        found["steps"][0]
        for found in deck_of(build(parse_talk(talk(scene, live))).decode())["scenes"]
    ]
    assert [step["live"] for step in steps] == [None, "asset-cliff-6"]
    assert "live" not in dump_talk(parse_talk(talk(scene))), "older explorers can read it"


def test_what_the_bench_trains_by_the_server_is_nothing_that_the_tab_would_train():
    offered = {page: page_file.drawn(page, {"spec": compact(spec)}).offer for page, spec in SERVED}
    assert offered["memory"] is None
    assert offered["train"], "the control: a coupling is trained by the deck's own tab"


def test_what_is_ready_changes_the_scene_and_not_its_steps():
    choices = {str(m_h): {"spec": {"m_h": m_h}} for m_h in (3, 2)}
    html = build(
        parse_talk(talk({**SCENE, "what_if": None, "ready": {**READY, "choices": choices}}))
    )
    (scene,), parts = deck_of(html.decode())["scenes"], parts_of(html.decode())
    widths = {
        each["name"]: unpack(b"".join(parts[name] for name in each["data"]))[0]["m"]
        for each in scene["ready"]
    }
    assert widths == {"3": 3, "2": 2}
    assert "<math" in scene["letter"] and "turn" in scene["steps"][0]["whatIf"]


def test_a_scene_has_a_code_where_its_file_is_on_the_web_and_none_where_nobody_could_open_it():
    def codes(**fields):
        deck = deck_of(build(parse_talk(talk(SCENE, SCENE, **fields))).decode())
        return [scene["code"] for scene in deck["scenes"]]

    assert codes() == [None, None]
    first, second = codes(link="https://a.org/talk.html?x=1")
    assert first["address"] == "https://a.org/talk.html?x=1&scene=1"
    assert second["address"].endswith("&scene=2") and first["image"] != second["image"]
    assert first["image"].startswith("data:image/svg+xml")
    kept = parse_talk(dump_talk(parse_talk(talk(SCENE, link="https://a.org/"))))
    assert kept.link == "https://a.org/"


@pytest.mark.parametrize(
    "link", ["a.org", "javascript:alert(1)", "https://a b", 'https://a"', "https://a.org/#scene"]
)
def test_a_link_that_is_none_is_refused(link):
    with pytest.raises(TalkError, match="link: "):
        parse_talk(talk(SCENE, link=link))


def test_texts_of_a_talk_are_text():
    formula = r"\text{</span><script>alert(1)</script>}"
    scene = amended({"title": HOSTILE[:80], "steps 0 words": HOSTILE, "notes": HOSTILE})
    hostile = {**scene, "formula": [formula, r"\href{javascript:alert(1)}{x}"]}
    hostile["steps"][1]["words"] = rf"${formula}$"
    html = build(parse_talk(talk(hostile, title=HOSTILE)), notes=True).decode()
    assert "<script>alert" not in html and "<img" not in html
    for text in deck_of(html)["scenes"][0]["formula"]:
        assert text.startswith("<code>") and "<script" not in text
    for step in deck_of(html)["scenes"][0]["steps"]:
        assert not re.search(r"<(?!/?(p|span|code|math|m\w+)\b)", step["words"]), step["words"]


def test_a_step_whose_page_cannot_be_drawn_is_named(monkeypatch):
    monkeypatch.setattr("explorer.ui.page_file.drawn", lambda *_: (_ for _ in ()).throw(_nothing()))
    with pytest.raises(TalkError, match="scene 1, step 1: the page cannot be drawn"):
        build(parse_talk(talk(SCENE)))


def test_a_scene_whose_samples_went_after_it_was_read_is_named():
    lost = talk(SCENE, amended({"address": f'design?spec={{"grid":"{"0" * 64}"}}'}))
    with pytest.raises(TalkError, match=r"scene 2, step 1: .* grid 000000000000… is not in this"):
        build(read_talk(lost))


def _nothing():
    from explorer.ui.page_file import NothingToShow

    return NothingToShow("the page cannot be drawn")


def test_talk_build_writes_one_file_and_says_what_is_in_it(answer, tmp_path):
    file, out = tmp_path / "talk.json", tmp_path / "talk.html"
    file.write_text(talk(SCENE), "utf-8")
    said = answer("talk", "build", str(file), "--out", str(out))
    assert said["bytes"] == out.stat().st_size
    assert (said["scenes"], said["steps"]) == (1, 2)


def test_half_of_a_character_is_refused_with_its_place():
    half = "\ud800"
    for change, where in {
        "title": "scene 1, title: ",
        "notes": "scene 1, notes: ",
        "steps 1 words": "scene 1, step 2, words: ",
    }.items():
        with pytest.raises(TalkError) as caught:
            read_talk(talk(amended({change: half})))
        assert caught.value.problems == (rf"{where}\ud800 is no whole character",)
    with pytest.raises(TalkError) as caught:
        read_talk(json.dumps({"version": 1, "title": half, "scenes": [SCENE]}))
    assert caught.value.problems[0].startswith("title: ")
    with pytest.raises(TalkError, match="no whole character"):
        read_talk(talk(amended({"steps 1 change": {half: "x"}})))
    assert read_talk(talk(amended({"title": "𝜌"}))).scenes[0].title == "𝜌", "two halves are whole"


def test_a_byte_order_mark_before_a_talk_is_looked_past(answer, tmp_path):
    assert read_talk("\ufeff" + talk(SCENE)) == read_talk(talk(SCENE))
    file = tmp_path / "talk.json"
    file.write_text(talk(SCENE), "utf-8-sig")
    assert answer("talk", "build", str(file), "--out", str(tmp_path / "talk.html"))["scenes"] == 1


def test_a_deck_that_is_being_made_says_how_far_it_is(monkeypatch, tmp_path):
    monkeypatch.setenv("EXPLORER_HOME", str(tmp_path))
    (tmp_path / "talk.json").write_text(talk(SCENE), "utf-8")
    seen = []
    while (file := decks.deck(decks.MINE)) is None:
        seen.append(decks.drawn(decks.MINE))
        time.sleep(0.01)
    assert b"data-deck" in file.read_bytes()
    counts = [told for told in dict.fromkeys(seen) if told]
    assert set(counts) <= {"1 of 2", "2 of 2"} and counts == sorted(counts)
    while decks._at_work:  # the file is there a moment before its maker is done
        time.sleep(0.01)
    assert decks.drawn(decks.MINE) == "", "nothing is at work"


def test_a_deck_that_cannot_be_made_says_why_and_not_how_far(monkeypatch, tmp_path):
    monkeypatch.setenv("EXPLORER_HOME", str(tmp_path))
    lost = amended({"address": f'design?spec={{"grid":"{"0" * 64}"}}'})
    (tmp_path / "talk.json").write_text(talk(SCENE, lost), "utf-8")
    with pytest.raises(TalkError, match="scene 2, step 1"):
        while decks.deck(decks.MINE) is None:
            time.sleep(0.05)


@pytest.mark.skipif(sys.platform != "linux", reason="needs prlimit")
@pytest.mark.parametrize(
    ("limit", "why"),
    [
        # what ends first, in which words, and whether it spins before, is the libraries'
        ({"MEGABYTES": 100, "SECONDS": 20}, ""),
        ({"SECONDS": 1}, "takes more than 1 processor"),
    ],
)
def test_what_draws_a_deck_has_so_much_memory_and_time_and_its_visitor_pays(
    limit, why, monkeypatch, tmp_path
):
    monkeypatch.setenv("EXPLORER_HOME", str(tmp_path))
    for name, most in limit.items():
        monkeypatch.setattr(decks, name, most)
    shares = Shares(20.0, clock=lambda: 0.0)
    monkeypatch.setattr(decks.registry, "shares", lambda: shares)
    store = decks.registry.store()
    decks._make(SHIPPED, "long.html", store, store, "1" * 32)
    said = decks._failed.pop(tmp_path / "talks" / "long.html")
    assert said and why in said[0]
    assert not (tmp_path / "talks" / "long.html").exists() and not decks._at_work
    assert shares._account("1" * 32).left < 20.0 == shares._account("2" * 32).left


def test_of_long_talks_one_is_drawn_at_a_time_and_a_short_one_beside_it(monkeypatch, tmp_path):
    begun, now = [], tmp_path
    monkeypatch.setattr(decks, "Thread", lambda target, args, daemon: begun.append(args) or Idle())
    monkeypatch.setattr(decks.registry, "store", lambda: Store(now))
    monkeypatch.setattr(decks, "_at_work", {})
    monkeypatch.setattr(decks, "_long", set())
    long = talk(*[{**SCENE, "steps": SCENE["steps"] * 3}] * 7)
    for name, source in {"a": long, "b": long.replace("only", "b"), "c": talk(SCENE)}.items():
        now = tmp_path / name
        now.mkdir()
        (now / "talk.json").write_text(source, "utf-8")
        assert decks.deck(decks.MINE) is None
    assert [Path(args[2].home).name for args in begun] == ["a", "c"]


class Idle:
    def start(self):
        pass


def test_a_formula_of_a_talk_is_built_once(monkeypatch):
    built = []
    monkeypatch.setattr(specs, "build", built.append)
    scene = amended({"address": 'design?spec={"formula":"u*v+0.125"}', "steps 1 change": {}})
    for _ in range(3):
        assert problems_of(read_talk(talk(scene))) == ()
    assert len(built) == 1


def test_the_shipped_talk_is_begun_where_a_server_draws_it(monkeypatch, tmp_path):
    monkeypatch.setenv("EXPLORER_HOME", str(tmp_path))
    asked = []
    monkeypatch.setattr(decks, "deck", asked.append)
    decks.begin()
    assert asked == [], "no pool: this process serves nobody"
    monkeypatch.setattr(decks.registry, "pool", lambda: object())
    decks.begin()
    (tmp_path / "talk.json").write_text(talk(SCENE), "utf-8")
    decks.begin()
    assert asked == [decks.OURS]


def test_who_waits_for_a_deck_is_told_how_far_it_is(monkeypatch):
    monkeypatch.setattr(decks, "deck", lambda _: None)
    for drawn, said in {
        "12 of 65": "once, 12 of 65 so far; it opens",
        "": "once; it opens",
    }.items():
        monkeypatch.setattr(decks, "drawn", lambda _, drawn=drawn: drawn)
        assert said in served._answer(decks.OURS, False).body.decode()
