"""Claims of the gallery, the glossary, the presets and the notes of Train and Rates."""

from itertools import pairwise

from explorer.claims.claim import Claim
from explorer.claims.sentences import DEFINITION
from explorer.claims.talk import PAPER, counted
from explorer.coupling import pod
from explorer.pages.design.view_gallery import GALLERY
from explorer.spec import CouplingSpec, coupling_spec
from explorer.targets import PRESETS
from explorer.theory.design import Design
from explorer.theory.sweep import groups
from explorer.views.sweeps import shipped

_GALLERY = "explorer/pages/design/view_gallery.py"
_GLOSSARY = "explorer/views/glossary.py"
_PRESETS = "explorer/targets/coupling/presets.py"
_NOTES = "explorer/pages/rates/view_notes.py"
_TRAIN = "explorer/pages/train/view.py"
_SWEEPS = "explorer/views/sweeps.py"
POD = "the POD of the entry's coupling"
RATE = f"{PAPER}, Theorem 4.1 (Eq. 17): σ_k ≤ C k^−α with α > ½"


def _spec(key: str) -> CouplingSpec:
    return next(entry.spec for entry in GALLERY if entry.key == key)


def _rank(key: str):
    """The centred rank of an entry, as a number and in words."""

    def value() -> dict[str, object]:
        rank = Design(_spec(key)).exact_rank or 0
        return {"r": rank, "terms": counted(rank)}

    return value


def _less() -> dict[str, object]:
    """The rank of Figure 1 (b)'s cliff, where it drops by less than in (a)."""
    rows = [row for row in shipped("fig1").rows if row["rank"] == _spec("fig1b-6").rank]
    drop = {group["alpha"]: group["drop_at_rank"] for group in groups(rows, "mse", "median")}
    assert drop[2.0] < drop[1.0]
    return {"r": _spec("fig1b-6").rank}


def _slopes() -> dict[str, object]:
    one, two = _spec("fig1a").alpha, _spec("fig1b").alpha
    assert two == 2 * one
    return {"times": counted(round((2 * two - 1) / (2 * one - 1))), "slope": f"{2 * two - 1:g}"}


def _mixed() -> dict[str, object]:
    before, after = (Design(_spec(key)) for key in ("d3", "d3-mixed"))
    raw = pod(before.coupling).rank
    return {"raw": raw, "before": before.exact_rank, "after": after.exact_rank}


def _halved() -> dict[str, object]:
    sigma = Design(_spec("legendre")).decomposition().sigma[:8]
    assert all(abs(a / b - 2) < 1e-9 for a, b in pairwise(sigma))
    return {"part": "halves"}


def _paper() -> dict[str, object]:
    spec = coupling_spec(PRESETS["paper"][1])
    assert spec.lr == 1e-3
    return {"batch": spec.batch}


def _shipped() -> dict[str, object]:
    sweep = shipped("fig1").sweep
    ranks = ", ".join("∞" if rank is None else str(rank) for rank in sweep.rank)
    return {"ranks": ranks, "alphas": " and ".join(f"{alpha:g}" for alpha in sweep.alpha)}


