"""What was trained for the Order page beforehand: filters of each sign, and content queries."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from explorer.pages.order.view_trained import PRINTED_MSE, Trained, of_row, printed, same_target
from explorer.slow import pd
from explorer.spec import AlterableSpec, CouplingSpec, LinearSpec, amended, coupling_spec
from explorer.targets import linear_target, parse
from explorer.theory.filters import sign_evidence
from explorer.theory.linear import linear_floors
from explorer.theory.propositions import reordering_gaps
from explorer.views.sweeps import ASSETS
from explorer.views.text import floor_text, number

TABLE, TABLE_3 = (ASSETS / f"order-table{n}.csv" for n in (2, 3))
CONTENT = ASSETS / "order-prop62.csv"
FIELDS = ("kernel", "kernel_seed", "permutation", "filter", "filter_seed", "conv", "seed", "steps")
PLAIN, SIGNS = "original", ("positive filters", "signed filters")
SHIPPED = "shipped table"
TRANSFORMER, WITH = "Transformer", "Transformer with convolution"


@dataclass(frozen=True, eq=False)
class Signs:
    """Trained Transformers on filters of each sign, with and without a learnable convolution."""

    points: pd.DataFrame
    """row, model, error (1 − R²), a line each model."""
    marks: pd.DataFrame
    """row, model, mark, error: the constant."""
    line: str
    """The finding alone."""
    sentence: str
    convolution: str
    footer: str


@lru_cache(maxsize=1)
def signs() -> Signs:
    """From the rows of `reproduce table2`, as they are shipped."""
    table = pd.read_csv(TABLE)
    shown = table[table["row"].isin([PLAIN, *SIGNS]) & table["model"].isin([TRANSFORMER, WITH])]
    points = shown.assign(error=shown["nmse"])[["row", "model", "error"]]
    constant = {"model": TRANSFORMER, "mark": "constant", "error": 1.0}
    marks = pd.DataFrame([{"row": row} | constant for row in dict.fromkeys(points["row"])])
    alone = shown[shown["model"] == TRANSFORMER]
    positive, signed = (
        {int(seed): group["nmse"].tolist() for seed, group in rows.groupby("filter_seed")}
        for rows in (alone[alone["row"] == row] for row in SIGNS)
    )
    plain = alone[alone["row"] == PLAIN]["nmse"].tolist()
    evidence = sign_evidence(positive, signed, plain)
    seeds, (steps,) = sorted(alone["seed"].unique()), alone["steps"].unique()
    sentence = (
        f"After {steps} steps: {evidence.sentence} Each filter counts once, by the median of "
        f"{len(seeds)} seeds."
    )
    listed = ", ".join(map(str, seeds))
    return Signs(
        points,
        marks,
        f"{evidence.sentence.split(' (')[0]}.",
        sentence,
        _convolution(shown),
        f"trained · {steps} steps · seeds {listed} · causal filters",
    )


def _convolution(shown: pd.DataFrame) -> str:
    """What a learnable convolution in front changes, on the same filters and seeds; and |cos|
    between learned and true taps, by the sign of the filters."""
    parts, agreement = [], []
    for row in SIGNS:
        models = shown[shown["row"] == row]
        both = models.pivot_table("nmse", ["filter_seed", "seed"], "model").dropna()
        by_filter = both.groupby("filter_seed").median()
        gains = by_filter[TRANSFORMER] / by_filter[WITH]
        better = int((both[WITH] < both[TRANSFORMER]).sum())
        parts.append(
            f"{row}: 1 − R² ÷ {number(float(np.exp(np.log(gains).mean())))} in the geometric mean "
            f"over {len(gains)} filters (÷ {number(gains.min())} to {number(gains.max())}), lower "
            f"in {better} of {len(both)} trainings"
        )
        taps = models[models["model"] == WITH]["tap_agreement"]
        median = number(taps.median())
        agreement.append(f"{number(taps.min())} to {number(taps.max())}, median {median} ({row})")
    seeds = both.index.get_level_values("seed").nunique()
    each = "one seed each" if seeds == 1 else f"medians of {seeds} seeds each"
    return (
        "A learnable causal convolution of 5 taps in front, as the slides suggest, on the same "
        f"filters and seeds, {each}: " + "; ".join(parts) + ". It need not be θ that it learns: "
        f"between the taps |cos| is {' and '.join(agreement)}; the layers behind can undo what is "
        "left."
    )


def printed_rnns() -> str:
    """What the printed errors of RNNs are beside the exact floors of their targets."""
    plain = LinearSpec()
    assert plain.hidden >= plain.tau  # a unit holds a tap
    random, *orders = (
        linear_floors(linear_target(amended(plain, kernel=kernel, permutation=order)).matrix)
        for kernel, order in (("random", None), ("exponential", "block"), ("exponential", "roll"))
    )
    block, roll = (number(floors.time_invariant, 3) for floors in orders)
    mse = {key: number(value, 3) for key, value in PRINTED_MSE.items()}
    return (
        f"{mse['random', None, 'rnn']} and {mse['random', 'block', 'rnn']} are near the error "
        f"of a constant, {number(random.constant, 3)} for our random kernel: a training failure, "
        f"since a linear RNN of {plain.hidden} units represents every kernel of length "
        f"{plain.tau}. The literal block exchange leaves a time-invariant RNN {block}, so that "
        f"{mse['exponential', 'block', 'rnn']} needs another reading (a roll leaves {roll})."
    )


@lru_cache(maxsize=1)
def printed_filter() -> str:
    """Why the printed value of signed filters is no number to be reached."""
    table = pd.read_csv(TABLE)
    signed = table[(table["row"] == SIGNS[1]) & (table["model"] == TRANSFORMER)]
    medians = signed.groupby("filter_seed")["mse"].median()
    value = PRINTED_MSE["exponential", "filter", "transformer"]
    below = int((medians < value).sum())
    return (
        f"The paper's filter θ is not given, and filters differ: ours, drawn from U[−1, 1], leave "
        f"{number(medians.min())} to {number(medians.max())} (medians over seeds), {below} of "
        f"{len(medians)} less than the printed {number(value, 3)}. Their median says nothing of "
        "the paper's filter."
    )


@lru_cache(maxsize=1)
def _rows() -> tuple[Trained, ...]:
    """Every model of the shipped tables."""
    models = [each for _, each in _couplings()]
    for file in (TABLE, TABLE_3):
        table = pd.read_csv(file).replace({np.nan: None})
        for row in table.to_dict("records"):
            model = "rnn" if row["model"] == "RNN" else "transformer"
            spec = LinearSpec(model=model, **{name: row[name] for name in FIELDS})
            models.append(of_row(spec, row, SHIPPED))
    return tuple(models)


def _couplings() -> Iterator[tuple[CouplingSpec, Trained]]:
    for row in pd.read_csv(CONTENT).to_dict("records"):
        spec = coupling_spec(parse(row["spec"]))
        yield spec, Trained("transformer", row["mse"], row["nmse"], SHIPPED, spec)


def trained(spec: AlterableSpec) -> list[Trained]:
    """The models of the shipped tables that learned just this target."""
    return [each for each in _rows() if same_target(each.spec, spec)]


@lru_cache(maxsize=1)
def tables() -> pd.DataFrame:
    """Tables 2 and 3: measured medians beside what is printed, with what nothing gets below."""
    lines = []
    for name, file in (("2", TABLE), ("3", TABLE_3)):
        table = pd.read_csv(file)
        for (row, model), group in table.groupby(["row", "model"], sort=False):
            mse = group["population_mse" if model == "RNN" else "mse"]
            value = printed("exponential" if name == "2" else "random", row, model)
            lines.append(
                {
                    "table": name,
                    "inputs": row,
                    "model": model.replace(f"{TRANSFORMER} ", ""),
                    "models": len(group),
                    "MSE, median": number(float(mse.median())),
                    "1 − R²": number(float(group["nmse"].median())),
                    "printed MSE": "" if value is None else number(value, 3),
                    "time-invariant floor": floor_text(group["time_invariant_floor"].median()),
                    "any causal model": floor_text(group["causal_floor"].median()),
                }
            )
    return pd.DataFrame(lines)


def _in_order_and_reverse() -> list[list[float]]:
    """nMSE of the shipped couplings, of each seed."""
    return [
        [each.nmse for spec, each in _couplings() if bool(spec.permutation) == is_]
        for is_ in (False, True)
    ]


@lru_cache(maxsize=1)
def content_line() -> str:
    """What another order does to a coupling, in a sentence."""
    plain, turned = (number(float(np.median(side))) for side in _in_order_and_reverse())
    return (
        "Where it depends on positions only it does; where the query is content it does not: nMSE "
        f"{plain} in order, **{turned}** in reverse."
    )


@lru_cache(maxsize=1)
def content() -> str:
    """Couplings whose query is content, in their order and in reverse, and the form that holds."""
    plain, turned = _in_order_and_reverse()
    spec = next(spec for spec, _ in _couplings() if spec.permutation)
    held, changed = reordering_gaps(spec)
    return (
        "Where the coupling depends on positions only, as in Tables 2 and 3, it does. Where the "
        f"query is the content of x(t), it does not: τ = {spec.tau}, rank {spec.rank}, "
        f"c = {spec.c:g}, {spec.steps} steps, {len(plain)} seeds each: nMSE {_each(plain)} in "
        f"their order, **{_each(turned)}** in reverse. Eq. 90 of the proof equates functions of "
        r"two different tokens, $\tilde\phi_i(x(p(t)))=\phi_i(x(t))$; the token at t no longer "
        "holds its own query.\n\nWith the answers reordered, too, it holds: H(x∘p) = H(x)∘p for "
        "every coupling "
        f"of content (on 64 sequences of this one to {number(held)}, while H(x∘p) and H(x) are up "
        f"to {number(changed)} apart). Then (x∘p, H(x)∘p) are inputs and answers of the same "
        f"target, and what is learned in their order, nMSE {_each(plain)}, is learned in any."
    )


def _each(values: list[float]) -> str:
    return ", ".join(number(value) for value in values)
