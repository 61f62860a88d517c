"""Appendix B.1: what representations share, and the three tasks of Figures 4 to 6."""

from functools import cache, partial
from itertools import pairwise
from typing import Any

import numpy as np

from explorer.paper.item import Found, Section, at, least
from explorer.paper.rates import ATTENTION, draw, head, layers, tokens
from explorer.runs import archive
from explorer.spec import amended, compact, task_spec
from explorer.targets import PRESETS, softmax, task_of
from explorer.targets.tasks.selection import EQ_65, EQ_66
from explorer.views.sweeps import ASSETS
from explorer.views.text import number

SECTION = Section("Appendix B: examples of the form")
GRAVITY = at("attention", spec=compact(PRESETS["cog"][1]))
SELECTION = at("attention", spec=compact(PRESETS["qsa"][1]))
PAIR = at("attention", run="asset-attention-cog-adam-plain")


@cache
def outcome(name: str) -> dict[str, Any]:
    """What the shipped head of a task was measured to do."""
    return dict(archive.read(ASSETS / f"attention-{name}.zip").row.outcome)


def figure(name: str) -> Found:
    """Whether the shipped head looks where the task says, and F̂∘f̂ is F∘f."""
    metrics = outcome(name)
    right, off = metrics["agreement"], metrics["value_error"]
    shown = f"{100 * right:.1f} %, F∘f {number(off)}, R² {metrics['r2']:.4f}"
    return Found("99 % of rows right, F∘f to 10⁻³", shown, right > 0.99 and off < 1e-3)


@SECTION.item(
    "Proposition B.1 (1)", "If H₁ = H₂, then F₁∘f₁ = F₂∘f₂: put in a constant.", ATTENTION
)
def constants() -> Found:
    trained, token = head("cog"), tokens("cog")[0, :1]
    off = trained.respond(np.repeat(token, 10, axis=0))[0] - trained.value_map(token)
    return least("Ĥ(x, …, x) = F̂(W_V f̂(x))", off, 1e-6)


@SECTION.item(
    "Proposition B.1 (2)", "By hard-max, with F∘f injective, H tells where ρ is largest.", ATTENTION
)
def hard() -> Found:
    """A shipped head at temperature 0: its answers name the tokens it looks at."""
    trained, x = head("nearest"), tokens("nearest")[0]
    y, attention = trained.respond(x, temperature=0)
    values = trained.value_map(x)
    told = np.linalg.norm(y[:, None] - values[None], axis=-1).argmin(-1)
    right = float((told == attention.argmax(-1)).mean())
    return Found("read off the answers of a head", f"{100 * right:.0f} % of rows", right == 1)


@SECTION.item(
    "Proposition B.1 (3)",
    "By softmax for unbounded ρ, and in practice: yet heads may answer alike and look elsewhere.",
    PAIR,
    "differs",
    "without-aux",
)
def soft() -> Found:
    one, other = outcome("cog-adam"), outcome("cog-adam-plain")
    looks = [100 * metrics["agreement_points"] for metrics in (one, other)]
    shown = f"R² {one['r2']:.4f}, {other['r2']:.4f}; right {looks[0]:.0f} %, {looks[1]:.0f} %"
    return Found("two heads of one R² look alike", shown, abs(looks[0] - looks[1]) < 5)


@SECTION.item(
    "Eq. 53",
    "F̂(W_V f̂(x) · σ[(W_Q f̂)ᵀ W_K f̂]), σ by columns; after Eq. 5 it is (W_K f̂)ᵀ W_Q f̂.",
    SELECTION,
    "slip",
)
def matrices() -> Found:
    """Tokens as columns, beside the head's own pass."""
    trained, x = head("qsa"), tokens("qsa")[0]
    w, y = trained.weights, trained.respond(x)[0].T
    f = np.stack([layers(trained, "f", token) for token in x], axis=1)
    q, k, v = (w[name] @ f for name in ("W_Q", "W_K", "W_V"))
    off = []
    for logits in (q.T @ k, k.T @ q):
        columns = v @ softmax(np.exp(w["lambda"]) * logits.T).T
        answered = np.stack([layers(trained, "F", column) for column in columns.T], axis=1)
        off.append(float(np.abs(answered - y).max()))
    computed = f"off by {number(off[0])}, with K first {number(off[1])}"
    return Found("the same as Eq. 5", computed, off[0] < 1e-5, off[1] < 1e-5)


