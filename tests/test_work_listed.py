"""Races and heads of a typed H on the Runs page: found again, opened, forgotten."""

import json

import numpy as np
import pytest
from streamlit_pages import app, opened, ran, turn, turned

from explorer.pages.order.paper import REMEMBERS
from explorer.pages.order.view_race import coupled_race_of, race_of
from explorer.pages.runs import work
from explorer.runs import jobs
from explorer.runs.store import Store
from explorer.spec import CouplingSpec, LinearSpec, compact
from explorer.targets import parse
from explorer.theory.architectures.race import Race
from explorer.theory.relation import Relation
from explorer.ui.selection import parse as selected
from explorer.views.selection import Ordering, Selection

KERNELS = [
    LinearSpec(),
    LinearSpec(tau=128, kernel="random", kernel_seed=3),
    LinearSpec(tau=64, kernel="delay", lag=37),
    LinearSpec(tau=24, kernel="power", filter=(1.0, -0.5), filter_mode="causal"),
]


@pytest.fixture
def store():
    return Store()


def ask(store, subject, kind="race"):
    return jobs.ask(store, kind, subject.id, subject.text())


def link_of(store, job):
    (found,) = [one for one in store.jobs(tuple(work.WORK)) if one.job == job]
    return work.WORK[found.kind](found)


@pytest.mark.parametrize("spec", KERNELS, ids=lambda spec: f"{spec.kernel} {spec.tau}")
@pytest.mark.parametrize("how", [(40, "parameters", False), (3, "width", True)])
def test_the_link_of_a_race_asks_for_the_same_race(store, spec, how):
    race = race_of(spec, *how)
    found = link_of(store, ask(store, race))
    there, wrong = selected(found.link["view"], Ordering)
    assert not wrong and found.page == "order"
    size = there.race_size, there.race_by, there.race_sequences
    assert race_of(parse(found.link["spec"]), *size).id == race.id


def test_the_link_of_a_race_on_a_coupling_brings_the_coupling(store):
    race = coupled_race_of(CouplingSpec(tau=6, formula="u*v"), None, 20, "parameters")
    found = link_of(store, ask(store, race))
    there = opened("order", design=compact(CouplingSpec(tau=9)))
    there = ran(brought(turn(there, "design"), found.link))
    assert found.page == "design"
    there = turned(there, "order")
    spec = parse(there.query_params["design"])
    assert coupled_race_of(spec, None, 20, "parameters").id == race.id


def brought(page, link):
    """At this link, as a press on it leaves the address."""
    for name in list(page.query_params):
        del page.query_params[name]
    for name, value in link.items():
        page.query_params[name] = value
    return page


def test_the_link_of_heads_asks_for_the_same_relationship(store):
    relation = Relation("x1*x2*x3", 3)
    found = link_of(store, ask(store, relation, "heads"))
    there, wrong = selected(found.link["view"], Selection)
    assert not wrong and found.page == "design"
    assert Relation(there.relation, there.places).id == relation.id


def test_a_link_of_defaults_opens_the_race_all_the_same(store):
    link = link_of(store, ask(store, race_of(LinearSpec(), 40, "parameters"))).link
    page = opened("order", **link)
    assert page.session_state[f"unfolded {REMEMBERS}"]
    assert not opened("order").session_state[f"unfolded {REMEMBERS}"]


def listed():
    page = app("runs")
    page.session_state[f"unfolded {work.TITLE}"] = True
    return ran(page)


def links(page):
    return [each.proto.label for each in page.get("page_link")]


def test_the_newest_is_first_what_nobody_can_read_is_named_and_one_is_forgotten(store):
    assert not [each for each in opened("runs").expander if each.label == work.TITLE]
    old = ask(store, race_of(LinearSpec(), 40, "parameters"))
    beyond = ask(store, Race(tuple(np.full(4, 2000.0).tolist())))
    strange = jobs.ask(store, "race", "strange", json.dumps({"kernel": [1, 2], "more": 1}))
    heads = ask(store, Relation("x1*x2", 2), "heads")
    for job in (old, beyond, strange, heads):
        jobs.end(store, job, "finished")
    assert [job.job for job in store.jobs(("race", "heads"))] == [heads, strange, beyond, old]
    assert [job.job for job in store.jobs(("race",), 1)] == [strange]
    page = listed()
    first, last = links(page)[-2:]
    assert first.startswith("Heads of H(x) = `x1*x2`") and "ρ = 1.0, 0.37" in last
    said = [each.value for each in page.markdown]
    assert [each.value for each in page.caption][-4:] == ["finished"] * 4
    assert f"`{strange}`" in said and f"`{beyond}`" in said
    page.button(key=f"forget {heads}").click()
    forgotten = ran(page)
    assert jobs.get(store, heads) is None and jobs.get(store, old) is not None
    assert not any("Heads of" in label for label in links(forgotten))


def test_what_is_at_work_is_not_deleted(store):
    job = ask(store, race_of(LinearSpec(), 40, "parameters"))
    page = listed()
    assert not [each for each in page.button if each.key == f"forget {job}"]
    assert "queued, 0 of …" in [each.value for each in page.caption]