CLAIMS = (
    Claim(
        _GALLERY,
        "σ_k = 1/k cut at {r}: a head of width {r} can represent it exactly",
        "Eq. 18: a head of width r represents a coupling of rank r",
        _rank("fig1a-2"),
    ),
    Claim(
        _GALLERY,
        "with {terms} terms: the error can vanish from m_h = {r} on",
        POD,
        _rank("fig1a-6"),
    ),
    Claim(_GALLERY, "σ_k = 1/k² cut at {r}: less is lost", POD, _rank("fig1b-2")),
    Claim(_GALLERY, "the drop at m_h = {r} is less", "assets/rates-fig1.json", _less),
    Claim(_GALLERY, "Twice the α, {times} times the slope: 2α − 1 = {slope}.", RATE, _slopes),
    Claim(_GALLERY, "The paper counts rank {raw}, but the constant 1 is invisible", POD, _mixed),
    Claim(_GALLERY, "raises the centred rank from {before} to {after}", POD, _mixed),
    Claim(_GALLERY, "Every unit of width {part} the largest term left out", POD, _halved),
    Claim(
        _GALLERY,
        "Figure 1 (a) {times} times as large",
        "its c",
        lambda: {"times": counted(round(_spec("saturated").c / _spec("fig1a").c))},
    ),
    Claim(
        _GALLERY,
        "one term, {waves} oscillations",
        "its list of σ_k: the k-th sine has k",
        lambda: {"waves": len(_spec("high-frequency").sigma or ())},
    ),
    Claim(_GALLERY, "Theorem 4.1 needs α above ½ and gives no rate", RATE),
    Claim(_GALLERY, "1 + 2*sin(2*pi*u)*sin(2*pi*v)", "App. D.3"),
    Claim(_GALLERY, "1 + 2*sin(2*pi*u)*sin(2*pi*(u + v))", "App. D.3"),
    Claim(_GALLERY, "exp(2*cos(2*pi*(u - v)))", "the coupling itself, in code"),
    Claim(_GLOSSARY, "softmax cannot tell the two apart", DEFINITION),
    Claim(_GLOSSARY, "The two functions whose product is the k-th term", DEFINITION),
    Claim(
        _GLOSSARY,
        "at α = {alpha} the tenth is a {part} of the first",
        "k^−α at k = 10",
        lambda: {"alpha": 2, "part": {100: "hundredth"}[10**2]},
    ),
    Claim(_GLOSSARY, "Eq. 44–47 in the proof of Theorem 4.1 bound it", PAPER),
    Claim(_GLOSSARY, "the kind of norm in which Theorem 4.1 is stated", f"{PAPER}, Eq. 17"),
    Claim(_GLOSSARY, "Theorem 4.1, the left side of Eq. 17", PAPER),
    Claim(_GLOSSARY, "the first term of Theorem 4.1's bound falls", RATE),
    Claim(_GLOSSARY, "Theorem 4.1, Eq. 17; the dotted line of Figure 1", PAPER),
    Claim(_GLOSSARY, "Width of the two feed-forward networks", "Eq. 5: f̂ and F̂"),
    Claim(_GLOSSARY, "0° found, 90° one is missing", "angles between subspaces"),
    Claim(_GLOSSARY, "the first part of Proposition B.1", PAPER),
    Claim(_GLOSSARY, "Proposition B.1; Figures 4 to 6, (c)", PAPER),
    Claim(_GLOSSARY, "Section 6.1, Propositions 6.1 and 6.2; Section 6.2", PAPER),
    Claim(_GLOSSARY, "the distance of two tokens alone", DEFINITION),
    Claim(_GLOSSARY, "Two relative encodings with one number p", DEFINITION),
    Claim(_PRESETS, "with r = 6, one width above the rank", "the preset `train`"),
    Claim(_PRESETS, "Prop. 6.2 disagrees", "assets/order-prop62.csv: its medians, in reverse"),
    Claim(_PRESETS, "ρ = 1 + 2 sin 2πu sin 2πv", "App. D.3"),
    Claim(_PRESETS, "1 + 2*sin(2*pi*u)*sin(2*pi*(u + v))", "App. D.3"),
    Claim(_NOTES, "beside an L¹-type norm (Theorem 4.1, Figure 1)", PAPER),
    Claim(_NOTES, "half as fast as the squared one", "the root of m^−(2α−1) is m^−(α−1/2)"),
    Claim(_NOTES, "The 95 % come from the seeds", "theory/slopes.py"),
    Claim(_NOTES, "2 or 3 seeds give a wide interval, one none", "Student's t"),
    Claim(_NOTES, "at the level of 5 %), the slopes", "theory/slopes.py"),
    Claim(_NOTES, "the narrower and of the wider half of the widths", "theory/slopes.py"),
    Claim(_NOTES, "the exact tail of these 64 terms", "families/spectra.py: ∞ is cut there"),
    Claim(_NOTES, "a constant rate of 10⁻³, batches of {batch};", "the preset `paper`", _paper),
    Claim(_TRAIN, "a constant 10⁻³ and fresh batches of {batch}.", "the same", _paper),
    Claim(_SWEEPS, "Figure 1: r = {ranks} at α = {alphas}", "assets/rates-fig1.json", _shipped),
    Claim(_SWEEPS, "as in 1, 2, 4 or 1..8", "an example of the syntax"),
    Claim(_SWEEPS, "a list is written 1, 2, 4 or 1..8", "an example of the syntax"),
)
