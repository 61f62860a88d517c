"""Bases, spectra and kernels: a new one is everywhere, or an error says what is missing."""

import json
import subprocess
import sys
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from made_up import COSINE, GAUSSIAN, SAW

from explorer.families import BASES, FREE_LIST, KERNELS, PARAMETERS, SPECTRA, TERMS, table
from explorer.spec import CouplingSpec, LinearSpec, SpecError, amended, schema
from explorer.views.glossary import typeset

ROOT = Path(__file__).resolve().parent.parent


def ran(code, **more):
    """A script in a process of its own, where the tables may be changed before they are read."""
    return subprocess.run(
        [sys.executable, *code], cwd=ROOT, capture_output=True, text=True, timeout=300, **more
    )


@pytest.fixture(scope="module")
def made_up(tmp_path_factory):
    """What became of a made-up basis and spectrum."""
    import os

    home = str(tmp_path_factory.mktemp("home"))
    environment = os.environ | {"EXPLORER_HOME": home, "PYTHONPATH": str(ROOT)}
    done = ran([str(ROOT / "tests" / "made_up.py")], env=environment)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


def test_a_new_one_is_in_the_specification(made_up):
    assert made_up["compact"]["spectrum"] == "made_up"
    assert made_up["compact"]["left_basis"] == "made_up"
    assert made_up["schema"]["spectrum"] == [*SPECTRA, "made_up"]
    assert made_up["schema"]["left_basis"] == [*BASES, "made_up", "unmeasured"]


def test_a_new_one_is_decomposed_into_itself(made_up):
    np.testing.assert_allclose(made_up["sigma"], 0.8 ** np.arange(4.0) ** 2, atol=1e-12)


def test_a_new_one_has_a_theory_of_its_own(made_up):
    assert made_up["c_0"] == pytest.approx(2 * np.sqrt(2))
    pairs = np.sqrt(2) * np.pi * (np.arange(4) + 2 * np.arange(1, 5))  # cosines, then sines
    np.testing.assert_allclose(made_up["c_2"], 2 + np.append(0, np.cumsum(pairs)))
    assert made_up["exponent"] == "any" and "exact" in made_up["reason"]
    assert made_up["floor"][4] < 1e-20 < made_up["floor"][3] < made_up["floor"][0]


def test_what_is_not_known_of_a_new_one_is_said(made_up):
    """Not the sine's constants, as once."""
    unmeasured = made_up["unmeasured"]
    assert unmeasured["c_2"] is None
    assert unmeasured["reason"] == (
        "C₂ is not available: Barron's constants of the basis Unmeasured are not known."
    )


def test_a_new_one_is_in_words_and_pictures(made_up):
    sum_, phi, psi = made_up["latex"]
    assert r"1\,0.8^{(k-1)^2}" in sum_ and COSINE.tex in phi and r"(x+\tfrac12)" in psi
    assert made_up["words"].startswith("σ_k = 1·0.8^((k−1)²), r = 4, made-up × shifted-sine")
    assert made_up["sweep"].startswith("σ_k = c δ^((k−1)²)")
    assert (made_up["family"], made_up["line"]) == ("made_up", "Gaussian = 0.80")


def test_a_new_one_is_on_the_page(made_up):
    page = made_up["page"]
    assert page["warnings"] == []
    spectra, chosen = page["choices"]["spectrum $\\sigma_k$"]
    assert spectra[-1] == "Gaussian" and chosen == "made_up"
    for label in (r"$\phi_k$(u)", r"$\psi_k$(v)"):
        assert page["choices"][label][0][-2:] == ["half waves", "Unmeasured"]
    assert page["sliders"][:2] == [typeset(PARAMETERS[name].label) for name in ("decay", "c")]
    assert any(COSINE.tex in text for text in page["texts"])


WHOLE = {"basis": COSINE, "barron": COSINE.barron, "spectrum": GAUSSIAN, "law": GAUSSIAN.law}


@pytest.mark.parametrize("whole", [*WHOLE.values(), SAW], ids=[*WHOLE, "kernel"])
def test_nothing_that_is_to_be_said_has_a_default(whole):
    values = {each.name: getattr(whole, each.name) for each in fields(whole)}
    for name in values:
        rest = {other: value for other, value in values.items() if other != name}
        with pytest.raises(TypeError, match=f"missing 1 required keyword-only argument: '{name}'"):
            type(whole)(**rest)


