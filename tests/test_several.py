"""Couplings of tokens with more than one number: closed forms, and d = 1 by the other module."""

import io
import json
import re

import numpy as np
import pytest
from streamlit_pages import opened, ran, sentences

from explorer.coupling import FormulaError, GridError, Samples, pod
from explorer.coupling.couplings import Formula
from explorer.coupling.grid import CELLS, hat, parse_cells
from explorer.coupling.several import (
    AXES,
    SeveralDesigned,
    SeveralFormula,
    SeveralSamples,
    parse_several,
    pod_several,
    product,
    variables,
)
from explorer.families import BASES
from explorer.pages.design import several
from explorer.pages.design import view_several as view

NEAREST = {d: " - ".join(["0", *(f"(u{a} - v{a})**2" for a in range(1, d + 1))]) for d in (1, 2, 3)}


def found(text, d, centred=True):
    return pod_several(SeveralFormula(parse_several(text, d), d), centred)


@pytest.mark.parametrize("d", [2, 3])
def test_the_nearest_point_needs_one_term_more_than_numbers(d):
    """−|u − v|² without its v-means is 2u·(v − ½) − Σ(v_a² − ⅓): along every axis 2(u_a − ½)(v_a −
    ½), σ = 2/12, and a constant in u times Σ_a of v_a − v_a² − 1/6, whose variance is 1/180."""
    of = found(NEAREST[d], d)
    assert of.sigma[: d + 1] == pytest.approx([*[1 / 6] * d, np.sqrt(d / 180)], rel=1e-12)
    assert of.rank == d + 1 and of.beyond < 1e-24
    assert found(NEAREST[d], d, centred=False).rank == d + 2


@pytest.mark.parametrize("centred", [True, False])
@pytest.mark.parametrize("text", ["sin(3*u*v) + u", "exp(-(u - v)**2)"])
def test_one_number_is_the_coupling_of_one(text, centred):
    named = re.sub(r"\b([uv])\b", r"\g<1>1", text)
    one, of = pod(Formula(text), centred=centred), found(named, 1, centred)
    above = of.sigma > 1e-12
    assert of.sigma[above] == pytest.approx(one.sigma[: above.sum()], rel=1e-9, abs=1e-14)


def test_a_product_has_the_products_of_the_spectra():
    """ρ(u, v) = a(u₁, v₁) b(u₂, v₂): its σ are those of a times those of b."""
    first, second = "exp(u*v)", "cos(2*u - v)"
    sides = [pod(Formula(text)).sigma for text in (first, second)]
    of = found("exp(u1*v1) * cos(2*u2 - v2)", 2, centred=False)
    expected = np.sort(np.multiply.outer(*sides).ravel())[::-1][: len(of.sigma)]
    assert of.sigma == pytest.approx(expected, abs=1e-12)


def test_functions_are_orthonormal_and_add_up_to_rho():
    of = found("exp(-(u1 - v1)**2 - (u2 - v2)**2)", 2)
    points, weights = quadrature(20, 2)
    known = of.sigma > 1e-8
    for functions in (of.left(points)[:, known], of.right(points)[:, known]):
        assert (functions.T * weights) @ functions == pytest.approx(np.eye(known.sum()), abs=1e-7)
    rng = np.random.default_rng(0)
    u, v = rng.random((7, 2)), rng.random((9, 2))
    assert of.truncation(u, v, 40) == pytest.approx(of.whole(u, v), abs=1e-7)
    left = of.whole(points, points) - of.truncation(points, points, 3)
    assert weights @ left**2 @ weights == pytest.approx(of.tail_energy()[3], rel=1e-9)
    assert of.whole(u, points) @ weights == pytest.approx(np.zeros(7), abs=1e-13)


def quadrature(count, d, ends=(0.0, 1.0)):
    """Tensor Gauss nodes of their own, and their weights."""
    x, w = np.polynomial.legendre.leggauss(count)
    wide = np.diff(ends)[:, None]
    nodes = (np.array(ends)[:-1, None] + wide * (x + 1) / 2).ravel()
    return product([nodes] * d), product([(wide * w / 2).ravel()] * d).prod(1)


def test_what_is_exchanged_on_both_sides_changes_no_sigma():
    text = "exp(-2*(u{0} - v{0})**2 - (u{1} - v{1})**2) * u{0}"
    one, other = (found(text.format(*axes), 2).sigma for axes in ((1, 2), (2, 1)))
    assert one == pytest.approx(other, abs=1e-12)


