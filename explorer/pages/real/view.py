"""Real attention: how many terms the couplings of real models hold, and what k of them answer.

The numbers are shipped (`reproduce fig2` and `rank-cut`), those of the user's own models were
measured when these were brought: no model is loaded for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from explorer.pages.real.view_look import Gauge, Look, model_of
from explorer.pages.real.view_words import rise, shipped_kinds
from explorer.pretrained.catalogue import Pretrained, Says
from explorer.pretrained.own import CUTS as OWN_CUTS
from explorer.pretrained.own import SPECTRA as OWN_SPECTRA
from explorer.pretrained.seen import Seen
from explorer.pretrained.spectra_file import Spectra, of_one_input, unpack
from explorer.runs.home import models
from explorer.slow import pd
from explorer.views.sweeps import ASSETS
from explorer.views.text import number, spread

GAUGES: tuple[Gauge, Gauge] = ("raw", "centred")
SPECTRA, CUTS = ASSETS / "real-fig2.npz", ASSETS / "real-rank-cut.csv"
NEAR = 1.1  # times its own measure: as good as whole
LEAST = 1e-6  # of a distance between answers: rounding below it
ANSWERS: dict[Says, str] = {
    "token": "perplexity",
    "map": "squared error ÷ variance of the map",
    "vector": "1 − cosine to its own vector",
    "class": "1 − cosine to its own logits",
}


@lru_cache(maxsize=1)
def shipped() -> dict[str, Spectra]:
    """The spectra of all models."""
    return unpack(SPECTRA.read_bytes())


@lru_cache(maxsize=1)
def shipped_cuts() -> pd.DataFrame:
    """A row for each model, input, gauge and k, as `reproduce rank-cut` writes them."""
    return pd.read_csv(CUTS)


def spectra_of(model: Pretrained) -> Spectra:
    """The spectra of a model: shipped, or measured when it was brought."""
    return _own_spectra(models() / model.folder, model.name) if model.own else shipped()[model.name]


@lru_cache(maxsize=2)
def _own_spectra(folder: Path, name: str) -> Spectra:
    return unpack((folder / OWN_SPECTRA).read_bytes())[name]


def curve_of(model: Pretrained) -> pd.DataFrame:
    """What a model answers with k terms, as `cut_curve` has it."""
    return cut_curve(_cuts_of(model))


def _cuts_of(model: Pretrained) -> pd.DataFrame:
    cuts = pd.read_csv(models() / model.folder / OWN_CUTS) if model.own else shipped_cuts()
    return cuts[cuts["model"] == model.name]


def kinds_of(model: Pretrained) -> pd.DataFrame:
    """The cuts of a language model text by text: of the six shipped kinds, or of what the user's
    own was measured with, whose texts have numbers for names."""
    return _cuts_of(model).rename(columns={"input": "kind"}) if model.own else shipped_kinds()


def ranks(spectra: Spectra, gauge: Gauge) -> np.ndarray:
    """99 % ranks in a gauge: (input, layer, head)."""
    return spectra.raw_rank if gauge == "raw" else spectra.centred_rank


def deviation(values: np.ndarray) -> np.ndarray:
    """The standard deviation over the inputs, the first axis; NaN where there is one alone."""
    return values.std(0, ddof=1) if len(values) > 1 else np.full(values.shape[1:], np.nan)


def rank_table(models: Mapping[str, Spectra]) -> pd.DataFrame:
    """A row for each head: means over the inputs of its 99 % rank, their spread, and the rank of
    its weights. Layers and heads count from 0."""
    parts = []
    for name, spectra in models.items():
        layers, heads = spectra.weights_rank.shape
        layer, head = np.divmod(np.arange(layers * heads), heads)
        columns = {"model": name, "layer": layer, "head": head}
        for gauge in GAUGES:
            values = ranks(spectra, gauge).reshape(-1, layers * heads)
            columns |= {gauge: values.mean(0), f"{gauge}_sd": deviation(values)}
        parts.append(pd.DataFrame(columns | {"weights": spectra.weights_rank.ravel()}))
    return pd.concat(parts, ignore_index=True)


def layer_table(models: Mapping[str, Spectra]) -> pd.DataFrame:
    """A row for each layer and kind: the mean 99 % rank of its heads, with the lowest and the
    highest head. Layers count from 1."""
    rows = []
    for name, group in rank_table(models).groupby("model", sort=False):
        for layer, heads in group.groupby("layer"):
            rows += [
                {
                    "model": name,
                    "layer": layer + 1,
                    "kind": kind,
                    "rank": heads[column].mean(),
                    "low": heads[column].min(),
                    "high": heads[column].max(),
                }
                for kind, column in KINDS.items()
            ]
    return pd.DataFrame(rows)


KINDS = {"coupling": "raw", "coupling, centred": "centred", "weights alone": "weights"}
"""What a 99 % rank is of, and its column."""


def head_table(choice: Look, spectra: Spectra) -> pd.DataFrame:
    """The heads of a model for a map: layer and head from 1, rank, its spread over the inputs."""
    table = rank_table({choice.model: spectra})
    return pd.DataFrame(
        {
            "layer": table["layer"] + 1,
            "head": table["head"] + 1,
            "rank": table[choice.gauge],
            "spread": table[f"{choice.gauge}_sd"],
            "weights": table["weights"],
        }
    )


def spectrum_table(choice: Look, spectra: Spectra) -> pd.DataFrame:
    """How σ_k / σ_1 is spread over inputs, and over heads where all are shown: k, series, median,
    quartiles and extremes; the weights beside the couplings."""
    coupling = spectra.raw if choice.gauge == "raw" else spectra.centred
    if choice.one:
        layer, head = choice.one
        values, weights = coupling[:, layer, head], spectra.weights[layer, head][None]
    else:
        values, weights = (each.reshape(-1, each.shape[-1]) for each in (coupling, spectra.weights))
    parts, names = [], ("low", "lower", "median", "upper", "high")
    for series, sigma in (("coupling", values), ("weights alone", weights)):
        quantiles = np.quantile(sigma, [0, 0.25, 0.5, 0.75, 1], axis=0)
        columns = {"series": series, "k": np.arange(1, sigma.shape[-1] + 1)}
        parts.append(pd.DataFrame(columns | dict(zip(names, quantiles, strict=True))))
    return pd.concat(parts, ignore_index=True)


def cut_curve(cuts: pd.DataFrame) -> pd.DataFrame:
    """Over the inputs of a model: the median of its measure against k, the lowest and the highest
    input, how many these are, its own value; for each gauge."""
    grouped = cuts.groupby(["model", "centred", "k"], sort=False)
    curve = grouped["value"].agg(middle="median", low="min", high="max", inputs="count")
    curve = curve.reset_index()
    own = grouped["own"].median().reset_index()["own"]
    gauges = curve["centred"].map({False: "raw", True: "centred"})
    return curve.assign(own=own, gauge=gauges).drop(columns="centred")


def enough(curve: pd.DataFrame, name: str, gauge: Gauge) -> int:
    """The least k of those tried from which on the language model's perplexity is near its own, or
    another model's distance from itself below a hundredth."""
    rows = curve[(curve["model"] == name) & (curve["gauge"] == gauge)].sort_values("k")
    near = rows["middle"] <= (NEAR * rows["own"] if model_of(name).says == "token" else 0.01)
    beyond = rows["k"][~near]
    last = min(beyond.max() if len(beyond) else -1, rows["k"].max() - 1)
    return int(rows["k"][rows["k"] > last].min())