def test_a_new_kernel_is_learned_described_and_on_the_page(made_up):
    kernel = made_up["kernel"]
    assert kernel["schema"] == [*KERNELS, "made_up"]
    assert kernel["rho"] == pytest.approx([1, 0.5, 0, -0.5])
    assert kernel["gamma"] == np.inf and kernel["words"].startswith("ρ is a saw of 0.5")
    names, chosen = kernel["page"]["choices"]["kernel ρ(s)"]
    assert (names[-1], chosen) == ("saw", "made_up") and "rate" in kernel["page"]["sliders"]


def test_a_constant_without_end_needs_its_reason():
    with pytest.raises(ValueError, match="say why"):
        replace(BASES["haar"].barron, infinite=None)


def test_a_name_that_two_have_is_an_error():
    """The first one would be lost."""
    with pytest.raises(TypeError, match='basis "sine": this name is taken'):
        table("basis", [*BASES.items(), ("sine", COSINE)])


def test_nodes_that_are_no_whole_number_are_an_error_that_names_the_basis():
    with pytest.raises(TypeError, match=r"made_up: nodes must be a whole number, got 32\.0"):
        replace(COSINE, nodes=lambda last: last / 2)


def test_a_law_needs_a_slider_for_each_of_its_numbers():
    with pytest.raises(ValueError, match="bent: no slider for bend in PARAMETERS"):
        replace(GAUSSIAN, name="bent", fields=("decay", "c", "bend"))


def test_a_parameter_that_no_specification_has_stops_the_import():
    code = (
        "from dataclasses import replace\n"
        "from explorer.families.spectra import ALPHA, PARAMETERS, POWER, SPECTRA\n"
        "PARAMETERS['bend'] = replace(ALPHA, field='bend')\n"
        "SPECTRA['bent'] = replace(POWER, name='bent', fields=('alpha', 'c', 'bend'))\n"
        "import explorer.spec\n"
    )
    done = ran(["-c", code])
    assert done.returncode == 1
    assert "TypeError: bent: bend is no field of a specification" in done.stderr


def test_the_keys_of_the_tables_are_the_choices_of_a_specification():
    properties = schema(CouplingSpec)["properties"]
    assert properties["left_basis"]["enum"] == properties["right_basis"]["enum"] == [*BASES]
    assert properties["spectrum"]["enum"] == [*SPECTRA]
    assert schema(LinearSpec)["properties"]["kernel"]["enum"] == [*KERNELS]
    for choices in (BASES, SPECTRA, KERNELS):
        assert all(name == each.name for name, each in choices.items())
    with pytest.raises(SpecError, match='"legendre"'):
        amended(CouplingSpec(), left_basis="made_up")


@pytest.mark.parametrize("name", PARAMETERS)
def test_a_page_moves_a_parameter_within_its_specification(name):
    for end in (PARAMETERS[name].low, PARAMETERS[name].high):
        assert getattr(amended(CouplingSpec(), **{name: end}), name) == end


LAWS = [spectrum for spectrum in SPECTRA.values() if spectrum.law]


@pytest.mark.parametrize("spectrum", LAWS)
def test_a_law_is_a_straight_line_over_its_x(spectrum):
    k = np.arange(1, TERMS + 1)
    law, values = spectrum.law, {"c": 3.0, spectrum.law.parameter: 0.7}
    slope, start = np.polyfit(law.x(k), np.log(spectrum.sigma(k, **values)), 1)
    assert law.x(k)[0] == 0 and start == pytest.approx(np.log(3))
    assert law.value(slope) == pytest.approx(0.7)


def test_the_browser_has_the_laws_of_the_table_and_no_others(javascript):
    body = "return [Object.keys(c.LAWS), c.PARAMETERS, c.TERMS, c.FREE_LIST]"
    names, parameters, terms, free_list = javascript("design", body)
    assert names == [spectrum.name for spectrum in LAWS]
    assert parameters == [*dict.fromkeys(spectrum.law.parameter for spectrum in LAWS)]
    assert (terms, free_list) == (TERMS, FREE_LIST.name)


