"""Two windows, and where the first picture of a page begins in one."""

SIZES = {"desk": (1280, 800, 220), "phone": (390, 844, 300)}
"""Width, height, and the lowest that a first picture may begin, in CSS pixels."""
TOP = """() => {
  const deep = (node) => [node, ...[...node.children].flatMap(deep),
    ...(node.shadowRoot ? [...node.shadowRoot.children].flatMap(deep) : [])];
  const main = document.querySelector("[data-testid=stMain]");
  const tops = deep(main)
    .filter((each) => each.matches("canvas, .vega-embed") && each.clientWidth > 100)
    .map((each) => each.getBoundingClientRect().top + main.scrollTop);
  return tops.length ? Math.min(...tops) : Infinity;
}"""
