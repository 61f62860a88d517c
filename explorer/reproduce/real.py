"""Figure 2 on three real models, and what they answer with k terms of their couplings."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from explorer.charts import LIGHT
from explorer.pages.real import view
from explorer.pages.real import view_budget as real_budget
from explorer.pages.real.chart import beside, cut_chart, rank_chart
from explorer.pretrained import spectra_file
from explorer.pretrained.catalogue import MODELS
from explorer.reproduce.request import Request, check
from explorer.runs.files import write_durably
from explorer.runs.home import models as models_folder

INPUTS = {"smollm2": 6, "vit": 20, "minilm": 6}
QUICK_INPUTS = {"smollm2": 2, "vit": 3, "minilm": 3}
TOKENS = 128
CUT_INPUTS, QUICK_CUT_INPUTS = {"smollm2": 6, "vit": 8, "minilm": 6}, QUICK_INPUTS
CUT_TOKENS = 96
HEADS = (6, 40, (1, 4, 16), (1e-4, 3e-4, 1e-3, 3e-3, 1e-2))
"""Of heads that are cut one by one: inputs, tokens, k, and what a head alone may add where each has
its own k. Half an hour on one core."""
TERMS = (0, 1, 2, 4, 8, 12, 16, 24, 32)
QUICK_TERMS = (1, 4, 16)
PRINTED = {
    (
        "smollm2",
        "raw",
    ): "12.8 19.1 15.6 22.2 24.0 20.4 17.7 20.5 19.1 24.6 21.1 19.6 15.5 16.1 16.4 "
    "17.3 15.4 13.2 12.4 12.4 11.2 14.4 14.9 9.4 10.1 15.7 13.0 16.9 17.7 17.8",
    ("vit", "raw"): "1.4 9.4 8.2 4.8 13.6 11.9 7.2 9.3 7.9 6.2 6.1 2.3",
    ("vit", "centred"): "9.2 22.2 15.7 14.5 22.2 19.7 12.8 12.7 12.3 9.0 7.8 5.3",
    ("minilm", "raw"): "20.5 15.9 13.2 12.2 12.0 9.8",
}
"""99 % ranks by layer, of an earlier measurement on other texts and the same kind of pictures."""
PERPLEXITY = {1: 868.0, 2: 521.0, 4: 278.0, 8: 63.0, 12: 40.0, 16: 35.0}
PERPLEXITY_CENTRED = {1: 440.0, 2: 334.0, 4: 224.0, 8: 64.0, 12: 39.0, 16: 35.0}
OWN_PERPLEXITY = 36.2
SENTENCES = (real_budget.sentence, real_budget.budget_sentence)
SOURCE = "an earlier measurement, on other texts"
NOTES = [
    "The matrices are those before softmax and before the causal mask; the mask leaves entries "
    "free, so that a causal head needs no more terms than are counted here.",
    "Centred: without the mean of each row, which softmax cannot see. The paper's figure is raw.",
    "The paper shows the first head of ViT-B/16, whose weights are not to be had without its hub.",
]


def figure_2(request: Request) -> dict[str, Any]:
    """Spectra of couplings over inputs: 99 % ranks of every head of three models."""
    from explorer.pretrained.measure import spectra  # imports torch

    inputs = QUICK_INPUTS if request.quick else INPUTS
    measured = {
        name: spectra(models_folder(), name, count, TOKENS) for name, count in inputs.items()
    }
    by_model = {name: model_spectra for name, (model_spectra, _) in measured.items()}
    beyond = {name: ratio for name, (_, ratio) in measured.items()}
    table = view.rank_table(by_model)
    write_durably(request.out / "fig2.npz", spectra_file.pack(by_model))
    title = "Figure 2: terms that hold 99 % of a coupling, over inputs"
    panels = {
        MODELS[name].title: rank_chart(view.layer_table({name: model_spectra}), LIGHT)
        for name, model_spectra in by_model.items()
    }
    files = request.written("fig2", table, beside(panels), title, _inputs(inputs))
    printed = _ranks_beside(table)
    return {
        "printed": printed,
        "checks": _rank_checks(table, printed, beyond),
        "notes": NOTES,
        "text": [" ".join(view.rank_sentences(name, by_model[name])) for name in by_model],
        "files": sorted(["fig2.npz", *files]),
    }


def _ranks_beside(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Mean 99 % ranks of layers beside those of the earlier measurement."""
    rows = []
    for (name, gauge), numbers in PRINTED.items():
        ours = table[table["model"] == name].groupby("layer")[gauge].mean()
        rows += [
            {
                "model": name,
                "quantity": f"99 % rank, {gauge}",
                "layer": layer,
                "measured": float(ours[layer]),
                "printed": float(number),
                "source": SOURCE,
            }
            for layer, number in enumerate(numbers.split())
        ]
    return rows


