"""What of a page can be pressed, found by looking at it, and what a press has done."""

import csv
import io
import json
import re
import zipfile
from xml.etree import ElementTree

FIND = """() => {
    const seen = new Map(), found = [];
    const what = "button, summary, a[href], [role=button], [role=tab], [role=radio], [role=switch],"
        + " label:has(input[type=checkbox]), label:has(input[type=radio])";
    const theirs = "[data-testid=stNumberInput], [data-testid=stSelectbox],"
        + " [data-testid=stMultiSelect], [data-testid=stTooltipIcon],"
        + " [data-testid=stToast], [data-testid=stMainMenu], [data-testid=stMainMenuPopover],"
        + " [data-testid=stElementToolbar]";
    const shadow = (root) => [...root.querySelectorAll("*")].flatMap((each) =>
        each.shadowRoot ? [each.shadowRoot, ...shadow(each.shadowRoot)] : []);
    const keys = (node) => {
        for (let at = node; at; at = at.parentElement ?? at.getRootNode().host)
            for (const name of at.classList ?? [])
                if (name.startsWith("st-key-")) return name.slice(7);
        return "";
    };
    for (const root of [document, ...shadow(document)])
        for (const node of root.querySelectorAll(what)) {
            const box = node.getBoundingClientRect(), style = getComputedStyle(node);
            if (node.closest(theirs) || node.ariaLabel === "Dismiss") continue;
            const off = node.disabled || node.getAttribute("aria-disabled") === "true"
                || node.querySelector("input:disabled") || node.closest("[inert]");
            const away = box.right <= 0 || box.left >= innerWidth; // as a sidebar that was closed
            const shown = !away && box.width > 1 && box.height > 1 && style.visibility === "visible"
                && style.opacity > 0.05 && style.pointerEvents !== "none";
            const href = node.getAttribute("href") ?? "";
            if (off || !shown || href.startsWith("#") || /^https?:/.test(href)
                && !href.startsWith(location.origin)) continue;
            const icons = [...node.querySelectorAll("[data-testid=stIconMaterial]")];
            const text = icons.reduce((all, icon) => all.replace(icon.innerText, ""),
                node.innerText ?? "");
            const words = (node.getAttribute("aria-label") || text || node.title || "")
                .replace(/\\s+/g, " ").trim().slice(0, 60);
            const key = [keys(node), words].join(" / ").replace("Link copied", "Copy link")
                .replace(/\\b[0-9a-f]{12}\\b/g, "·").replace(/-?\\d+/g, "·")
                .replace(/^(svg|png|pdf|csv)-.* \\/ /, "$1 / ");
            if (seen.has(key)) continue;
            seen.set(key, node);
            window.explorerPressable ??= new Map();
            window.explorerPressable.set(key, node);
            found.push({ key, file: Boolean(node.closest("[data-testid=stDownloadButton]")) });
        }
    return found;
}"""
"""Everything visible that can be pressed, shadow roots included, by the key of its part of the page
and its words, and whether it is to bring a file. Of those that differ by numbers alone, as in the
rows of a list, and of the single files of the figures, which are all in a zip of the page, it is
the first one. Links to elsewhere, the marks of words and what Streamlit's own fields are made of
are left out."""

NODE = "(key) => window.explorerPressable.get(key)"

WATCH = """() => {
    const seen = { changes: 0, ran: false };
    const hear = (root) => new MutationObserver((all) => { seen.changes += all.length; })
        .observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
    const roots = (root) => [...root.querySelectorAll("*")].flatMap((each) =>
        each.shadowRoot ? [each.shadowRoot, ...roots(each.shadowRoot)] : []);
    [document, ...roots(document)].forEach(hear);
    const app = document.querySelector("[data-testid=stApp]");
    if (app) new MutationObserver(() => { seen.ran = true; })
        .observe(app, { attributeFilter: ["data-test-script-state"] });
    const drawn = () => Object.entries(window)
        .filter(([name]) => name.startsWith("__explorer"))
        .reduce((sum, [, probe]) => sum + (probe?.draws ?? 0), 0);
    const before = drawn(), at = location.href;
    const turned = () => location.href !== at;
    window.explorerWatched = () => ({ ...seen, draws: drawn() - before, turned: turned() });
}"""
"""From now on it is noted what happens on the page."""

WATCHED = "() => window.explorerWatched ? window.explorerWatched() : { reloaded: true }"


def happened(seen, downloads, others):
    """Whether a press has done anything: a run of the script, a picture, a change of the page, an
    address, a file, another tab."""
    return bool(downloads or others or any(seen.values()))


def check_file(name, data):
    """Raises where a file does not open as what its name says."""
    assert data, f"{name} is empty"
    kind = name.rpartition(".")[2].lower()
    assert kind in CHECKS, f"{name}: nobody knows how to open a .{kind}"
    CHECKS[kind](data)


def _zip(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None and archive.namelist()
        for each in archive.namelist():
            if each.rpartition(".")[2].lower() in CHECKS:
                check_file(each, archive.read(each))


def _csv(data):
    first, *rows = csv.reader(io.StringIO(data.decode("utf-8-sig")))
    assert first and all(len(row) == len(first) for row in rows), first


def _html(data):
    text = data.decode("utf-8")
    assert text.lstrip().lower().startswith("<!doctype html") and len(text) > 1000
    assert not re.search(r"""(?:src|href)=["'](?:https?:)?//(?!www\.w3\.org)""", text)


def _svg(data):
    assert ElementTree.fromstring(data).tag.endswith("svg")


def _png(data):
    from PIL import Image

    Image.open(io.BytesIO(data), formats=["PNG"]).verify()


def _pdf(data):
    assert data.startswith(b"%PDF-") and b"%%EOF" in data[-1024:]


CHECKS = {
    "zip": _zip,
    "csv": _csv,
    "json": json.loads,
    "html": _html,
    "svg": _svg,
    "png": _png,
    "pdf": _pdf,
    "md": bytes.decode,
    "tex": bytes.decode,
    "txt": bytes.decode,
}