@SECTION.item("Eq. 54–56", "y(t) = arg min_v |u_t − v|: hard-max of −|u − v|.", ATTENTION)
def nearest() -> Found:
    x = tokens("nearest", 200)
    u, v = x[..., :2], x[..., 2:]
    far = np.linalg.norm(u[:, :, None] - v[:, None], axis=-1)
    y = np.take_along_axis(v, far.argmin(-1)[..., None], axis=1)
    return least("by search", task_of(head("nearest").spec).answer(x) - y)


@SECTION.item(
    "Eq. 55, text", "ρ = |u − v|; it must be −|u − v|, or the farthest is found.", ATTENTION, "slip"
)
def sign() -> Found:
    x = tokens("nearest", 50)
    far = np.linalg.norm(x[:, :, None, :2] - x[:, None, :, 2:], axis=-1)
    ideal = task_of(head("nearest").spec).attention(x).argmax(-1)
    same = [float(((s * far).argmax(-1) == ideal).mean()) for s in (1, -1)]
    computed = f"{100 * same[0]:.0f} % of rows, with − {100 * same[1]:.0f} %"
    return Found("largest |u − v| is the nearest", computed, same[0] == 1, same[1] == 1)


SECTION.item(
    "Figure 4", "The head looks at the nearest point; F∘f is the identity.", ATTENTION, slow="fig4"
)(partial(figure, "nearest"))


@SECTION.item(
    "Eq. 57–62", "A prediction token's y is the norm of its segment's centre of gravity.", GRAVITY
)
def gravity() -> Found:
    task = task_of(head("cog").spec)
    x = task.example()
    y, asks = task.answer(x)[:, 0], [0, 4, 10]
    for first, last in pairwise(asks):
        segment = x[first + 1 : last]
        y[first] -= np.linalg.norm((segment[:, 2:3] * segment[:, :2]).sum(0) / segment[:, 2].sum())
    y[[1, 2, 3, 5, 6, 7, 8, 9]] -= np.linalg.norm(x[[1, 2, 3, 5, 6, 7, 8, 9], :2], axis=-1)
    return least("masses by hand, segments of 3 and 5", y)


@SECTION.item(
    "Figure 5, tokens", "Segments of 3 and 5, asked by x(0) and x(5); it is x(4).", GRAVITY, "slip"
)
def asking() -> Found:
    task: Any = task_of(head("cog").spec)
    asks = np.flatnonzero(task.predicts(task.example())).tolist()
    return Found("x(0) and x(5) ask", f"{asks}", asks == [0, 5], asks == [0, 4])


SECTION.item("Figure 5", "Weights within segments; F∘f is the norm.", GRAVITY, slow="fig5")(
    partial(figure, "cog")
)


@SECTION.item("Eq. 63, 65", "qSA: y(t) is the mean of k chosen vectors; an example.", SELECTION)
def selection() -> Found:
    """The example of Eq. 65, τ = k = 3, by its own numbers."""
    task: Any = task_of(amended(task_spec(PRESETS["qsa"][1]), tau=3))
    v = draw(3, 2)
    wanted = np.stack([2 * v[0] + v[1], v.sum(0), 3 * v[2]]) / 3
    off = task.answer(task.tokens(v, EQ_65)) - wanted
    return least("(2v₁ + v₂, v₁ + v₂ + v₃, 3v₃)/3", off)


@SECTION.item(
    "Eq. 64",
    "ρ in {0, 1/k, …, 1}: the weights after softmax are; for k = 3 the text says ½, ⅔.",
    SELECTION,
    "slip",
)
def levels() -> Found:
    task = task_of(head("qsa").spec)
    weights = np.unique(task.attention(tokens("qsa", 200)).round(9))
    as_said, thirds = (
        bool(np.isin(weights, np.round(levels, 9)).all())
        for levels in ([0, 1 / 2, 2 / 3, 1], [0, 1 / 3, 2 / 3, 1])
    )
    return Found("{0, ½, ⅔, 1}", ", ".join(number(x) for x in weights), as_said, thirds)


@SECTION.item(
    "Eq. 66",
    "y(1), y(3), y(6) rest on one input, y(0), y(2) on two, the others on three.",
    SELECTION,
)
def indices() -> Found:
    counts = [len(set(row)) for row in EQ_66]
    task: Any = task_of(head("qsa").spec)
    seen = (task.attention(task.example()) > 0).sum(-1).tolist()
    return Found("one, two, three inputs", f"{seen}", seen == counts == [2, 1, 2, 1, 3, 3, 1, 3])


SECTION.item(
    "Figure 6", "The matrix recovers the chosen; F∘f is the identity.", SELECTION, slow="fig6"
)(partial(figure, "qsa"))
