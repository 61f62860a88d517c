"""Where the first picture of a page begins, and what is in view on its first screen."""

SIZES = {
    **{"desk": (1280, 800), "narrow": (1024, 800), "far": (1920, 1080)},
    **{"phone": (390, 844), "side": (844, 390)},
}
LOWEST = {"desk": 220, "phone": 300}
"""That a first picture may begin, in CSS pixels."""
TOP = """() => {
  const deep = (node) => [node, ...[...node.children].flatMap(deep),
    ...(node.shadowRoot ? [...node.shadowRoot.children].flatMap(deep) : [])];
  const main = document.querySelector("[data-testid=stMain]");
  const tops = deep(main)
    .filter((each) => each.matches("canvas, .vega-embed") && each.clientWidth > 100)
    .map((each) => each.getBoundingClientRect().top + main.scrollTop);
  return tops.length ? Math.min(...tops) : Infinity;
}"""
FIRST_SCREEN = """() => {
  const parts = (node) => [node, ...[...node.children].flatMap(parts),
    ...(node.shadowRoot ? [...node.shadowRoot.children].flatMap(parts) : [])];
  const all = parts(document.querySelector("[data-testid=stMain]"));
  const left = document.querySelector("[data-testid=stMain]").getBoundingClientRect().left;
  const inView = ({ width, height, left, right, top, bottom }) => width > 1 && height > 1
    && right > 0 && bottom > 0 && left < innerWidth && top < innerHeight;
  const apart = (node) => node.closest(".st-key-path, .st-key-tour-entry, .katex-mathml, kbd");
  const unseen = (node) => getComputedStyle(node).clipPath !== "none"
    || !node.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const texts = all.filter((node) => !apart(node) && !unseen(node)
      && !node.matches("style, script, [data-testid=stIconMaterial]"))
    .flatMap((node) => [...node.childNodes].filter((each) => each.nodeType === Node.TEXT_NODE))
    .filter((text) => {
      const range = document.createRange();
      range.selectNodeContents(text);
      return inView(range.getBoundingClientRect());
    });
  const words = texts.flatMap((text) => text.data.split(/\\s+/));
  const pressed = "button, a[href], input, select, summary, [role=slider], [role=combobox]";
  const within = (node) => node.parentElement?.closest(pressed);
  const controls = all.filter((node) => node.matches(pressed) && !apart(node) && !within(node)
    && inView(node.getBoundingClientRect())
    && node.checkVisibility({ visibilityProperty: true }));
  const boxes = all.filter((node) => node.matches("canvas") && node.clientWidth > 100)
    .map((node) => node.getBoundingClientRect());
  let seen = 0, whole = 0;
  for (let y = 5; y < innerHeight; y += 10) for (let x = left + 5; x < innerWidth; x += 10) {
    whole += 1;
    seen += boxes.some((box) => x > box.left && x < box.right && y > box.top && y < box.bottom);
  }
  return { words: words.filter((word) => /[\\p{L}\\p{N}]/u.test(word)).length,
    controls: controls.length, picture: seen / whole,
    beyond: controls.filter((node) => node.getBoundingClientRect().right > innerWidth - 8)
      .map((node) => node.outerHTML.slice(0, 80)) };
}"""
"""What is in view beside the controls at the left and below the names of the pages, of HTML: words,
what can be pressed or moved, of that what reaches the margin, and how much of the room is
pictures."""
