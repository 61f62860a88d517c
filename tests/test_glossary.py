"""The glossary: plain sentences, formulas that KaTeX takes, words that are used and explained."""

import ast
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from katex import refused_by_katex

from explorer.ui.components import HERE
from explorer.views.glossary import GLOSSARY, LINK, SYMBOLS, dotted, explained, undotted

ROOT = Path(__file__).resolve().parent.parent


def test_formulas_are_latex():
    named = [part for t in GLOSSARY.values() for part in re.findall(r"\$([^$]+)\$", t.name)]
    bad = [r"\frac{1}{", r"\rhoo", "x^^2"]
    assert refused_by_katex([t.formula for t in GLOSSARY.values()] + named + bad) == bad


@pytest.mark.parametrize("term", GLOSSARY.values(), ids=GLOSSARY)
def test_a_word_has_one_plain_sentence_and_a_place(term):
    assert len(term.plain.split()) <= 25 and re.fullmatch(r"[A-Z](?:[^.$\\]|4\.1)*\.", term.plain)
    assert re.search(r"on these pages|Section|Eq\.|App\.|Table|Theorem|Proposition", term.where)
    for number in re.findall(r"Eq\. (\d+)", term.where):
        assert 1 <= int(number) <= 101, "the paper has 101 equations"


def test_a_word_is_dotted_once_and_never_within_a_formula_code_or_a_link():
    text = "The rank, `rank`, $rank$ and [rank](x): rank-optimal ranks, a Prank, rank 3."
    assert dotted(text) == text.replace("The rank", f"The [rank]({LINK}rank)").replace(
        "rank-optimal", f"[rank-optimal]({LINK}rank-optimal)"
    )


def test_symbols_are_typeset():
    assert not refused_by_katex([*SYMBOLS.values()])
    assert dotted("m_h = 7 ≥ m_h, `m_h`") == f'[$m_h$]({LINK}m_h "m_h") = 7 ≥ $m_h$, `m_h`'


def linked(text):
    """The names of the words that are dotted in a text."""
    return re.findall(rf"\({LINK}([^) ]*)[^)]*\)", dotted(text))


WORDS = [word for term in GLOSSARY.values() for word in term.words]


@given(st.lists(st.sampled_from([*WORDS, "$a$", "`m_h`", "[x](y)", "$a$ ", ", ", "x", " "])))
def test_undotted_gives_the_sentence_back(parts):
    text = "".join(parts)
    assert undotted(dotted(text)) == text
    keys = linked(text)
    assert len(keys) == len(set(keys)) and set(keys) <= set(GLOSSARY)


def test_a_tooltip_says_it_plainly_first():
    plain, formula, where, more = explained("m_h", more="Up to 32.").split("\n\n")
    term = GLOSSARY["m_h"]
    assert [plain, formula, where] == [term.plain, f"${term.formula}$", f"*{term.where}*"]
    assert more == "Up to 32."


def uses():
    """The words in the tooltips of controls, on canvases, and in the texts that pages show."""
    for path in [*(ROOT / "explorer").rglob("*.py"), *(ROOT / "pages").glob("*.py")]:
        if path.name == "glossary.py":
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "explained":
                yield from (each.value for each in node.args if isinstance(each, ast.Constant))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield from linked(node.value)
    for path in HERE.rglob("*.*"):
        text = path.read_text("utf-8") if path.suffix in (".js", ".html") else ""
        yield from re.findall(r'writeTerm\(ctx, theme, "([\w-]+)"|data-term="([\w-]+)"', text)


def test_every_word_is_used_and_every_use_has_its_word():
    used = {"".join(each) for each in uses()}
    assert used - set(GLOSSARY) == set() and set(GLOSSARY) - used == set()


@pytest.fixture(scope="module")
def evaluate(javascript):
    return lambda expression: javascript("about", f"return {expression}")


def test_the_card_finds_the_word_of_an_event_and_a_place_on_the_screen(evaluate):
    link = f"{{getAttribute: () => '{LINK}pod'}}"
    assert evaluate(f"c.termOf([{{}}, {link}]).key") == "pod"
    assert evaluate("c.termOf([{getAttribute: () => null, dataset: {term: 'rank'}}]).key") == "rank"
    assert evaluate("c.termOf([{}, {getAttribute: () => '#top', dataset: {}}])") is None
    view, card = "{width: 400, height: 300}", "{width: 200, height: 100}"
    below = evaluate(f"c.placed({{left: 20, top: 40, bottom: 60}}, {card}, {view})")
    above = evaluate(f"c.placed({{left: 390, top: 250, bottom: 270}}, {card}, {view})")
    assert below == {"left": 20, "top": 68} and above == {"left": 192, "top": 142}


def test_the_canvas_names_the_word_under_the_mouse(javascript):
    boxes = "new Map([['rank', {x: 10, y: 0, w: 30, h: 16}]])"
    at = "[c.wordAt(b, 12, 8), c.wordAt(b, 41, 8) ?? '', c.wordAt(b, 12, 17) ?? '']"
    assert javascript("live", f"const b = {boxes}; return {at}") == ["rank", "", ""]