def test_a_kink_is_found_as_far_as_the_nodes_go_and_no_further():
    """exp(−|u₁ − v₁|) has no finite rank: what more nodes still change is said."""
    of = found("exp(-abs(u1 - v1))", 2)
    exact = pod(Formula("exp(-abs(u - v))"), centred=True).sigma
    assert 1e-6 < of.error < 1e-2 and of.rank is None
    assert np.abs(of.sigma[:8] - exact[:8]).max() <= 2 * of.error


@pytest.mark.parametrize(
    ("text", "d", "says"),
    [
        ("u1 + u3", 2, "u3"),
        ("1/(u1 - u1)", 2, "not finite|inf|nan|must be finite"),
        ("log(u1 - 2)", 3, "must be finite"),
        ("+".join(f"(u1*v1)**{k}.5" for k in range(16)), 2, "µs"),
        (3, 2, "text in u1 and u2"),
    ],
)
def test_what_cannot_be_is_refused_with_its_place(text, d, says):
    with pytest.raises(FormulaError, match=says):
        parse_several(text, d)


def test_only_an_end_that_is_seen_is_a_rank():
    assert found("sin(3*u1*v2) * cos(u2)", 2).rank is None, "it falls smoothly, to rounding"
    assert found("u1*v1 + u2**2*sin(v2)", 2).rank == 2
    assert found("u1 + u2", 2).rank == 0, "softmax does not see it"


def test_points_are_those_of_all_axes():
    assert variables(2) == ("u1", "u2", "v1", "v2")
    points = product([np.array([0.0, 1.0]), np.array([0.25, 0.5])])
    assert points.tolist() == [[0, 0.25], [0, 0.5], [1, 0.25], [1, 0.5]]
    assert all(max(counts) ** d <= 576 for d, counts in AXES.items())


CUBES = [(2, 4), (3, 3)]


# Samples, and products of bases


def saved(values):
    file = io.BytesIO()
    np.save(file, values)
    return file.getvalue()


def centres(cells, d):
    return product([(np.arange(cells) + 0.5) / cells] * d)


@pytest.mark.parametrize(("d", "cells"), [(2, 5), (3, 3)])
def test_samples_are_met_at_cell_centres_and_linear_between(d, cells):
    values = np.random.default_rng(d).normal(size=(cells,) * 2 * d)
    of = SeveralSamples(parse_cells(saved(values), "rho.npy", d), d)
    at = centres(cells, d)
    np.testing.assert_allclose(of.matrix(at, at).reshape(values.shape), values, atol=1e-13)
    middle = (at[:1] + at[1:2]) / 2  # along the last axis
    expected = (of.matrix(at[:1], at) + of.matrix(at[1:2], at)) / 2
    np.testing.assert_allclose(of.matrix(middle, at), expected, atol=1e-13)


@pytest.mark.parametrize("centred", [True, False])
def test_samples_of_a_product_have_the_products_of_the_spectra(centred):
    """ρ = a(u₁, v₁) b(u₂, v₂) of samples a and b, by the other module, which knows them exactly;
    without the v-mean, where it is 0 along an axis."""
    rng = np.random.default_rng(3)
    one, two = rng.normal(size=(2, 6, 6))
    one -= (one @ hats(6))[:, None]
    values = np.einsum("ik,jl->ijkl", one, two)
    sides = [pod(Samples(each)).sigma for each in (one, two)]
    expected = np.sort(np.multiply.outer(*sides).ravel())[::-1]
    of = pod_several(SeveralSamples(values.reshape(36, 36), 2), centred)
    assert of.sigma[:20] == pytest.approx(expected[:20], rel=1e-9)


def hats(cells):
    """Integrals of the hat functions."""
    x, w = np.polynomial.legendre.leggauss(2)
    ends = np.array([0, *((np.arange(cells) + 0.5) / cells), 1])
    wide = np.diff(ends)[:, None]
    nodes = (ends[:-1, None] + wide * (x + 1) / 2).ravel()
    return (wide * w / 2).ravel() @ hat(nodes, cells)


