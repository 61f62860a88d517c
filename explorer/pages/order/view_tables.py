"""The pictures of the Order page as tables: what its component draws, from what it is given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from explorer.pages.order.view_trained import PRINTED, THIS
from explorer.pages.runs.view import signature
from explorer.runs.record import Record
from explorer.slow import pd
from explorer.targets import LinearTarget
from explorer.targets.alterations import Alteration
from explorer.theory.linear import LinearFloors, linear_floors
from explorer.views import pictures
from explorer.views.pictures import entries, stacked

MODELS = {"rnn": "linear RNN", "transformer": "Transformer"}
ROWS = ("target: x(t)", "model: x(p(t))")
FLOORS = {
    "causal": "any causal model",
    "time_invariant": "time-invariant",
    "constant": "a constant",
}
THETA, TAPS_HAT, SCALED = "θ", "learned", "learned, up to sign and scale"
RHO, BEST, KERNEL_HAT = "ρ", "best time-invariant k", "learned k̂"
K, K_HAT = "K", "learned K̂"
Y, Y_HAT = "y", "ŷ"
EVERY = "every model"
KEPT = ("mse", "nmse", "seed", "steps", "hidden", "conv", "source")
"""What is told of a trained model."""
COMPUTED, TRAINED = "computed", "trained"


@dataclass(frozen=True, eq=False)
class Shown:
    """What the page shows: the header of its component, and the run that it follows."""

    header: Mapping[str, Any]
    """Of `views.order.drawing`."""
    record: Record | None = None
    step: int | None = None
    """The kept picture looked at; None is the last one."""

    @property
    def picture(self) -> Mapping[str, np.ndarray]:
        """What the run has learned by then, where it learns just this target."""
        if self.record is None or not self.header["same"]:
            return {}
        return pictures.picture(self.record, self.step) or {}

    @property
    def target(self) -> LinearTarget | None:
        """None of a coupling."""
        header = self.header
        altered = Alteration(header["tau"], header["order"], header["taps"], header["mode"])
        return None if header["kernel"] is None else LinearTarget(tuple(header["kernel"]), altered)

    @property
    def floors(self) -> LinearFloors | None:
        return self.target and linear_floors(self.target.matrix)

    def footer(self, learned: bool) -> str:
        """Specification, and the run whose learned side a picture has; else what it comes from."""
        spec = f"spec {self.header['spec']}"
        if not learned or self.record is None:
            return f"{spec} · {COMPUTED}, not {TRAINED}"
        run = signature([self.record.row], pictures.picture_step(self.record, self.step))
        other = f"{spec} · learned: " if self.record.row.spec_id != self.header["spec"] else ""
        return f"{other}{run}"


def tokens(shown: Shown) -> pd.DataFrame:
    """token, row (the target's x(t), above, or the model's x(p(t))), place t, moved."""
    tau = shown.header["tau"]
    order = shown.header["order"] or tuple(range(tau))
    seen = dict(zip(order, range(tau), strict=True))
    return pd.DataFrame(
        [
            {"token": p, "row": row, "place": place, "moved": seen[p] != p}
            for p in range(tau)
            for row, place in zip(ROWS, (p, seen[p]), strict=True)
        ]
    )


def taps(shown: Shown) -> pd.DataFrame:
    """s, tap, what: θ (1 at s = 0 where there is no filter), and the taps learned by the run shown
    or that beside it, as they are and in the sign and scale that is nearest to θ."""
    theta = np.array(shown.header["taps"] or (1.0,))
    beside = shown.header["beside"] or {}
    learned = shown.picture.get("taps", beside.get("taps"))
    sides = {THETA: theta}
    if learned is not None:
        learned = np.array(learned, float)
        size = min(len(theta), len(learned))
        dotted = float(learned[:size] @ theta[:size])
        sides |= {TAPS_HAT: learned, SCALED: learned * dotted / float(learned @ learned)}
    return _stems(sides, "tap")


def kernels(shown: Shown) -> pd.DataFrame:
    """s, value, what: ρ before it is altered, the best kernel after it, the learned one."""
    assert shown.floors is not None, "a coupling has no kernel"
    sides = {RHO: shown.header["kernel"], BEST: shown.floors.kernel}
    if (learned := shown.picture.get("kernel_hat")) is not None:
        sides[KERNEL_HAT] = learned
    return _stems(sides, "value")


def answers(shown: Shown) -> pd.DataFrame:
    """t, value, what: y and ŷ of a coupling on the example; empty before anything is trained."""
    picture = shown.picture
    sides = {Y: picture["answer"], Y_HAT: picture["predicted"]} if "answer" in picture else {}
    return _stems(sides, "value").rename(columns={"s": "t"})


def _stems(sides: Mapping[str, ArrayLike], column: str) -> pd.DataFrame:
    arrays = {what: np.asarray(side, float) for what, side in sides.items()}
    return stacked(
        "what", {what: {"s": range(len(side)), column: side} for what, side in arrays.items()}
    )


def maps(shown: Shown) -> pd.DataFrame:
    """t, s, value, what: K of y = K x̃ and what has been learned of it; of a coupling the learned
    attention on the example."""
    target, picture = shown.target, shown.picture
    learned = {K: target.matrix, K_HAT: picture.get("matrix_hat")} if target else None
    sides = learned or {"attention": picture.get("attention")}
    there = {what: side for what, side in sides.items() if side is not None}
    return stacked("what", {what: entries(side, "t", "s", "value") for what, side in there.items()})


def errors(shown: Shown) -> pd.DataFrame:
    """what, how (computed, trained or printed), model, mse, nmse; of trained models also seed,
    steps, hidden, conv and source. A constant is the floor of every model, the others are an
    RNN's."""
    floors = shown.floors
    lines: list[dict[str, Any]] = [
        {
            "what": what,
            "how": COMPUTED,
            "mse": getattr(floors, name, None),
            "nmse": getattr(floors, name) / floors.constant if floors else 1.0,
            "model": EVERY if name == "constant" else MODELS["rnn"],
        }
        for name, what in FLOORS.items()
        if floors or name == "constant"
    ]
    for each in shown.header["trained"]:
        how = PRINTED if each["source"] == PRINTED else TRAINED
        lines.append(
            {"what": _kind(each), "how": how, "model": MODELS[each["model"]]}
            | {name: each[name] for name in KEPT}
        )
    return pd.DataFrame(lines, columns=["what", "how", "model", *KEPT])


def _kind(trained: Mapping[str, Any]) -> str:
    if trained["source"] in (PRINTED, THIS):
        return trained["source"]
    return "with convolution" if trained["conv"] else TRAINED


def learning(shown: Shown) -> pd.DataFrame:
    """step, error (> 0, in units of Var(y)), curve: of the run shown, and of that beside it."""
    if shown.record is None:
        return pd.DataFrame()
    curves = [pictures.curve_table(shown.record)]
    if beside := shown.header["beside"]:
        step, error = zip(*beside["evals"], strict=True)
        curves.append(pd.DataFrame({"step": step, "error": error, "curve": beside["label"]}))
    return pd.concat(curves, ignore_index=True)
