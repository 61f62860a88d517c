"""Figure 3 and Table 1 for Transformers trained here: fits, spectra, words, charts, commands."""

import json

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from explorer.charts import DARK, LIGHT
from explorer.pages.real import view_labelled as labelled
from explorer.pages.real import view_table1 as view
from explorer.pages.real.chart import orders_chart
from explorer.pages.real.chart_labelled import table_chart, widths_chart
from explorer.reproduce import Request, fig3, language, table1
from explorer.runs.store import Store
from explorer.spec import NumberWordsSpec, PicturesSpec, spec_id
from explorer.targets import parse_sweep
from explorer.targets.alterations import ORDERS
from explorer.theory.labelled import (
    decay_over_seeds,
    energy_rank,
    group_lines,
    spectra_apart,
    summary,
)
from explorer.ui.controls import PAPER
from explorer.ui.pages import PAGES
from explorer.views.sweeps import Finished

M = np.array([1, 2, 3, 4, 6, 8, 12, 16])
SIGMA = 2.0 ** -np.arange(16)


def seeded(curve, noise, seeds=5):
    drawn = np.random.default_rng(0).normal(size=(seeds, len(M)))
    return curve + noise * drawn


def test_a_decay_with_a_floor_is_found_again():
    found = decay_over_seeds(M, seeded(0.8 * M**-1.0 + 0.3, 0.002))
    assert found.told and found.b_ci[0] <= 1.0 <= found.b_ci[1]
    assert found.a == pytest.approx(0.8, abs=0.02) and found.c == pytest.approx(0.3, abs=0.02)
    np.testing.assert_allclose(found.at(M), 0.8 / M + 0.3, atol=0.01)


@pytest.mark.parametrize(
    "curve, noise", [(0.5 + 0 * M, 0.02), (0.5 + 0.01 * M, 0.002), (0.01 / M + 0.5, 0.02)]
)
def test_noise_a_rise_and_a_fall_within_noise_are_no_decay(curve, noise):
    assert not decay_over_seeds(M, seeded(curve, noise)).told


def test_a_decay_of_few_seeds_or_widths_is_not_told():
    errors = seeded(1.0 / M + 0.1, 1e-3, seeds=2)
    assert decay_over_seeds(M, errors).b_ci is None and not decay_over_seeds(M, errors).told
    assert decay_over_seeds(M[:3], errors[:, :3]) is None
    with pytest.raises(ValueError, match="must be finite"):
        decay_over_seeds(M, errors[:, :3])


def test_energy_rank_counts_what_holds_99_percent():
    assert energy_rank([1.0]) == 1 and energy_rank([1.0, 1.0, 1.0]) == 3
    assert energy_rank([10.0, 1.0, 0.1]) == 1 and energy_rank([9.0, 1.0, 0.1]) == 2


def rows_of(curve, noise=0.002, spectrum=lambda m, seed: SIGMA[:m]):
    errors = seeded(curve, noise)
    return [
        {
            "seed": seed,
            "m_h": int(m),
            "permutation_seed": 0,
            "status": "finished",
            "training_cross_entropy": float(errors[seed, i]),
            "cross_entropy": float(errors[seed, i] + 0.1),
            "accuracy": 0.9,
            "sigma": [*map(float, spectrum(m, seed))],
        }
        for seed in range(5)
        for i, m in enumerate(M)
    ]


def viewed(rows):
    sweep = parse_sweep({"target": "pictures", "m_h": M.tolist(), "seed": [0, 1, 2, 3, 4]})
    return labelled.widths(Finished(sweep, tuple(rows)))