@pytest.mark.parametrize("shape", [(3, 3, 3, 4), (23,) * 4, (3,) * 6, ()])
def test_samples_of_another_shape_are_refused(shape):
    with pytest.raises(GridError, match="4 axes of the same 2 to 22"):
        parse_cells(saved(np.ones(shape)), "rho.npy", 2)
    bad = np.zeros((2,) * 4)
    bad[1, 0, 1, 1] = np.nan
    with pytest.raises(GridError, match="row 3, column 4 is nan"):
        parse_cells(saved(bad), "rho.npy", 2)


@pytest.mark.parametrize("d", [2, 3])
def test_a_matrix_is_taken_for_its_axes(d):
    """A row for each u, a column for each v, the last number fastest, whatever the file."""
    points = 2**d
    matrix = np.arange(points**2, dtype=float).reshape(points, points)
    of_axes = parse_cells(saved(matrix.reshape((2,) * 2 * d)), "rho.npy", d)
    text = "\n".join(",".join(map(str, row)) for row in matrix).encode()
    for values in (of_axes, parse_cells(saved(matrix), "m.npy", d), parse_cells(text, "m.csv", d)):
        np.testing.assert_array_equal(values, matrix)
    for wrong in (np.ones((points, points + 1)), np.ones((points + 1, points + 1))):
        with pytest.raises(GridError, match="the last number fastest"):
            parse_cells(saved(wrong), "rho.npy", d)


WHOLE = [
    *[SeveralSamples(np.random.default_rng(d).normal(size=(k**d,) * 2), d) for d, k in CUBES],
    SeveralDesigned((1.0, 0.5, 0.25, 0.2), "legendre", "haar", 2),
    SeveralDesigned((1.0, 0.5, 0.25, 0.2), "haar", "haar", 3),
]


@pytest.mark.parametrize("centred", [True, False])
@pytest.mark.parametrize("of", WHOLE)
def test_products_have_the_spectrum_and_functions_of_the_whole_matrix(of, centred):
    """The other way to the same numbers: all values at tensor nodes."""
    ends = sorted({*of.breaks("left"), *of.breaks("right")})
    points, weights = quadrature(3, of.d, ends)
    rho, root = of.matrix(points, points), np.sqrt(weights)
    rho -= (rho @ weights)[:, None] * centred
    expected = np.linalg.svd(root[:, None] * rho * root, compute_uv=False)
    one = pod_several(of, centred)
    count = min(len(one.sigma), len(expected))
    assert one.sigma[:count] == pytest.approx(expected[:count], abs=1e-12)
    np.testing.assert_allclose(one.whole(points, points), rho, rtol=0, atol=1e-12)
    np.testing.assert_allclose(one.truncation(points, points, 64), rho, rtol=0, atol=1e-10)


@pytest.mark.parametrize("d", [2, 3])
def test_the_largest_samples_have_a_spectrum(d):
    """ρ = a(u) b(v) at all cells that are allowed: one term."""
    a, b = np.random.default_rng(d).normal(size=(2, CELLS[d] ** d))
    of = pod_several(SeveralSamples(np.outer(a, b), d), centred=False)
    assert of.rank == 1


@pytest.mark.parametrize(
    ("left", "right", "d"),
    [
        ("sine", "shifted_sine", 2),
        ("legendre", "shifted_sine", 2),
        ("legendre", "legendre", 2),
        ("legendre", "legendre", 3),
        ("sine", "shifted_sine", 3),
    ],
)
def test_a_product_of_bases_has_the_spectrum_it_is_given(left, right, d):
    sigma = tuple(0.5**k for k in range(5))
    of = pod_several(SeveralDesigned(sigma, left, right, d))
    assert of.sigma[:5] == pytest.approx(sigma, rel=1e-9) and of.rank == 5


def test_the_functions_of_a_product_are_those_of_its_axes():
    of = SeveralDesigned((1.0, 0.5, 0.25), "sine", "shifted_sine", 2)
    u, v = np.random.default_rng(0).random((2, 1, 2))
    a, b = (
        BASES[basis].functions(x[0], 2, side)
        for basis, x, side in (("sine", u, "left"), ("shifted_sine", v, "right"))
    )
    places = [(0, 0), (0, 1), (1, 0)]
    expected = sum(
        s * a[0, i] * a[1, j] * b[0, i] * b[1, j]
        for s, (i, j) in zip(of.sigma, places, strict=True)
    )
    assert of.matrix(u, v) == pytest.approx(expected)


