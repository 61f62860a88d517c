"""What a language model writes with k terms of its couplings: the writing itself, the shipped
words, and what is counted of them."""

import json

import numpy as np
import pandas as pd
import pytest
from pretrained import fetched_tiny_smollm2, llama, tiny_smollm2
from streamlit.testing.v1 import AppTest
from streamlit_pages import report

from explorer import reproduce
from explorer.charts import DARK
from explorer.pages.real import view
from explorer.pages.real.chart import words_chart
from explorer.pages.real.view_drawing import real_drawing
from explorer.pages.real.view_look import Look
from explorer.pages.real.view_words import (
    WORDS,
    parting,
    same_tokens,
    shipped_words,
    words_of,
    words_sentence,
)
from explorer.pretrained.catalogue import MODELS, ModelError
from explorer.pretrained.spectra import cut
from explorer.pretrained.words import PROMPTS, continuations, continued
from explorer.runs import home
from explorer.runs.store import Store
from explorer.ui.pages import PAGES

SMOLLM2 = MODELS["smollm2"]
COUNT = 14


@pytest.fixture(scope="module")
def tiny():
    return tiny_smollm2()


# The writing


@pytest.mark.parametrize("prompt", [[3], [3, 7, 11], [40, 2, 2, 9, 30, 1, 8, 21]])
@pytest.mark.parametrize("centred", [False, True])
def test_with_all_terms_a_model_writes_its_own_tokens(tiny, prompt, centred):
    own = continued(tiny, prompt, 10)
    assert continued(tiny, prompt, 10, cut(tiny.width, centred)) == own
    assert len(own) == 10 and continued(tiny, prompt, 4) == own[:4]


def leading(k, centred):
    """Of a whole matrix its k leading terms, without the means of its rows where `centred`."""

    def of(matrix):
        shown = matrix - matrix.mean(-1, keepdims=True) if centred else matrix
        phi, sigma, psi = np.linalg.svd(shown)
        sigma[k:] = 0
        return phi @ np.diag(sigma) @ psi

    return of


@pytest.mark.parametrize("centred", [False, True])
@pytest.mark.parametrize("k", [1, 2, 4])
def test_a_cut_model_writes_what_a_second_one_does(tiny, k, centred):
    """Of each text so far the whole matrices cut in float64, then masked; and not the model's own:
    this would hold of no cut at all."""
    prompt, text = [40, 2, 2, 9, 30, 1, 8, 21], [40, 2, 2, 9, 30, 1, 8, 21]
    for _ in range(6):
        logits = llama(tiny, np.array(text), leading(k, centred))
        text.append(int(logits[-1].argmax()))
    assert continued(tiny, prompt, 6, cut(k, centred)) == text[8:]


def test_a_cut_of_one_term_changes_what_is_written(tiny):
    prompts = [[3, 7, 11], [40, 2, 2, 9, 30, 1, 8, 21], [5, 5, 6]]
    own, one = ([continued(tiny, each, 8, *how) for each in prompts] for how in ((), (cut(1),)))
    assert own != one


def test_rows_say_what_was_written_after_each_text():
    models = home.models()
    fetched_tiny_smollm2(models)
    rows = list(continuations(models, "smollm2", ("ab c", "de"), 3, (1, 6)))
    assert [(row["prompt"], row["length"]) for row in rows[::4]] == [("ab c", 4), ("de", 2)]
    assert [(row["centred"], row["k"]) for row in rows[:4]] == [
        (False, 1),
        (False, 6),
        (True, 1),
        (True, 6),
    ]
    assert all(len(row["tokens"]) == 3 for row in rows)
    assert all(row["own"] for row in rows if row["k"] == 6)
    with pytest.raises(ModelError, match="not on this machine"):
        list(continuations(models, "vit", ("ab",), 3, (1,)))


def test_the_command_writes_a_table_that_the_page_reads(tmp_path):
    fetched_tiny_smollm2(home.models())
    answer = reproduce.reproduce("words", reproduce.Request(Store(), tmp_path, quick=True))[
        "figures"
    ]["words"]
    assert answer["files"] == ["words.csv", "words.svg"]
    table = pd.read_csv(tmp_path / "words.csv")
    assert list(table.columns) == list(pd.read_csv(WORDS).columns)
    assert set(table["k"]) == {1, 16, 64} and table["prompt"].nunique() == 2
    assert answer["checks"][0]["holds"], "k = 64 is the whole model"
    assert "k = 64: all 28 tokens are the model's own" in answer["text"][2]


