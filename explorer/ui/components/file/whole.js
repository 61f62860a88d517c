// At the head of a file, whose last element has data-end: says so where that is missing, as in a file that was cut short
// on its way.

const CUT =
  "This file is not whole: its end is missing, so its pictures cannot be drawn. Download it again.";

addEventListener("DOMContentLoaded", () => {
  if (document.querySelector("[data-end]")) return;
  const note = document.createElement("p");
  note.setAttribute("role", "alert");
  note.textContent = CUT;
  note.style.cssText =
    "position: fixed; inset: 0 0 auto; z-index: 9; margin: 0; padding: 12px 24px; background: CanvasText; color: Canvas; font: 600 16px/1.5 sans-serif";
  document.body.append(note);
});
