"""How far the parts of a page have moved without being asked, as browsers measure it."""

ROOM = 0.02
"""The layout shift that nobody notices; 0.1 is still called good."""

_MOVED = """() => new Promise((done) => {
    const place = ({ x, y, width, height }) => [x, y, width, height].map(Math.round).join(" ");
    const parts = [];
    new PerformanceObserver((list) => {
        for (const { value, hadRecentInput, startTime, sources } of list.getEntries())
            if (!hadRecentInput) parts.push([value, Math.round(startTime),
                ...sources.map(({ node, previousRect, currentRect }) =>
                    [node?.textContent?.trim().slice(0, 40), node?.className,
                     `${place(previousRect)} -> ${place(currentRect)}`])]);
    }).observe({ type: "layout-shift", buffered: true });
    setTimeout(() => done(parts), 100);
})"""


def stands(page):
    """Fails by what has moved, when, and from where to where, since the page was opened."""
    moved = page.evaluate(_MOVED)
    assert sum(each[0] for each in moved) <= ROOM, moved