def _rank_checks(
    table: pd.DataFrame, printed: list[dict[str, Any]], beyond: dict[str, float]
) -> list[dict[str, Any]]:
    checks = [
        check("greatest σ_{m_h+1} / σ_1", ratio, most=1e-6, model=name)
        for name, ratio in beyond.items()
    ]
    for (name, quantity), rows in pd.DataFrame(printed).groupby(["model", "quantity"], sort=False):
        ours, theirs = rows["measured"], rows["printed"]
        what, ratio = (
            f"{quantity}, mean of the layers ÷ the earlier one",
            ours.mean() / theirs.mean(),
        )
        checks.append(check(what, ratio, between=(0.9, 1.1), model=name))
        what = f"{quantity}, correlation over the layers with the earlier one"
        checks.append(check(what, np.corrcoef(ours, theirs)[0, 1], least=0.9, model=name))
    later = table[(table["model"] == "smollm2") & (table["layer"] > 0)]
    what = "99 % rank of W_QᵀW_K ÷ that of the coupling, from the second layer on"
    ratio = later["weights"].mean() / later["raw"].mean()
    return [*checks, check(what, ratio, least=2.5, model="smollm2")]


def _panels(curve: pd.DataFrame, names: Iterable[str]) -> Any:
    """A panel for each model."""
    says = {name: view.ANSWERS[MODELS[name].says] for name in names}
    rows = {name: curve[curve["model"] == name] for name in names}
    return beside({MODELS[n].title: cut_chart(rows[n], says[n], LIGHT) for n in names})


def _inputs(inputs: Mapping[str, int]) -> str:
    """How many inputs each model was given."""
    return "; ".join(f"{MODELS[name].title}: {count} inputs" for name, count in inputs.items())


def _tolerances(request: Request, names: Iterable[str]) -> dict[str, Any]:
    """How far the heads of each model can be cut, written as a file, too."""
    from explorer.pretrained.tolerance import tolerance

    losses = {name: tolerance(models_folder(), name, *HEADS) for name in names}
    write_durably(request.out / "rank-cut.npz", spectra_file.pack_tolerance(losses))
    return losses


def rank_cut(request: Request) -> dict[str, Any]:
    """The answers of three models whose couplings keep k terms, raw and centred."""
    from explorer.pretrained.measure import cuts

    inputs = QUICK_CUT_INPUTS if request.quick else CUT_INPUTS
    terms = QUICK_TERMS if request.quick else TERMS
    rows = [
        row
        for name, count in inputs.items()
        for row in cuts(models_folder(), name, count, CUT_TOKENS, (*terms, MODELS[name].width))
    ]
    table = pd.DataFrame(rows)
    losses = {} if request.quick else _tolerances(request, inputs)
    curve = view.cut_curve(table)
    title = "Answers of three models with k terms of every coupling"
    files = request.written("rank-cut", table, _panels(curve, inputs), title, _inputs(inputs))
    return {
        "printed": _cuts_beside(curve),
        "checks": _cut_checks(table, curve),
        "notes": [*NOTES[:2], "Perplexities depend on the text: compare them with their own."],
        "text": [
            *(view.cut_sentence(name, curve) for name in inputs),
            *(says(name, tolerance) for says in SENTENCES for name, tolerance in losses.items()),
        ],
        "files": [*files, *(["rank-cut.npz"] if losses else [])],
    }


def _cuts_beside(curve: pd.DataFrame) -> list[dict[str, Any]]:
    """Perplexity of k terms, in times the whole model's, beside the earlier measurement."""
    rows = []
    for gauge, numbers in (("raw", PERPLEXITY), ("centred", PERPLEXITY_CENTRED)):
        answers = curve[(curve["model"] == "smollm2") & (curve["gauge"] == gauge)].set_index("k")
        rows += [
            {
                "model": "smollm2",
                "quantity": f"perplexity ÷ own, {gauge}",
                "k": k,
                "measured": float(answers["middle"][k] / answers["own"][k]),
                "printed": number / OWN_PERPLEXITY,
                "source": SOURCE,
            }
            for k, number in numbers.items()
            if k in answers.index
        ]
    return rows


def _cut_checks(table: pd.DataFrame, curve: pd.DataFrame) -> list[dict[str, Any]]:
    answers = curve[curve["model"] == "smollm2"].set_index(["gauge", "k"])
    own = float(answers["own"].iloc[0])
    raw, centred = (answers["middle"][gauge] for gauge in ("raw", "centred"))
    text = table[(table["model"] == "smollm2") & (table["k"] == MODELS["smollm2"].width)]
    widths = {name: model.width for name, model in MODELS.items()}
    others = table[(table["model"] != "smollm2") & (table["k"] == table["model"].map(widths))]
    of_all = (text["value"] / text["own"] - 1).abs().max()
    others_off = others["value"].abs().max()
    of_others = "ViT and MiniLM with all terms: greatest distance from themselves"
    of_model: dict[str, Any] = {"model": "smollm2"}
    return [
        check("perplexity with all terms ÷ own, less 1, greatest", of_all, most=1e-5, **of_model),
        check(of_others, others_off, most=1e-5),
        check("perplexity at k = 16 ÷ own", raw[16] / own, most=1.15, **of_model),
        check("perplexity at k = 1 ÷ own", raw[1] / own, least=5, **of_model),
        check("perplexity at k = 1, centred ÷ raw", centred[1] / raw[1], most=0.9, **of_model),
    ]
