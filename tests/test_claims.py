"""The register of claims: each holds, none is missing, and none of these tests passes by itself."""

import pytest

from explorer.claims import CLAIMS, Claim, unknown
from explorer.claims.claim import EVERYWHERE
from explorer.claims.texts import texts
from explorer.claims.words import claiming_words


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: f"{claim.place}: {claim.says[:60]}")
def test_a_claim_holds_and_stands_where_it_says(claim):
    assert claim.stands(), f"{claim.place} does not say: {claim.rendered()}"


def test_every_number_and_theorem_of_the_texts_is_in_the_register():
    left = unknown(CLAIMS)
    assert not left, "\n".join(f"{at.place}: {at.word!r} in …{at.beside}…" for at in left)


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: f"{claim.place}: {claim.says[:60]}")
def test_a_claim_says_what_it_rests_on_and_claims_something(claim):
    assert claim.rests
    assert claim.values or list(claiming_words(claim.says)), "no number and no theorem: not needed"


def test_no_claim_stands_twice():
    told = [(claim.place, claim.says) for claim in CLAIMS]
    assert len(set(told)) == len(told)


def test_the_texts_are_read():
    assert {"README.md", "docs/pages.md", "assets/talk.json"} <= set(texts())
    assert any("nearest square" in text for text in texts()["assets/talk.json"])
    assert any("{}" in text for text in texts()["explorer/pages/rates/view_text.py"])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("holds 99 % in 17 of 64", ["99", "17", "64"]),
        ("after 3,000 steps 4.9·10⁻⁵", ["3,000", "4.9·10⁻⁵"]),
        ("two layers find it, one cannot", ["two"]),
        ("Theorem 4.4 needs $K+1$ layers (Eq. 17, Figure 1 (a))", ["Theorem 4.4"]),
        ("Propositions 6.1 and Prop. B.1", ["Propositions 6.1", "Prop. B.1"]),
        ("SmolLM2-135M by `spec --set m_h=4` on [0, 1], 1 − R² is 0", []),
        ("m_h = 1 to 16", ["16"]),
        ("−0.9 to −0.4", ["−0.9", "−0.4"]),
        ("half as fast, the half shift", ["half"]),
    ],
)
def test_what_is_said(text, words):
    assert [found.word for found in claiming_words(text)] == words


def test_a_number_that_changed_is_no_longer_said(monkeypatch):
    place, text = "README.md", "A head of width 7 holds 12 terms."
    monkeypatch.setattr("explorer.claims.claim.texts", lambda: {place: (text,)})
    says = "A head of width {m} holds {terms} terms."

    def of(terms):
        return Claim(place, says, "this test", lambda: {"m": 7, "terms": terms})

    assert of(12).stands()
    assert not of(13).stands()
    assert unknown((of(12),)) == []
    assert [found.word for found in unknown((of(13),))] == ["7", "12"]
    assert [found.word for found in unknown(())] == ["7", "12"]
    elsewhere = of(12)._replace(place="docs/pages.md")
    assert not elsewhere.stands()
    assert [found.word for found in unknown((elsewhere,))] == ["7", "12"]
    assert unknown((of(12)._replace(place=EVERYWHERE),)) == []


def test_names_that_are_not_computed_are_refused():
    claim = Claim("README.md", "{a} of 3", "this test", lambda: {"b": 2})
    with pytest.raises(ValueError, match="computes"):
        claim.rendered()


def test_the_command_prints_the_table_and_checks_it(explorer):
    table = explorer("claims", "--json").json["claims"]
    assert [(row["place"], row["says"]) for row in table] == [
        (claim.place, claim.says) for claim in CLAIMS
    ]
    checked = explorer("claims", "--check", "--json")
    assert checked.code == 0
    assert checked.json["holds"] is True


def test_the_command_fails_where_a_claim_does(explorer, monkeypatch):
    wrong = (*CLAIMS, Claim("README.md", "{n} heads", "this test", lambda: {"n": 12345}))
    monkeypatch.setattr("explorer.claims.CLAIMS", wrong)
    checked = explorer("claims", "--check")
    assert checked.code == 1
    assert "README.md does not say: 12345 heads" in checked.out