# The shipped words


def test_shipped_words_are_of_this_model_and_of_its_curve():
    table = shipped_words()
    assert set(table["model"]) == {"smollm2"}
    assert set(table["wheel"]) == {SMOLLM2.wheels[0].sha256[:12]}
    assert tuple(dict.fromkeys(table["prompt"])) == PROMPTS
    assert {len(tokens) for tokens in table["tokens"]} == {COUNT}
    tried = sorted({int(k) for k in view.curve_of(SMOLLM2)["k"]} - {0})
    for _, group in table.groupby(["prompt", "centred"]):
        assert list(group["k"]) == tried, "one k is read in all the pictures"


def test_whole_it_writes_the_same_in_both_gauges():
    table = shipped_words()
    whole = table[table["k"] == SMOLLM2.width]
    assert len(whole) == 2 * len(PROMPTS)
    for _, pair in whole.groupby("prompt"):
        assert len({tuple(tokens) for tokens in pair["tokens"]}) == 1


def test_what_is_not_cut_is_its_own():
    """A text of at most k tokens has no more than k terms: until then nothing is lost."""
    table = shipped_words()
    own = table[table["k"] == SMOLLM2.width].groupby("prompt")["tokens"].first()
    for row in table.itertuples():
        untouched = min(COUNT, max(0, row.k - row.length + 1))
        assert row.tokens[:untouched] == own[row.prompt][:untouched]


# What is counted


@pytest.mark.parametrize(
    ("own", "said", "same"),
    [("abc", "abc", 3), ("abc", "abd", 2), ("abc", "xbc", 0), ("aba", "aca", 1), ("", "", 0)],
)
def test_a_text_parts_at_the_first_other_token(own, said, same):
    assert parting(own, said) == same


def made_up():
    rows = [
        ("p", 3, 1, ["a", "x", "c"]),
        ("p", 3, 4, ["a", "b", "c"]),
        ("q", 1, 1, ["d", "e", "y"]),
        ("q", 1, 4, ["d", "e", "f"]),
    ]
    table = pd.DataFrame(rows, columns=["prompt", "length", "k", "tokens"])
    return table.assign(centred=False)


def test_tokens_are_counted_in_closed_form():
    found = same_tokens(made_up()).set_index("k")
    assert found["same"].to_dict() == {1: 3, 4: 6}
    assert found["tokens"].to_dict() == {1: 6, 4: 6}
    # written on 3, 4, 5 tokens after p and on 1, 2, 3 after q
    assert found["cut"].to_dict() == {1: 5, 4: 1}
    same = same_tokens(made_up())
    assert words_sentence(same, "raw", 1) == "k = 1: 3 of 6 tokens are the model's own"
    assert words_sentence(same, "raw", 4) == "k = 4: all 6 tokens are the model's own"


def test_the_browser_counts_as_python_does(javascript):
    words = words_of(SMOLLM2)
    same = same_tokens(shipped_words())
    said = javascript(
        "real",
        "return ['raw', 'centred'].map((gauge) => words.k.map((k, at) =>"
        " c.wordsSentence(c.writtenWith(words, gauge, at), k)))",
        words=words,
    )
    for gauge, sentences in zip(view.GAUGES, said, strict=True):
        assert sentences == [words_sentence(same, gauge, k) for k in words["k"]]


def test_a_chart_of_the_counts_has_a_point_for_each():
    same = same_tokens(shipped_words())
    drawn = words_chart(same, DARK).to_dict()
    (rows,) = drawn["datasets"].values()
    assert len(rows) == len(same) and "NaN" not in json.dumps(drawn)


# The page


def test_another_model_has_no_words():
    assert words_of(MODELS["vit"]) is None and words_of(MODELS["minilm"]) is None
    header, _ = real_drawing(view.real_view(Look(model="vit", words=True)))
    assert header["words"] is None
    header, _ = real_drawing(view.real_view(Look(text="some words of mine")))
    assert header["words"] == words_of(SMOLLM2), "they are of the shipped texts, which they name"


def test_words_in_the_place_of_the_curve_stand_in_the_address():
    at = AppTest.from_file("../explorer/ui/shell.py", default_timeout=60)
    at.query_params["real"] = json.dumps({"words": True, "k": 4})
    at.switch_page(str(PAGES["real"].file)).run()
    assert not at.exception
    at.session_state["real picture"] = report(3, {"words": False, "k": 2})
    at.run()
    assert json.loads("".join(at.query_params["real"])) == {"k": 2}