@pytest.mark.parametrize("spectrum", LAWS)
def test_the_browser_draws_a_law_as_python_computes_it(javascript, spectrum):
    body = (
        "const law = c.lawOf(name), slope = law.slope(0.7);"
        "return { parameter: law.parameter, sigma: k.map(law.sigma(3, 0.7)), x: k.map(law.x),"
        " back: law.value(slope), slope, words: law.words(0.7, '≈'), rate: law.rate?.(0.7) ?? null}"
    )
    k, parameter = np.arange(1, TERMS + 1), spectrum.law.parameter
    drawn = javascript("design", body, name=spectrum.name, k=k.tolist())
    assert drawn["parameter"] == parameter
    np.testing.assert_allclose(drawn["sigma"], spectrum.sigma(k, c=3.0, **{parameter: 0.7}))
    np.testing.assert_allclose(drawn["x"], spectrum.law.x(k), atol=1e-15)
    assert drawn["back"] == pytest.approx(0.7) == spectrum.law.value(drawn["slope"])
    assert drawn["words"].replace("{", "(").replace("}", ")") == spectrum.law.words(0.7, "≈")
    assert (drawn["rate"] is not None) == (spectrum.tail == "power")


def test_a_law_that_the_browser_has_not_is_an_error_that_names_it(javascript):
    body = (
        "try { c.sigmaOf({ family: 'made_up', c: 1, decay: 0.5 }, 3) }"
        "catch (error) { return error.message }"
    )
    expected = 'spectrum "made_up": its law is missing in design/laws.js'
    assert javascript("design", body) == expected
    line = body.replace("c.sigmaOf({", "c.lineOf({ sigma: [],").replace(", 3)", ", 0)")
    assert javascript("design", line) == expected


def test_a_law_that_is_added_to_the_browser_is_drawn_fitted_and_turned(javascript):
    """The made-up one: an entry in LAWS is all that it takes."""
    body = """
      c.LAWS.made_up = {
        parameter: "decay",
        step: -0.01,
        sigma: (first, decay) => (k) => first * decay ** ((k - 1) ** 2),
        x: (k) => (k - 1) ** 2,
        slope: Math.log,
        value: Math.exp,
        words: (decay, about) => `Gaussian ${about} ${decay.toFixed(2)}`,
        error: (decay) => `MSE falls by ${decay}`,
        rate: null,
      };
      try {
        const design = { family: "made_up", c: 2, decay: 0.8 };
        const sigma = c.sigmaOf(design, 6);
        const fit = c.lineOf({ family: "list", sigma }, 1e-9);
        const limits = { decay: [0.05, 0.95] };
        return [
          sigma, c.rateTexts(c.lineOf(design, 0)).slope, [fit.kind, fit.value],
          c.lawThrough(design, 3, 2 * 0.6 ** 4, limits), c.turned(sigma, fit, { decay: 0.6 }, 100),
        ];
      } finally {
        delete c.LAWS.made_up;
      }
    """
    sigma, words, (kind, value), through, turned = javascript("design", body)
    k = np.arange(1, 7)
    np.testing.assert_allclose(sigma, GAUSSIAN.sigma(k, c=2.0, decay=0.8))
    assert words == GAUSSIAN.law.words(0.8, "=")
    assert kind == "made_up" and value == pytest.approx(0.8)
    assert through == {"decay": 0.6}
    np.testing.assert_allclose(turned, GAUSSIAN.sigma(k, c=2.0, decay=0.6), rtol=1e-5)


@pytest.mark.parametrize("name", BASES)
def test_the_browser_has_the_functions_of_a_basis(javascript, name):
    body = (
        "const { constant, evaluate } = c.basisOf(name), first = constant ? 0 : 1;"
        "return x.map((x) => k.map((k) => evaluate(x, k + first)))"
    )
    x = (np.arange(8) + 0.3) / 8
    found = javascript("design", body, name=name, x=x.tolist(), k=[*range(9)])
    np.testing.assert_allclose(found, BASES[name].functions(x, 9), atol=1e-12)


def test_a_table_of_activations_without_one_is_an_error_that_names_it():
    from explorer.families import ACTIVATIONS, check_activations

    table = dict.fromkeys(ACTIVATIONS)
    check_activations(table, "here")
    for name in ACTIVATIONS:
        with pytest.raises(TypeError, match=f"here: {name} must"):
            check_activations({other: None for other in table if other != name}, "here")
    with pytest.raises(TypeError, match="here: swish must"):
        check_activations(table | {"swish": None}, "here")


def test_the_browser_has_every_activation():
    from explorer.families import ACTIVATIONS

    script = (ROOT / "explorer/ui/components/attention/model.js").read_text("utf-8")
    table = script.split("const ACTIVATIONS = {")[1].split("};")[0]
    assert tuple(line.split(":")[0].strip() for line in table.strip().splitlines()) == ACTIVATIONS
