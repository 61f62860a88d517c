// What all canvases draw with, and what comes to them: types that need no import.

declare global {
  type Ctx = import("./canvas.js").Ctx;
  type Scale = import("./canvas.js").Scale;
  type Points = import("./canvas.js").Points;
  type Theme = import("./theme.js").Theme;
  type Box = import("./axes.js").Box;
  type Square = import("./heatmap.js").Square;
  type Place = import("./drag.js").Place;
  type Packed = import("./messages.js").Packed;
  type Message = import("./messages.js").Message;
  type KeyEntry = import("./axes.js").KeyEntry;
  type Label = import("./labels.js").Label;
  type Style = import("./text.js").Style;
  type Tick = import("./ticks.js").Tick;
  type Lane = import("./zero-lane.js").Lane;
  type SpectrumPlan = import("./spectrum.js").SpectrumPlan;
  type ErrorAxes = import("./error-curve.js").ErrorAxes;
  type Curve = import("./error-curve.js").Curve;
  type Colours = import("./heatmap.js").Colours;
  type CanvasView = import("./canvas-view.js").CanvasView;
  type Run<Over extends import("../run/stream.js").DrawnOver = any> =
    import("../run/stream.js").Run<Over>;
}

export {};
