"""One reader of typed formulas: fields, links, the command line; TeX; an upload as a table."""

import json
import subprocess
import sys

import numpy as np
import pytest
from streamlit_pages import opened

from explorer.coupling import CouplingError, coupling_of
from explorer.coupling.formula import FormulaError, parse_formula
from explorer.coupling.grid import GridError, parse_grid
from explorer.coupling.typed import understood
from explorer.spec import CouplingSpec, spec_id
from explorer.targets import parse, parse_leniently, parse_sweep

U, V = (np.random.default_rng(0).random((2, 50)) * 0.9 + 0.05).tolist()


@pytest.mark.parametrize(
    ("typed", "plain"),
    [
        (r"\exp(-3|u-v|)\cos(6u)", "exp(-3*abs(u-v))*cos(6*u)"),
        (r"e^{-2(u-v)^{2}}", "e**(-2*(u-v)**2)"),
        (r"2\,\sin\left(2\pi u\right)\cdot v", "2*sin(2*pi*u)*v"),
        (r"\sqrt{u} + \ln{v} \times \max(u,v)", "sqrt(u)+log(v)*maximum(u,v)"),
        (r"\lvert u - v\rvert^2", "abs(u-v)**2"),
        ("exp(-3|u-v|) cos(6u)", "exp(-3*abs(u-v))*cos(6*u)"),
    ],
)
def test_what_is_typed_is_what_is_meant(typed, plain):
    values = [parse_formula(text)(np.array(U), np.array(V)) for text in (understood(typed), plain)]
    np.testing.assert_allclose(*values, rtol=1e-14)
    spec = parse({"formula": typed})
    assert spec.formula == understood(typed) == parse_leniently({"formula": typed})[0].formula
    assert parse_sweep({"formula": typed, "m_h": [1, 2]}).formula == spec.formula


def test_a_formula_of_the_grammar_keeps_its_id():
    """The text is the id's: what was taken before is not written anew."""
    text = "exp(-3*abs(u - v)) *  cos(6*u)"
    assert parse({"formula": text}).formula == text
    assert spec_id(parse({"formula": text})) == spec_id(parse(json.dumps({"formula": text})))
    assert parse({"target": "linear", "kernel": "formula", "formula": "e^-s"}).formula == "e**-s"


def test_a_fraction_of_tex_is_told_how_to_be_written():
    with pytest.raises(FormulaError, match=r"write \(a\)/\(b\)"):
        understood(r"\frac{u}{v+1}")
    with pytest.raises(FormulaError):
        understood(r"\exp(u")


def said_by(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "explorer", *arguments], capture_output=True, text=True, check=False
    )


def test_the_command_line_reads_what_the_field_reads(tmp_path):
    found = said_by("pod", "--formula", "exp(-3|u-v|) cos(6u)", "--json")
    same = said_by("pod", "--formula", "exp(-3*abs(u-v))*cos(6*u)", "--json")
    assert found.returncode == 0 and json.loads(found.stdout) == json.loads(same.stdout)
    spec = said_by("spec", "--set", "formula=2 pi u v", "--json")
    assert json.loads(spec.stdout)["formula"] == "2*pi*u*v"


@pytest.mark.parametrize(
    ("typed", "fields"),
    [
        ("u^2 v -", {"steps": 1}),
        ("|u - v|^2 v)", {"steps": 1}),
        ("s^2 -", {"target": "linear", "kernel": "formula"}),
    ],
)
def test_the_command_line_refuses_what_the_field_refuses_with_its_words(typed, fields):
    """Not a ^ or | that is taken elsewhere."""
    with pytest.raises(FormulaError) as of_the_field:
        understood(typed, ("s",) if "target" in fields else ("u", "v"))
    found = said_by("train", json.dumps(fields | {"formula": typed}))
    assert found.returncode == 2 and str(of_the_field.value) in found.stderr


def test_what_no_field_has_read_is_held_to_the_grammar():
    """A specification made in code has no typed formula."""
    with pytest.raises(CouplingError, match=r"'\^' is not allowed"):
        coupling_of(CouplingSpec(formula="u^2 v"))


def test_training_at_the_cliff_tells_of_the_head_start():
    bare = {"rank": 6, "m_h": 6, "steps": 1, "tau": 4, "m_ff": 8}
    found = said_by("train", json.dumps(bare))
    assert found.returncode == 0 and "head_start = 4" in found.stderr
    found = said_by("train", json.dumps(bare | {"head_start": 4}))
    assert found.returncode == 0 and "head_start" not in found.stderr


def test_rates_draws_nothing_of_another_coupling():
    """A link whose formula cannot be read: a warning, and no sweep of the default below it."""
    at = opened("rates", spec=json.dumps({"formula": "u^2 v - |u-", "tau": 24, "m_h": 31}))
    assert not at.exception and "formula" in "".join(box.value for box in at.warning)
    assert not [button for button in at.button if "Train" in button.label]
    good = opened("rates", spec=json.dumps({"formula": "u^2 v - |u-v|", "tau": 24}))
    assert not good.exception and not good.warning
    assert [button for button in good.button if "Train" in button.label]


@pytest.mark.parametrize(
    ("address", "named"),
    [
        ("train?run=nope", "nope"),
        ('?spec={"m_h":0}', "m_h"),
        ('rates?spec={"formula":"u^2 v - |u-"}', "formula"),
    ],
)
def test_a_page_that_cannot_be_shown_is_not_exported(address, named, tmp_path):
    found = said_by("export-page", address, "--out", str(tmp_path / "p.html"))
    assert found.returncode == 2 and named in found.stderr
    assert not (tmp_path / "p.html").exists()


# A table u, v, ρ


def long_table(u, v, head="u,v,rho\n"):
    rows = [f"{a},{b},{2 * a - 3 * b}" for a in u for b in v]
    np.random.default_rng(1).shuffle(rows)
    return (head + "\n".join(rows)).encode()


@pytest.mark.parametrize("head", ["u,v,rho\n", ""])
def test_a_table_of_places_becomes_samples_at_cell_centres(head):
    """ρ = 2u − 3v is linear between its places: at every centre within them it is exact."""
    u, v = np.linspace(0, 1, 30), np.linspace(0, 1, 24)
    values = parse_grid(long_table(u, v, head), "rho.csv")
    centres = [(np.arange(n) + 0.5) / n for n in (30, 24)]
    np.testing.assert_allclose(values, 2 * centres[0][:, None] - 3 * centres[1], atol=1e-12)


def test_places_that_are_cell_centres_stay_as_they_are():
    u, v = (np.arange(5) + 0.5) / 5, (np.arange(3) + 0.5) / 3
    values = parse_grid(long_table(u, v), "rho.csv")
    np.testing.assert_allclose(values, 2 * u[:, None] - 3 * v, atol=1e-15)


def test_a_table_with_gaps_is_told_what_is_wanted():
    rows = long_table(np.linspace(0, 1, 30), np.linspace(0, 1, 30)).splitlines()[:-7]
    with pytest.raises(GridError, match="looks like a table u, v, ρ"):
        parse_grid(b"\n".join(rows), "rho.csv")
    with pytest.raises(GridError, match="a row for each u"):
        parse_grid(("1,2\n" * 600).encode(), "rho.csv")


def test_a_matrix_of_three_columns_stays_a_matrix():
    assert parse_grid(b"1,2,3\n4,5,6\n", "rho.csv").tolist() == [[1, 2, 3], [4, 5, 6]]