def test_spectra_that_converge_are_said_to_from_where_they_do():
    def spectrum(m, seed):
        return SIGMA[:m] * (1 + 0.02 * np.cos(seed + np.arange(m)))

    rows = rows_of(1 / M, spectrum=spectrum)
    apart, noise = spectra_apart(rows, M.tolist(), range(5))
    assert apart[-1] == 0 and apart[0] > 10 * noise > apart[-2]
    found = viewed(rows)
    assert labelled.converged(found.group) == 8  # 2⁻⁶ is left out there, 2⁻⁷ of it at 8
    assert found.sentences[1].startswith("From m_h = 8 on the spectra are no farther")


def test_the_width_from_which_on_no_terms_are_added_is_named():
    found = viewed(rows_of(1 / M))  # of 4⁻ᵏ four terms hold 99 %
    assert labelled.enough(found.group) == 3
    assert (
        "4.0 terms hold 99 % of Σσₖ² at m_h = 16, and about as many from m_h = 3"
        in (found.sentences[1])
    )
    full = viewed(rows_of(1 / M, spectrum=lambda m, seed: np.ones(m)))
    assert labelled.enough(full.group) == 16 and "as many" not in full.sentences[1]


def test_where_wider_heads_are_worse_the_words_say_so():
    found = viewed(rows_of(0.1 + 0.01 * M))
    assert (
        found.sentences[0].startswith("No power law")
        and "the widest heads err more" in found.sentences[0]
    )


def test_spectra_that_go_on_changing_are_said_to():
    rows = rows_of(1 / M, spectrum=lambda m, seed: m * (1 + 0.001 * seed) * SIGMA[:m])
    assert labelled.converged(viewed(rows).group) is None
    assert "have not converged" in viewed(rows).sentences[1]


def test_a_law_is_said_with_its_interval_beside_the_papers():
    found = viewed(rows_of(0.8 / M + 0.3))
    assert found.sentences[0].startswith("It falls like m_h^−b + c with b = 1.0 (95 %: ")
    assert "1/m_h^0.27 + 1.05 in the paper" in found.sentences[0] and len(found.fit)


def test_where_there_is_no_law_the_words_say_so():
    found = viewed(rows_of(0.4 + 0 * M, noise=0.02))
    assert found.sentences[0].startswith("No power law: the training error is 0.4")
    assert "within the noise" in found.sentences[0] and found.fit.empty


def test_a_model_that_diverged_leaves_its_seed_out():
    rows = rows_of(1 / M)
    rows[3]["status"] = "diverged"
    sweep = parse_sweep({"target": "pictures", "m_h": M.tolist(), "seed": [0, 1, 2, 3, 4]})
    group = summary(sweep, rows)["groups"][0]
    assert group["seeds"] == 4 and len(group["training"]) == len(M)
    assert len(group_lines([group])) == len(M) and "m_h = 16" in group_lines([group])[-1]


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_charts_draw_every_seed_and_width(palette):
    found = viewed(rows_of(0.8 / M + 0.3))
    drawn = widths_chart(found.spectra, found.errors, found.band, found.fit, palette).to_dict()
    tables = [len(rows) for rows in drawn["datasets"].values()]
    assert sorted(tables) == sorted([len(found.spectra), 40, 8, 100])
    drawn = table_chart(view.shares(table_of()), palette).to_dict()
    assert sorted({row["how"] for row in next(iter(drawn["datasets"].values()))}) == [
        "measured",
        "printed in the paper",
    ]


# Table 1


def table_of(same=0.1, tuned=0.85, gap=1e-14, moved=0.9):
    right = {
        view.ORIGINAL: 0.9,
        view.SAME: same,
        view.MOVED: moved,
        view.TUNED: tuned,
        view.SCRATCH: 0.89,
    }
    return pd.DataFrame(
        [
            {"data": data, "row": row, "seed": seed, "accuracy": value}
            | ({"gap": gap} if row == view.MOVED else {})
            for data in view.DATA
            for row, value in right.items()
            for seed in (0, 1)
        ],
        columns=view.COLUMNS,
    )


