// What all canvases draw with, and what comes to them: types that need no import.

declare global {
  type Ctx = import("./canvas.js").Ctx;
  type Scale = import("./canvas.js").Scale;
  type Points = import("./canvas.js").Points;
  type Theme = import("./theme.js").Theme;
  type Box = import("./plot-box.js").Box;
  type Square = import("./heatmap.js").Square;
  type Place = import("./drag.js").Place;
  type Packed = import("./messages.js").Packed;
  type Message = import("./messages.js").Message;
}

export {};
