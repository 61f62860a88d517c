"""Nothing that a canvas writes lies over another label or leaves it, at any width of the window."""

from driving import POLL, SECONDS, still

WIDTHS = (1920, 1280, 1024, 390)
DESIGNS = {
    "r = 6": {"rank": 6, "alpha": 2.0, "m_h": 4},
    "r = 3, m = 8": {"rank": 3, "m_h": 8},
    "r = 1": {"rank": 1, "m_h": 1},
    "r = 39": {"rank": 39, "m_h": 32},
    "r = ∞, τ = 64": {"tau": 64},
    "Haar": {"left_basis": "haar", "right_basis": "haar", "m_h": 6},
    "a list": {"spectrum": "list", "sigma": [0.1, 2.0, 0.0, 0.5], "m_h": 2},
    "a formula": {"formula": "exp(-abs(u-v)*4)", "m_h": 5},
    "geometric": {"spectrum": "exponential", "m_h": 12},
}

FOUND = """() => Object.entries(window)
    .filter(([name, probe]) => name.startsWith('__explorer') && probe?.texts)
    .flatMap(([name, probe]) => Object.entries(probe.texts).flatMap(([panel, { w, h, boxes }]) => {
        const canvas = `${name.slice(10)} ${panel} ${Math.round(w)} × ${Math.round(h)}: `;
        const out = boxes.filter(({ x, y, w: wide, h: high }) =>
            x < -1 || y < -1 || x + wide > w + 1 || y + high > h + 1);
        const over = (a, b) => a.x + 1 < b.x + b.w && b.x + 1 < a.x + a.w
            && a.y + 1 < b.y + b.h && b.y + 1 < a.y + a.h;
        const pairs = boxes.flatMap((a, i) => boxes.slice(0, i).filter((b) => over(a, b))
            .map((b) => `${canvas}"${a.text}" over "${b.text}"`));
        return [...pairs, ...out.map((a) => `${canvas}"${a.text}" leaves it`)];
    }))"""
DRAWS = """() => Object.entries(window)
    .filter(([name]) => name.startsWith('__explorer'))
    .reduce((sum, [, probe]) => sum + (probe?.draws ?? 0), 0)"""

FORGET = """() => {
    for (const [name, probe] of Object.entries(window))
        if (name.startsWith("__explorer") && probe?.texts) probe.draws = 0;
}"""

TASKS = {"centres of gravity": {"target": "cog"}, "sparse averaging": {"target": "qsa"}}
ONE_HEAD = {"model": "vit", "centred": True, "layer": 3, "head": 2, "k": 8}
MEMORIES = {
    "fixed lags": {"target": "fixed_memory", "layers": 1},
    "induction": {"target": "induction"},
    "a kernel": {"target": "essential_memory", "model": "heads", "encoding": "lin", "tau": 1000},
}
ORDERS = {
    "a random order": {"target": "linear", "permutation": "random"},
    "64 tokens, filtered": {"target": "linear", "tau": 64, "filter": [0.5, 0.5]},
    "a coupling": {"target": "coupling", "rank": 2, "permutation": "reverse"},
}


def collisions(tab, name):
    """What meets or leaves its canvas, at each width of the window."""
    page, found = tab.page, []
    for width in WIDTHS:
        before = page.evaluate(DRAWS)
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function(
            f"(before) => ({DRAWS})() > before",
            arg=before,
            polling=POLL,
            timeout=1000 * SECONDS,
        )
        still(page)  # a sidebar glides
        found += [f"{name} at {width}: {one}" for one in page.evaluate(FOUND)]
    return found


def turned(tab, component, spec):
    """The same page about another specification, drawn."""
    tab.page.evaluate(FORGET)
    tab.turn(spec)
    tab.page.wait_for_function(f"() => ({DRAWS})() > 0", polling=POLL, timeout=1000 * SECONDS)
    tab.settle()
    return drawn(tab, component)


def drawn(tab, component):
    tab.places(component, "true")
    return tab


def all_of(tab, component, specs):
    """What meets in the pictures of a page as it opens, and of each specification."""
    drawn(tab, component)
    found = collisions(tab, "as it opens")
    for name, spec in specs.items():
        found += collisions(turned(tab, component, spec), name)
    return "\n".join(found)


def test_on_designs(reader):
    tab = reader.open()
    found = all_of(tab, "Design", DESIGNS)
    assert not found, found
    the_test_sees_what_meets(tab)


def test_on_a_run_and_before_one(reader):
    tab = reader.open("train")
    tab.wait_frame("h.status === 'finished'")
    found = all_of(tab, "Live", {"not trained": {"rank": 2, "m_h": 2}})
    assert not found, found


def test_on_sweeps_predicted_and_cut(reader):
    tab = drawn(reader.open("rates"), "Rates")
    found = collisions(tab, "as it opens")
    canvas = tab.page.locator("canvas[data-panel=figure]")
    for key in ("ArrowUp", "ArrowRight", "]", "Enter", "ArrowUp"):  # another target, cut, predicted
        canvas.press(key)
    found += collisions(tab, "predicted")
    canvas.press("Enter")
    found += collisions(tab, "revealed")
    assert not found, "\n".join(found)
    tab.page.set_viewport_size({"width": 1920, "height": 1080})
    still(tab.page)
    among = tab.page.evaluate("""() => {
        const { x, y, w, h } = __explorerRates.places().surgery;
        return __explorerRates.texts.surgery.boxes.filter((text) =>
            text.x > x && text.x < x + w && text.y > y && text.y < y + h).map(({ text }) => text);
    }""")
    assert not among, "what the handle of the rank goes through"


def test_on_tasks(reader):
    tab = reader.open("attention")
    found = all_of(tab, "Attention", TASKS)
    tab.page.locator("[data-act=sample]").click()
    found += "\n".join(collisions(tab, "another sequence"))
    assert not found, found


def test_on_real_models(reader):
    tab = drawn(reader.open("real"), "Real")
    found = collisions(tab, "a language model")
    tab = drawn(reader.open("real", real=ONE_HEAD), "Real")
    found += collisions(tab, "one head of a ViT")
    assert not found, "\n".join(found)


def test_on_orders(reader):
    found = all_of(reader.open("order"), "Order", ORDERS)
    assert not found, found


def test_on_memories(reader):
    found = all_of(reader.open("memory"), "Memory", MEMORIES)
    assert not found, found


def the_test_sees_what_meets(tab):
    tab.page.evaluate("""() => {
        const { boxes, w } = window.__explorerDesign.texts.floor;
        boxes.push({ ...boxes[0], text: 'twin' }, { ...boxes[0], x: w, text: 'far' });
    }""")
    said = " ".join(tab.page.evaluate(FOUND))
    assert '"twin" over' in said and '"far" leaves it' in said