def test_table_1_is_said_and_stands_beside_what_is_printed():
    cells = view.cells(table_of()).set_index(["data", "row"])
    assert cells.loc[(view.PICTURES, view.TUNED), "printed"] == 0.96
    assert cells.loc[(view.WORDS, view.ORIGINAL), "printed"] == 26.85
    assert cells["printed"].notna().sum() == 4
    assert "0.98 and 0.96 altered, a BLEU of 26.85 and 25.91;" in view.printed()
    shares = view.shares(table_of()).set_index(["data", "row", "how"])["share"]
    assert shares[view.WORDS, view.TUNED, "printed in the paper"] == pytest.approx(25.91 / 26.85)
    said = view.sentence(table_of(), view.PICTURES)
    assert said.startswith("0.900 of the pictures are right (mean and extremes of ")
    assert "permuted under the same weights 0.100" in said
    assert "no logit moves by more than 1.0·10⁻¹⁴" in said


@pytest.mark.parametrize(
    "broken, what",
    [
        ({"same": 0.89}, "lost by another order"),
        ({"tuned": 0.5}, "still lost after more training"),
        ({"gap": 1e-3}, "largest change of a logit"),
        ({"moved": 0.8}, "answers that it changes"),
    ],
)
def test_each_check_of_table_1_can_fail(broken, what):
    assert all(check["holds"] for check in table1.checks(table_of(), quick=False))
    missed = [c for c in table1.checks(table_of(**broken), quick=False) if not c["holds"]]
    assert len(missed) == 2 and all(what in check["what"] for check in missed)


def test_each_check_of_figure_3_can_fail():
    good = viewed(rows_of(0.1 / M + 0.1))
    assert all(check["holds"] for check in fig3.checks(good, False))
    unlearned = viewed(rows_of(0.8 / M + 0.3))
    assert [check["holds"] for check in fig3.checks(unlearned, False)] == [False, True]
    full = viewed(rows_of(0.1 / M, spectrum=lambda m, seed: np.ones(m)))
    assert [check["holds"] for check in fig3.checks(full, False)] == [True, False]


def test_the_command_trains_what_table_1_needs(explorer, tmp_path, monkeypatch):
    """Tiny models in the place of both: every row, and exit 1 for what does not hold."""
    small = {"n": 6, "d_v": 3, "m_h": 2, "m_ff": 8, "batch": 4, "warmup": 2}
    monkeypatch.setattr(table1, "TRAINED_ON", 4)

    def tiny(request, data):
        plain = {"target": "number_words", "permutation": "roll", "seed": [0], **small}
        altered = [(3, 3), (5, 3), (3, 0)]
        seed = {"seed": [int(data == view.WORDS)]}
        return [
            parse_sweep(plain | seed | {"steps": steps, "original_steps": before})
            for steps, before in altered
        ]

    monkeypatch.setattr(table1, "sweeps", tiny)
    found = explorer("reproduce", "table1", "--out", str(tmp_path), "--json")
    assert found.code == 1 and "checks do not hold" in found.err
    made = pd.read_csv(tmp_path / "table1.csv")
    assert [*made.columns] == view.COLUMNS and set(made["row"]) == {*view.ROWS} and len(made) == 10
    assert made[made["row"] == view.MOVED]["gap"].max() < 1e-6
    summary = json.loads((tmp_path / "summary.json").read_text())["figures"]["table1"]
    assert len(summary["printed"]) == 10 and len(summary["checks"]) == 10
    assert (tmp_path / "table1.svg").stat().st_size > 1000


def test_the_command_draws_figure_3(explorer, tmp_path, monkeypatch):
    sweep = parse_sweep(
        {"target": "number_words", "m_h": [1, 2, 3, 4], "seed": [0, 1], "steps": 3}
        | {"n": 6, "d_v": 3, "m_ff": 8, "batch": 4, "warmup": 2}
    )
    monkeypatch.setitem(fig3.PICTURES_SWEEPS, "fig3-quick", ("", sweep))
    found = explorer("reproduce", "fig3", "--quick", "--out", str(tmp_path))
    assert found.code == 1 and "largest training error" in found.out
    assert len(pd.read_csv(tmp_path / "fig3.csv")) == 8
    assert len(pd.read_csv(tmp_path / "fig3-spectra.csv")) == 1 + 2 + 3 + 4
    assert "number words, 2 seeds, 3 steps" in found.out