def rank_sentences(name: str, spectra: Spectra, own: bool = False) -> tuple[str, str]:
    """The mean 99 % rank of a model over heads and inputs; its extremes, and that centred and of
    the weights. `own`: of the reader's own input."""
    model = model_of(name)
    raw, centred, weights = (
        number(float(each.mean()))
        for each in (spectra.raw_rank, spectra.centred_rank, spectra.weights_rank)
    )
    each = spectra.raw_rank.mean((1, 2))
    where = f" on your {model.reads}" if own else ""
    by = "" if own else f"By {model.reads} it is {spread(each.min(), each.max())}. "
    return (
        f"{model.title}: {raw} of {model.width} terms hold 99 % of a coupling{where}.",
        f"{by}Without what softmax cannot see it is {centred}; the weights alone need {weights}.",
    )


def cut_sentence(name: str, curve: pd.DataFrame) -> str:
    """What a model answers with k terms of every coupling, and how that is measured."""
    model, k = model_of(name), enough(curve, name, "raw")
    measure = "" if model.says == "token" else f", {ANSWERS[model.says]}"
    cut = f"with {k} of {model.width} terms of every coupling"
    return f"{model.title}: {cut} {cut_answer(name, curve, 'raw', k)}{measure}"


def cut_answer(name: str, curve: pd.DataFrame, gauge: Gauge, k: int) -> str:
    """What is answered with so many terms: the median and the extremes over the inputs."""
    token = model_of(name).says == "token"
    rows = curve[(curve["model"] == name) & (curve["gauge"] == gauge)].set_index("k")
    value = number(float(rows["middle"][k]), 3 if token else 2)
    value += f" ({spread(rows['low'][k], rows['high'][k])})"
    if token:
        return f"its perplexity is {value}, its own {number(float(rows['own'][k]), 3)}"
    return f"its answer is {value} from its own"