@pytest.mark.parametrize("left", BASES)
@pytest.mark.parametrize("right", BASES)
def test_every_pair_of_bases_has_its_terms_of_three_numbers(left, right):
    """Of 64 terms too, of which a Gram matrix of all points would have 10⁹ entries and more."""
    sigma = 1 / np.arange(1.0, 65)
    of = pod_several(SeveralDesigned(tuple(sigma), left, right, 3), centred=False)
    assert of.sigma == pytest.approx(sigma, rel=1e-9)


# The page, and the command


def turned(at, **change):
    """What the component tells once a slider is let go."""
    at.session_state["slices"] = {"report": {"visit": "v", "changes": [(1, change)]}}


def test_a_link_opens_it_and_slices_and_terms_are_chosen():
    at = opened("design", view=json.dumps({"several": "u1*v1 + u2**2*v2", "several_m": 1}))
    assert not at.exception and not at.warning
    assert "A head of width 2 has room for all of it; 1 term leaves" in sentences(at)
    turned(at, several_m=2, held=0.3)
    assert "room for all of it." in sentences(ran(at))
    at.button_group(key="picture axis_u").set_value(2)
    at.text_input(key=several.FIELD).set_value("|u1 - v2| u2")
    held = json.loads(ran(at).query_params["view"])
    assert held["several"] == "abs(u1 - v2)*u2" and (held["axis_u"], held["held"]) == (2, 0.3)
    at.text_input(key=several.FIELD).set_value("u3")
    assert any("u3" in each.value for each in ran(at).warning)
    assert json.loads(at.query_params["view"]) == held


def test_a_link_of_three_numbers_that_two_cannot_have_says_so():
    of_two = opened("design", view=json.dumps({"several": "u1*v3"}))
    assert any("unknown name" in each.value for each in of_two.warning) and not of_two.exception
    of_three = opened("design", view=json.dumps({"several": "u1*v3", "numbers": 3, "axis_v": 3}))
    assert not of_three.warning and "A head of width 1 has room" in sentences(of_three)
    back = opened("design", view=json.dumps({"several": "u1*v2", "axis_v": 3}))
    assert not back.exception and not back.warning


def test_bases_of_the_design_are_multiplied_along_the_axes():
    asked = {"several_from": "bases", "numbers": 3, "several_m": 2}
    design = {"rank": 4, "spectrum": "power", "alpha": 1.0}
    at = opened("design", view=json.dumps(asked), spec=json.dumps(design))
    assert "A head of width 4 has room for all of it; 2 terms leave" in sentences(at)
    assert any("pod --d 3 --centred --design SPEC.json" in each.value for each in at.code)
    typed = opened("design", view=json.dumps(asked), spec='{"formula": "u*v"}')
    assert any("need a design by a spectrum" in each.value for each in typed.warning)


def field(at):
    (one,) = [each for each in at.get("file_uploader") if each.label == "samples of ρ"]
    return one


def test_samples_are_brought_kept_and_opened_again(tmp_path, monkeypatch):
    monkeypatch.setenv("EXPLORER_HOME", str(tmp_path))
    values = np.multiply.outer(*np.random.default_rng(4).normal(size=(2, 3, 3)))
    at = opened("design", view=json.dumps({"several_from": "file"}))
    field(at).upload("rho.npy", saved(values))
    assert "A head of width 1 has room for all of it" in sentences(ran(at))
    held = at.query_params["view"]
    assert "A head of width 1 has room" in sentences(opened("design", view=held))
    monkeypatch.setenv("EXPLORER_HOME", str(tmp_path / "other"))
    asked = json.loads(held) | {"several_grid": "0" * 64}
    missing = opened("design", view=json.dumps(asked))
    assert any("not in this store" in each.value for each in missing.warning)
    of_three = opened("design", view=json.dumps({"several_from": "file", "numbers": 3}))
    field(of_three).upload("rho.npy", saved(values))
    for _ in range(2):  # for as long as it is there
        assert any("6 axes" in each.value for each in ran(of_three).warning)
    of_three.button_group(key="picture numbers").set_value(2)
    assert "A head of width 1 has room" in sentences(ran(of_three)) and not of_three.warning
    assert not of_three.exception


