"""Runs that the reader's own browser trains: where the reader wants to train, and what a run there
begins with.

Such a run is of the settings shown and belongs to the browser, which keeps it (components/here/);
the address calls it "here", and nobody else has it.
"""

import base64
import gzip
import time
from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any
from urllib.parse import urlencode

import numpy as np
import streamlit as st

from explorer.coupling import Designed
from explorer.coupling.leading import NODES, leading
from explorer.engine import EngineError, layer_of, settings_of
from explorer.engine.home import WASM
from explorer.engine.settings import Settings
from explorer.hosting.visitors import WordError
from explorer.models.named import shapes
from explorer.runs.database import StoreError
from explorer.spec import CouplingSpec, SweepSpec, amended, compact, full_json, spec_id
from explorer.spec.fields import WIDEST
from explorer.targets import example_inputs
from explorer.targets.fixed import EVALUATION, KEPT_EVALUATION
from explorer.theory.design import Design
from explorer.ui import address, controls, registry, shown, specs
from explorer.ui.callbacks import uninterrupted
from explorer.ui.components import HERE as COMPONENTS
from explorer.ui.components import modules
from explorer.ui.shown import Offer
from explorer.ui.shown_run import HERE

BROWSER, SERVER = "in this browser", "on the server"
FIELD, LONGEST_WORD = "class word", 40
WHERE, PRESSED = "where to train", "trained here"
COOKIE = {"name": "explorer-trains", "value": "here"}
"""While the browser is chosen, or, on a public server, the server is not (components/page/)."""


def is_chosen() -> bool:
    """Whether the reader wants to train in the browser; on a public server as long as they have
    not said otherwise, and who has no word always."""
    if registry.standing() != "in":
        return True
    if WHERE not in st.session_state:
        has_cookie = st.context.cookies.get(COOKIE["name"]) == COOKIE["value"]
        st.session_state[WHERE] = has_cookie != registry.is_public()
    return st.session_state[WHERE]


def is_asked() -> bool:
    """Whether the address names the run of this browser."""
    return address.param("run") == HERE


def choice(why: str) -> None:
    """The two places; why the browser cannot train what is shown, "" where it can. Who may not
    train on the server is asked for a word."""
    if registry.standing() != "in":
        ask_for_a_word()
        return
    where, places = BROWSER if is_chosen() else SERVER, [BROWSER, SERVER]
    controls.draw(st.segmented_control, "where", where, "Train", places, on_change=_choose)
    if is_chosen() and why:
        st.caption(f"These settings are trained on the server: {why}.")


def ask_for_a_word(place: str = "menu") -> None:
    """The field for a class word, one for each `place` of a page, and why the last word that was
    typed there lets nobody in."""
    key = f"{FIELD} {place}"
    st.text_input(
        "Have a word?",
        key=key,
        max_chars=LONGEST_WORD,
        width=320,
        on_change=_enter,
        args=(key,),
        help="A class word from your lecturer: with it you train on the server, too, and runs and "
        "uploads are kept there. Without it you train in this browser.",
    )
    if problem := st.session_state.pop(f"{key} refused", None):
        st.error(problem)


def was_refused(place: str) -> bool:
    """Whether the last word that was typed there let nobody in, which is to be said."""
    return f"{FIELD} {place} refused" in st.session_state


@uninterrupted
def _enter(key: str) -> None:
    """Take a place of the word that was typed; what is trained next is trained on the server."""
    word, why = st.session_state[key], ""
    if not word.strip():
        return
    try:
        registry.enter(word)
    except (WordError, StoreError) as problem:
        why = str(problem)
    _entered(key, why)


@uninterrupted
def _entered(key: str, why: str) -> None:
    """The field is empty at last: who begins anew once more has nothing to enter."""
    if why:
        st.session_state[f"{key} refused"] = why
    else:
        st.session_state[WHERE] = False
    st.session_state[key] = ""


@uninterrupted
def _choose() -> None:
    if where := st.session_state["where"]:  # None where the chosen one is pressed, or the menu goes
        st.session_state[WHERE] = where == BROWSER


def refusal(spec: CouplingSpec) -> str:
    """Why a browser cannot train a specification; "" where it can."""
    if spec.known:
        return "a browser trains all parts of Eq. 8, and knows none of them"
    if spec.stop == "rest":
        return "a browser takes all steps, and does not look whether the loss rests"
    try:
        settings_of(spec, specs.design(spec).coupling)
    except (EngineError, *specs.REFUSED) as error:
        return str(error)
    return ""


@uninterrupted
def press() -> None:
    """Train what is shown in the browser, which the next drawing of the page tells it."""
    st.session_state[PRESSED] = time.time()


@uninterrupted
def begin() -> None:
    """The same of the settings, as a run that the address names."""
    press()
    address.set_params(run=HERE, at=None)
    st.session_state["started"] = True


def offer(design: Design) -> Offer:
    """What a browser needs to train a design: the header and arrays that components/here takes.

    numbers as the kernel has them; the example tokens (τ,); nodes u (N_u,), v (N_v,) and weights
    w_u, w_v of a quadrature; left, the leading functions √w φ_k (K, N_u) of the centred POD there,
    and right, √w ψ_k (K, N_v), where they are not those of the bases, which the kernel knows.
    Raises EngineError, see `engine.settings_of`.
    """
    settings, numbers = settings_of(design.spec, design.coupling)
    spec = amended(design.spec, engine="wasm")
    header = {
        **_shared(spec),
        "id": spec_id(spec),
        "spec": full_json(spec),
        "address": f"train?{urlencode({'spec': compact(design.spec), 'run': HERE})}",
        "label": design.coupling.label,
        "m_h": spec.m_h,
        "wide": spec.at(1).m_h,
        "started_until": spec.started_until,
        "layers": [[name, layer_of(spec, name), *shape] for name, shape in shapes(spec).items()],
        "settings": base64.b64encode(bytes(settings)).decode(),
    }
    tied, arrays = _looked_at(design)
    tokens = example_inputs(spec.tau)
    return {**header, "tied": tied}, {"numbers": numbers, "tokens": tokens, **arrays}