def cuts_told(choice: Look, curve: pd.DataFrame, k: int) -> str:
    """What the model answers with k terms, or the nearest number that was tried: of a language
    model how its perplexity rises, text by text."""
    tried = curve[curve["gauge"] == choice.gauge]["k"]
    tried = tried[tried > 0]
    k = int(tried.iloc[np.abs(np.log(tried / k)).argmin()])
    others = f", on other {choice.pretrained.reads}s," if choice.own_input else ""
    with_k = f"With {k} {'term' if k == 1 else 'terms'}"
    if choice.pretrained.says != "token":
        return f"{with_k}{others} {cut_answer(choice.model, curve, choice.gauge, k)}."
    return f"{with_k} {rise(kinds_of(choice.pretrained), choice.gauge, k)}."


@dataclass(frozen=True)
class RealView:
    """What the page says of a choice."""

    choice: Look
    verdict: str
    spectra: Spectra
    """Of the shipped inputs, or of the reader's own."""
    inputs: str
    """What these are."""
    heads: pd.DataFrame
    spectrum: pd.DataFrame
    layers: pd.DataFrame
    curve: pd.DataFrame
    """Of the inputs that the model was measured on, never of the reader's own."""
    k: int
    """Where the answer is read off."""
    shown: str
    """Whose spectrum is drawn."""
    own: bool
    """Whether the spectra are of the reader's own text or picture."""

    @property
    def cut_inputs(self) -> str:
        """What the answers with k terms are of."""
        return f"{self.curve['inputs'].iloc[0]} {self.choice.pretrained.reads}s"


def real_view(choice: Look, own: Seen | None = None) -> RealView:
    """Numbers, tables and sentences of what is chosen; `own` is what the model did with the
    reader's own text or picture, once that is known."""
    spectra, name = spectra_of(choice.pretrained), choice.model
    inputs = f"{len(spectra.raw)} {choice.pretrained.reads}s"
    if own is not None:
        spectra, inputs = of_one_input(own.sigma, spectra), f"your {choice.pretrained.reads}"
    curve = curve_of(choice.pretrained)
    k = min(choice.k or max(1, enough(curve, name, choice.gauge)), choice.pretrained.width)
    return RealView(
        choice,
        verdict(choice, spectra, curve, k, own is not None),
        spectra,
        inputs,
        head_table(choice, spectra),
        spectrum_table(choice, spectra),
        layer_table({name: spectra}),
        curve,
        k,
        f"layer {choice.one[0] + 1}, head {choice.one[1] + 1}" if choice.one else "all heads",
        own is not None,
    )


def verdict(choice: Look, spectra: Spectra, curve: pd.DataFrame, k: int, own: bool = False) -> str:
    """The model's answer to the page's question, with k terms; of one head where one is chosen."""
    if choice.one is None:
        first, more = rank_sentences(choice.model, spectra, own)
        return f"{first}\n\n{more} {cuts_told(choice, curve, k)}"
    layer, head = choice.one
    ranks_of_it = (each[:, layer, head] for each in (spectra.raw_rank, spectra.centred_rank))
    raw, centred = (spread(each.min(), each.max()) for each in ranks_of_it)
    where = (
        f"your {choice.pretrained.reads}"
        if own
        else f"{len(spectra.raw)} {choice.pretrained.reads}s"
    )
    return (
        f"Head {head + 1} of layer {layer + 1} holds 99 % of its coupling on {where} in {raw} of "
        f"{choice.pretrained.width} terms.\n\nCentred it needs {centred}; its weights alone would "
        f"need {spectra.weights_rank[layer, head]}."
    )