def test_the_slices_are_rho_and_its_terms():
    of = view.pod_of(view.typed(view.FIRST[2], 2).coupling, True)
    shown = view.several_view(of, 3, view.Slice(1, 2, 0.25))
    whole, kept = (group["rho"] for _, group in shown.maps.groupby("coupling", sort=False))
    assert kept.to_numpy() == pytest.approx(whole.to_numpy(), abs=1e-12)
    row = shown.maps.iloc[5]
    u, v = [row["u"], 0.25], [0.25, row["v"]]
    raw = -((u[0] - v[0]) ** 2) - (u[1] - v[1]) ** 2
    mean = -sum((x - 0.5) ** 2 + 1 / 12 for x in u)
    assert row["rho"] == pytest.approx(raw - mean, abs=1e-12)
    assert shown.spectrum["part"].tolist() == ["kept"] * 3


DRAWN = """
for (const each of Object.values(arrays)) each.values = Float32Array.from(each.values);
const at = (which) => Array.from(which.values);
return places.map((place) => [
  at(c.wholeOf(arrays, place)), at(c.keptOf(arrays, place, m, rounding)),
]);
"""


@pytest.mark.parametrize(("d", "m", "axes"), [(2, 1, (1, 2)), (2, 9, (2, 2)), (3, 2, (3, 1))])
def test_the_hand_sees_the_same_slices(javascript, d, m, axes):
    """What the component makes of its arrays, at the ends and between, against `slices`."""
    asked = view.typed(view.FIRST[d] if m < 9 else "abs(u1 - v2)*u2", d)
    of = view.pod_of(asked.coupling, True)
    header, arrays = view.slices_drawing(of, asked.label, m, view.Slice(*axes, 0.33))
    assert header["places"][header["at"]] == 0.35 and header["m"] == m
    tail = of.tail_energy()
    assert header["left"][m] == pytest.approx(tail[min(m, len(tail) - 1)] / tail[0])
    sent = {
        name: {"shape": list(values.shape), "values": values.ravel().tolist()}
        for name, values in arrays.items()
    }
    places = [0, 7, 20]
    asked = {"arrays": sent, "places": places, "m": m, "rounding": header["rounding"]}
    drawn = javascript("slices", DRAWN, **asked)
    for place, maps in zip(places, drawn, strict=True):
        wanted = view.slices(of, m, view.Slice(*axes, float(view.HELD[place])))
        groups = [group["rho"].to_numpy() for _, group in wanted.groupby("coupling", sort=False)]
        for found, rho in zip(maps, groups, strict=True):
            assert np.allclose(found, rho, atol=1e-6)


def test_a_slice_without_anything_is_drawn_as_nothing():
    """Sines are 0 at ½ but for rounding."""
    of = view.pod_of(SeveralDesigned((1.0, 0.5), "sine", "shifted_sine", 2), True)
    empty, other = (view.several_view(of, 1, view.Slice(1, 1, at)) for at in (0.5, 0.3))
    assert not empty.maps["rho"].any() and "ρ is 0 in this slice" in empty.sentence
    assert other.maps["rho"].any() and "slice" not in other.sentence


def test_the_command_says_the_same(explorer):
    asked = ("pod", "--d", "2", "--centred", "--json", "--formula", NEAREST[2])
    answer = json.loads(explorer(*asked).out)
    assert answer["rank"] == 3 and answer["singular_values"][2] == pytest.approx(np.sqrt(1 / 90))
    refused = explorer("pod", "--d", "2", "--centred")
    assert refused.code and "--formula" in refused.err


def test_the_command_takes_samples_and_a_specification(explorer, tmp_path):
    file = tmp_path / "rho.npy"
    file.write_bytes(saved(np.multiply.outer(*np.random.default_rng(4).normal(size=(2, 3, 3)))))
    asked = ("pod", "--d", "2", "--json")
    assert explorer(*asked, "--grid", str(file)).json["rank"] == 1
    design = '{"rank": 3, "alpha": 1}'
    answer = explorer(*asked, "--design", design).json
    assert answer["rank"] == 3
    assert answer["singular_values"] == pytest.approx(
        explorer("pod", "--json", "--design", design).json["singular_values"]
    )
    for wrong in (("--grid", str(file), "--formula", "u1"), ("--design", '{"formula": "u*v"}')):
        assert explorer(*asked, *wrong).code == 2
    assert explorer("pod", "--d", "3", "--grid", str(file)).code == 2
