"""A component and a page that change one value together, over a way that delays, loses and repeats.

The component's side is the browser's own exchange in Node, the page's the one in Python. A message
that is lost is carried by no other one, which is harder than Streamlit, whose messages repeat what
all components said last.
"""

import random
from collections import deque
from contextlib import suppress
from types import SimpleNamespace

from explorer.ui import exchange

KEY, FIELDS = "picture", "abc"

COMPONENT = """
class Component {
  constructor() {
    Object.assign(this, { value: {}, own: {}, held: false, told: [] });
    this.exchange = new Exchange(this);
  }
  setStateValue(_, report) { this.told.push(structuredClone(report)); }
  adopt({ value }) { this.value = { ...value }; this.own = {}; }
  holding() { return this.held; }
  drag(change) {
    this.held = true;
    for (const each of [this.own, this.value]) Object.assign(each, change);
  }
  release() {
    this.held = false;
    const change = this.own;
    if (Object.keys(change).length) this.exchange.report(change);
    else this.exchange.settle();
    this.own = {};
  }
  take(drawing) { this.exchange.answer(drawing, drawing.answers); }
}
const deeds = {
  mount: () => (globalThis.component = new Component()),
  hold: (it) => (it.held = true),
  drag: (it, change) => it.drag(change),
  release: (it) => it.release(),
  take: (it, drawing) => it.take(drawing),
};
deeds[deed](globalThis.component, given);
const { value, own, held, exchange, told } = globalThis.component;
const { visit, unanswered } = exchange;
return { value, own, held, told: told.splice(0), visit, unanswered };
"""

OURS = f"const {{ Exchange }} = c; {COMPONENT}"

OLD = f"""
class Exchange {{ // as order.js had it
  visit = "";
  rev = 0;
  answered = 0;
  unanswered = [];
  constructor(side) {{ this.side = side; }}
  report(change) {{
    this.rev += 1;
    this.side.setStateValue("report", {{ visit: "", changes: [[this.rev, change]] }});
  }}
  settle() {{}}
  answer(drawing, {{ rev }}) {{
    const late = rev < this.rev && this.answered < this.rev;
    if (late || this.side.holding()) return;
    this.rev = this.answered = rev;
    this.side.adopt(drawing);
  }}
}}
{COMPONENT}
"""


class CutShort(Exception):
    """The next change came before the script of the page was done."""


class Storm:
    """`act` one after the other, then `settle`; an AssertionError says what hand was wronged."""

    def __init__(self, javascript, monkeypatch, component, seed):
        self.call = lambda deed, given=None: javascript(
            "reorder", component, deed=deed, given=given
        )
        self.session, self.chance = {}, random.Random(seed)
        monkeypatch.setattr(exchange, "st", SimpleNamespace(session_state=self.session))
        self.value = dict.fromkeys(FIELDS, 0)
        self.to_page, self.to_browser = deque(), deque()
        self.taken, self.reported, self.fresh = [], {}, 0
        self.run({})
        self.mount()

    # -- the reader

    def new(self):
        """A field and a value that it never had."""
        self.fresh += 1
        return {self.chance.choice(FIELDS): self.fresh}

    def do(self, deed, given=None):
        self.seen = self.call(deed, given)
        for report in self.seen["told"]:
            self.to_page.append({"report": report})
            for number, change in report["changes"]:
                self.reported[report["visit"], number] = change
        for _, change in self.seen["unanswered"]:
            shown = {name: self.seen["value"][name] for name in change}
            later = self.seen["own"] | dict(
                pair for _, each in self.seen["unanswered"] for pair in each.items()
            )
            assert self.seen["held"] or shown == {name: later[name] for name in change}

    def mount(self):
        """Another component in its place, which is given what was drawn last."""
        self.do("mount")
        self.do("take", self.drawn)

    # -- the page

    def run(self, message, cut=None):
        """The script, in answer to a message: of the reader, or of another hand as well."""
        self.value |= message.get("other", {})
        if "report" in message:
            self.session[KEY] = {"report": message["report"]}
        taker = self.cut_short if cut == "while it takes" else self.take
        with suppress(CutShort):
            exchange.take(KEY, taker)
            if cut != "before it draws":
                self.drawn = {"value": dict(self.value), "answers": exchange.answers(KEY)}
                self.to_browser.append(self.drawn)

    def take(self, change):
        self.value |= change
        self.taken.append(change)

    def cut_short(self, change):
        raise CutShort

    # -- the way

    def arrive(self, way, meet):
        """The next that is on its way: lost, twice or as it should."""
        if not way:
            return
        first = way.popleft()
        match self.chance.choice(("lost", "twice", "once", "once")):
            case "twice":
                way.appendleft(first)
                meet(first)
            case "once":
                meet(first)

    def act(self):
        cut = self.chance.choice((None, None, "before it draws", "while it takes"))
        acts = (
            lambda: self.do("drag", self.new()),
            lambda: self.do("release"),
            lambda: self.do("hold"),
            lambda: self.to_page.append({"other": self.new()}),
            lambda: self.arrive(self.to_page, lambda message: self.run(message, cut)),
            lambda: self.arrive(self.to_browser, lambda drawing: self.do("take", drawing)),
            self.mount,
        )
        self.chance.choices(acts, (3, 4, 1, 2, 6, 6, 0.3))[0]()

    def settle(self):
        """All that is under way arrives, and one more drawing."""
        self.do("release")
        for _ in range(3):
            self.run({})
            while self.to_page or self.to_browser:
                if self.to_page:
                    self.run(self.to_page.popleft())
                if self.to_browser:
                    self.do("take", self.to_browser.popleft())
        assert self.seen["value"] == self.value, "both sides agree"
        values = [value for change in self.taken for value in change.values()]
        assert len(values) == len(set(values)), "no change is taken twice"
        visit = self.seen["visit"]
        own = [change for (of, _), change in self.reported.items() if of == visit]
        for number, change in enumerate(own):
            later = {name for each in own[number + 1 :] for name in each}
            assert change in self.taken or change.keys() <= later, "none of the reader's is lost"

    def listens(self):
        """What another hand does is seen with the next drawing."""
        self.run({"other": self.new()})
        self.do("take", self.to_browser.popleft())
        assert self.seen["value"] == self.value