def test_table_1_is_trained_in_the_order_that_is_asked_for(tmp_path):
    for order, name, seed in (("reverse", "reverse", 0), ("random:7", "random", 7)):
        request = Request(Store(), tmp_path, order=order)
        members = [
            spec
            for data in view.DATA
            for each in table1.sweeps(request, data)
            for spec in each.members()
        ]
        assert {(spec.permutation, spec.permutation_seed) for spec in members} == {(name, seed)}
    plain = table1.sweeps(Request(Store(), tmp_path), view.WORDS)
    assert all(each.permutation == "roll" for each in plain)


@pytest.mark.parametrize(
    ("name", "order", "why"),
    [
        ("table1", "sideways", "known are block, roll, reverse, random"),
        ("table1", "roll:2", "known are"),
        ("table1", "random:x", "known are"),
        ("fig1", "reverse", "of table1 alone"),
        ("all", "random:7", "of table1 alone"),
    ],
)
def test_an_order_that_is_none_is_refused(explorer, tmp_path, name, order, why):
    out = tmp_path / "out"
    found = explorer("reproduce", name, "--order", order, "--out", str(out))
    assert found.code != 0 and why in found.err and not out.exists()


# What is shipped


def test_shipped_figure_3_says_what_its_rows_say():
    found = labelled.shipped()
    assert found.group["seeds"] == 5 and found.sentences[0].startswith("No power law")
    assert found.errors["training"].max() < np.log(10) / 5
    assert (found.spectra.groupby("m_h")["k"].max() == found.group["m_h"]).all()
    assert all(check["holds"] for check in fig3.checks(found, False))


def test_shipped_table_1_holds():
    table = view.shipped()
    assert set(table["row"]) == {*view.ROWS} and set(table["data"]) == {*view.DATA}
    assert all(check["holds"] for check in table1.checks(table, quick=False))
    for line in table.to_dict("records"):
        kind = {view.PICTURES: PicturesSpec, view.WORDS: NumberWordsSpec}[line["data"]]
        assert spec_id(kind.model_validate_json(line["spec"])) == line["spec_id"]


def test_the_shipped_language_model_minds_its_neighbours_and_not_the_order_of_what_is_moved():
    table = view.shipped_language()
    assert all(check["holds"] for check in language.order_checks(table))
    assert (table.groupby("text")["original"].nunique() == 1).all(), "one text, one number"
    broken = table.assign(moved=table["moved"] * 1.01, permuted=table["original"])
    assert sum(not check["holds"] for check in language.order_checks(broken)) == 2
    drawn = orders_chart(view.by_order(table), LIGHT).to_dict()
    assert {row["order"] for row in next(iter(drawn["datasets"].values()))} == {
        "as written",
        *ORDERS,
    }


def test_the_page_of_real_attention_shows_both():
    at = AppTest.from_file("../explorer/ui/shell.py", default_timeout=60)
    figure = "Figure 3: error and spectra against the width of the heads"
    for title in (PAPER, figure, table1.TITLE):
        at.session_state[f"unfolded {title}"] = True
    at.switch_page(str(PAGES["real"].file)).run()
    assert not at.exception
    said = "\n".join(caption.value for caption in at.caption)
    assert "No power law: the training error is" in said and "no logit moves by more than" in said
    assert "of 6 texts: a perplexity of 30.2 (17 to 37) as they were written" in said
    assert {"python -m explorer reproduce fig3 --out fig3"} <= {code.value for code in at.code}
