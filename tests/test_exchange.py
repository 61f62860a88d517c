"""What a hand does last counts on both sides, whatever becomes of the messages between them."""

import pytest
from storms import OLD, OURS, Storm
from streamlit_pages import app, drawing_in, ran

SEEDS = range(60)


def weathered(javascript, monkeypatch, component, seed):
    storm = Storm(javascript, monkeypatch, component, seed)
    for _ in range(60):
        storm.act()
    storm.settle()
    storm.listens()


@pytest.mark.parametrize("seed", SEEDS)
def test_no_storm_loses_or_undoes_what_a_hand_did(javascript, monkeypatch, seed):
    weathered(javascript, monkeypatch, OURS, seed)


def test_the_condition_that_order_had_does_not_weather_them(javascript, monkeypatch):
    """The control of the test above."""
    wrecked = 0
    for seed in SEEDS:
        with monkeypatch.context() as patch:
            try:
                weathered(javascript, patch, OLD, seed)
            except AssertionError:
                wrecked += 1
    assert wrecked > len(SEEDS) / 4


@pytest.mark.parametrize(("component", "drawings"), [(OURS, 1), (OLD, None)])
def test_after_one_lost_report_the_next_drawings_count(
    javascript, monkeypatch, component, drawings
):
    """Of the old condition none did: it took no drawing any more, and repeated nothing."""
    storm = Storm(javascript, monkeypatch, component, seed=0)
    storm.to_browser.clear()
    storm.do("drag", {"a": 1})
    storm.do("release")
    storm.to_page.clear()
    seen = []
    for number in range(3):
        storm.run({"other": {"b": 10 + number}})
        storm.do("take", storm.to_browser.popleft())
        while storm.to_page:
            storm.run(storm.to_page.popleft())
        while storm.to_browser:
            storm.do("take", storm.to_browser.popleft())
        seen.append(storm.seen["value"] == storm.value and storm.value["a"] == 1)
    assert seen == [bool(drawings)] * 3


SIDE = """
const told = [];
view.setStateValue = (_, { changes }) => told.push(changes.at(-1)[1]);
view.invalidate = () => {};
view.exchange = new c.Exchange(view);
"""


def test_a_name_is_told_though_its_order_is_there_already(javascript):
    body = f"""
const view = Object.create(c.Order.prototype);
{SIDE}
const names = {{ order: "own", filter: "none" }};
const presets = {{ orders: {{ reverse: [1, 0] }}, filters: {{}} }};
Object.assign(view, {{ kernel: [1, 0.5], tau: 2, rho: {{}}, order: [1, 0], taps: null }});
Object.assign(view, {{ mode: "causal", names, header: {{ presets }}, change() {{}} }});
Object.assign(view, {{ known: view.alteration(), history: new c.History() }});
view.history.note(view.state());
view.edit(() => view.preset("order", "reverse"));
view.edit(() => view.preset("order", "original"));
return told;
"""
    assert javascript("order", body) == [{"order": "reverse"}, {"order": None}]


def test_a_hand_that_gives_back_what_it_took_hears_what_was_said_meanwhile(javascript):
    body = f"""
const view = Object.create(c.Head.prototype);
{SIDE}
Object.assign(view, {{ k: 4, known: 4, term: 1, drag: null, keep(k) {{ this.k = k; }} }});
view.hold(6);
view.exchange.answer({{ k: 9 }});
const held = view.k;
view.hold(4);
return [held, view.k, told];
"""
    assert javascript("head", body) == [6, 9, []]


def test_what_is_typed_after_a_drawing_of_before_belongs_to_the_step_that_was_added(javascript):
    body = f"""
const view = Object.create(c.Arranged.prototype);
{SIDE}
const drawing = (...steps) => ({{ steps }});
Object.assign(view, {{ subject: "a scene", drag: null, history: new c.History(), chosen: 0 }});
Object.defineProperty(view, "count", {{ get() {{ return this.now.steps.length; }} }});
view.stateIn = (told) => told;
view.adopt(drawing("one"));
view.edit(() => view.arrange(drawing("one", "another"), 1));
view.about("a scene");
const late = view.exchange.answer(drawing("one"));
const chosen = view.chosen;
view.exchange.forget();
view.exchange.answer(drawing("one"));
return [late, chosen, view.chosen];
"""
    assert javascript("steps", body) == ["late", 1, 0]


LOOKING = """
const told = [], view = Object.create(c.RunStream.prototype);
const none = { step: null, t: null };
Object.assign(view, { run: c.emptyRun(), t: null, runId: "r", knownSelection: none });
Object.assign(view, { asked: new Set(), invalidate() {}, selections: c.selectionsOf(view) });
view.setStateValue = (...each) => told.push(each);
globalThis.setTimeout = (report) => void (view.rest = report);
for (const step of [1, 2, 3]) view.run.evals.set(step, 0.5);
view.run.frame = {};
const drawn = (selection, rev) =>
  view.selections.answer(selection, { visit: view.selections.visit, rev });
"""


def test_a_step_that_is_scrubbed_to_is_not_undone_by_a_drawing_of_before(javascript):
    body = f"""{LOOKING}
view.scrub(1);
drawn(none, 0);  // another hand's, while the slider is held
const held = view.run.scrub;
view.reportSelection();
view.rest();
drawn(none, 0);  // made before the report was here, which is told again
const late = view.run.scrub;
drawn({{ step: 2, t: null }}, 1);
drawn({{ step: 1, t: null }}, 1);  // Back
return [held, late, view.run.scrub, told.map(([name, {{ changes }}]) => [name, changes])];
"""
    told = ["selection", [[1, {"run": "r", "step": 2, "t": None}]]]
    assert javascript("live", body) == [2, 2, 1, [told, told]]


def test_a_step_that_a_run_has_not_kept_is_not_looked_at(javascript):
    body = f"""{LOOKING}
for (const _ of [1, 2]) drawn({{ step: 9, t: null }}, 0);
return [view.run.scrub, told];
"""
    assert javascript("live", body) == [None, []]


@pytest.mark.usefixtures("one_thread")
@pytest.mark.parametrize(("run", "shown"), [({}, "asset-train"), ({"run": "here"}, None)])
def test_the_selection_of_a_run_is_answered_wherever_it_is_trained(run, shown):
    """One that was not would be told, and the page drawn, for ever."""
    at = app("train", **run)
    selection = {"run": shown, "step": 12, "t": 3}
    at.session_state["run picture"] = {
        "selection": {"visit": "v", "told": 1, "changes": [[1, selection]]}
    }
    drawn = drawing_in(ran(at))[0]["stream"]["selection"]
    assert drawn["answers"] == {"visit": "v", "rev": 1}
    assert ["".join(at.query_params[name]) for name in ("at", "t")] == ["12", "3"]
