"""What is seen first: the question, a line, one filled button, and the picture at once."""

import pytest
from driving import still

PICTURED = ("", "train", "rates", "attention", "order", "real", "memory")
TOP = """() => {
  const deep = (node) => [node, ...[...node.children].flatMap(deep),
    ...(node.shadowRoot ? [...node.shadowRoot.children].flatMap(deep) : [])];
  const main = document.querySelector("[data-testid=stMain]");
  const tops = deep(main)
    .filter((each) => each.matches("canvas, .vega-embed") && each.clientWidth > 100)
    .map((each) => each.getBoundingClientRect().top + main.scrollTop);
  return tops.length ? Math.min(...tops) : Infinity;
}"""
FILLED = "[data-testid=stBaseButton-primary]"
OWN = ("rates", "real")
"""Pages whose first action is in the picture itself."""
CONTRAST = """(button) => {
  const light = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).map((each) => each / 255)
      .map((each) => (each > 0.04 ? ((each + 0.055) / 1.055) ** 2.4 : each / 12.92));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
  };
  const { color, backgroundColor } = getComputedStyle(button);
  const [one, two] = [light(color), light(backgroundColor)];
  return Math.max(one, two) / Math.min(one, two);
}"""


SIZES = {"desk": (1280, 800, 220), "phone": (390, 844, 300)}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_the_picture_comes_first_below_one_filled_button_that_can_be_read(reader, size, scheme):
    width, height, highest = SIZES[size]
    tab = reader.open("")
    tab.page.emulate_media(color_scheme=scheme)
    tab.page.set_viewport_size({"width": width, "height": height})
    tops = {}
    for path in PICTURED:
        tab.go(path)
        tab.page.wait_for_function(f"() => ({TOP})() < Infinity")
        still(tab.page)
        tops[path] = tab.page.evaluate(TOP)
        filled = tab.page.locator(FILLED).filter(visible=True)
        assert filled.count() == (path not in OWN), path
        if path not in OWN:
            assert filled.evaluate(CONTRAST) > 4.5
    assert not {path: top for path, top in tops.items() if top > highest}


def test_on_a_phone_the_pages_are_a_path_at_the_bottom(reader):
    """One at a time, with what was designed; on a desk all of them stand at the top."""
    tab = reader.open("", {"alpha": 2.0})
    way = tab.page.locator(".st-key-path")
    assert not way.is_visible()
    tab.page.set_viewport_size({"width": 390, "height": 844})
    for name in ("Train ›", "Rates ›", "‹ Train", "‹ Design ρ"):
        way.get_by_role("link", name=name).click()
        way.get_by_role("link", name=name).wait_for(state="hidden")
    assert tab.spec["alpha"] == 2
    box = way.bounding_box()
    assert abs(box["y"] + box["height"] - 844) < 1
    tab.page.get_by_test_id("stMain").evaluate("main => main.scrollTo(0, main.scrollHeight)")
    still(tab.page)
    last = tab.page.locator("[data-testid=stMainBlockContainer] button").filter(visible=True).last
    assert last.bounding_box()["y"] + last.bounding_box()["height"] <= box["y"]