def offer_in_files(design: Design, offered: Callable[[Design], Offer] = offer) -> bool:
    """Whether a browser can train it, as then every file of the page does, by what is `offered`."""
    can = not refusal(design.spec)
    shown.note(offer=partial(offered, design) if can else None)
    return can


def watched(design: Design) -> Offer:
    """The same where the reader may change spectrum and width before, and takes no run home: where
    these stand in the settings, in bytes. Raises as `offer`."""
    header, arrays = offer(design)
    run_fields = {"spec", "address", "label", "layers"}  # of a run that is taken home
    needed = {name: value for name, value in header.items() if name not in run_fields}
    spec = design.spec
    places = {name: getattr(Settings, name).offset for name in ("m_h", "terms")}
    more = {"places": places, "head_start": spec.head_start, "widest": WIDEST}
    return {**needed, **more, **engine("watched")}, arrays


def asked(design: Design) -> Offer:
    """The same for the page that is shown: also when Train was pressed, in seconds."""
    header, arrays = offer(design)
    return {**header, "start": pressed()}, arrays


def _shared(spec: CouplingSpec) -> dict[str, Any]:
    """What all models of a page begin with."""
    return {
        "steps": spec.steps,
        "sequences": spec.sequences,
        "evaluated": [KEPT_EVALUATION, EVALUATION],
        "remedies": " or ".join(spec.remedies()),
        **engine(),
    }


def offer_of_sweep(sweep: SweepSpec, designs: Mapping[tuple, Design]) -> Offer:
    """What a browser needs to train a sweep: its models, and beside the example tokens (τ,) of each
    target, by its place in `designs` (by α and rank), numbers, nodes and weights as `offer` has
    them. Raises EngineError.
    """
    places = {key: i for i, key in enumerate(designs)}
    arrays = {"tokens": example_inputs(sweep.tau)}
    members = []
    for given in sweep.members():
        member, key = amended(given, engine="wasm"), (given.alpha, given.rank)
        settings, numbers = settings_of(member, designs[key].coupling)
        arrays[f"numbers {places[key]}"] = numbers
        members.append(
            {
                "id": spec_id(member),
                "cell": {"alpha": member.alpha, "rank": member.rank, "m_ff": member.m_ff},
                "m_h": member.m_h,
                "seed": member.seed,
                "target": places[key],
                "wide": member.at(1).m_h,
                "started_until": member.started_until,
                "settings": base64.b64encode(bytes(settings)).decode(),
            }
        )
    for key, design in designs.items():
        at = design.decomposition().quadrature(NODES)
        nodes = {"u": at.u, "v": at.v, "w_u": at.wu, "w_v": at.wv}
        arrays |= {f"{name} {places[key]}": values for name, values in nodes.items()}
    return {**_shared(sweep.members()[0]), "id": spec_id(sweep), "members": members}, arrays


def pressed() -> float:
    """When Train was pressed for the browser, in seconds; 0 before."""
    return st.session_state.get(PRESSED, 0)


def _looked_at(design: Design) -> tuple[list[bool], dict[str, np.ndarray]]:
    """By what a learned coupling is compared with the designed one; see analysis/couplings.py."""
    decomposition = design.decomposition()
    at = decomposition.quadrature(NODES)
    first = leading(decomposition, at)
    arrays = {"u": at.u, "v": at.v, "w_u": at.wu, "w_v": at.wv}
    coupling = design.coupling  # whose leading functions may be the first ones of its bases
    if not (isinstance(coupling, Designed) and np.all(np.diff(coupling.sigma) <= 0)):
        arrays |= {"left": _shortened(first.left.T), "right": _shortened(first.right.T)}
    return first.tied.tolist(), arrays


def _shortened(values: np.ndarray) -> np.ndarray:
    """Numbers of 12 bits, which pack better: an angle between subspaces of them is off by less than
    0.01°."""
    fraction, exponent = np.frexp(values)
    return np.ldexp(np.round(fraction * 2**12) / 2**12, exponent)


@cache
def engine(thread: str = "worker") -> dict[str, str]:
    """The kernel, and the script of the thread that runs it: a module of components/here/."""
    script = modules.bare(modules.joined(COMPONENTS / "here" / f"{thread}.js"))
    texts = {"wasm": WASM.read_bytes(), "script": script.encode()}
    packed = {name: gzip.compress(data, mtime=0) for name, data in texts.items()}
    return {"thread": thread} | {k: base64.b64encode(data).decode() for k, data in packed.items()}


def without_engine(header: Mapping[str, Any]) -> dict[str, Any]:
    """What is offered, for a file that has `scripts` of its thread."""
    return {name: value for name, value in header.items() if name not in ("wasm", "script")}


def engine_scripts(thread: str) -> str:
    """The markup of a file by which its pictures find kernel and thread."""
    texts = engine(thread)
    scripts = {"wasm": texts["wasm"], thread: texts["script"]}
    return "".join(
        f'<script>(globalThis.__explorerEngine ??= {{}}).{name} = "{text}";</script>\n'
        for name, text in scripts.items()
    )
