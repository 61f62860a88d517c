// What Python says to each component: the headers that its functions pack, and what they hold.
// tests/test_payloads.py has TypeScript check what those functions really give. Beside that a header has what the
// drawing `answers` (core/exchange.js).

import type { Board, Settings, Task } from "./attention/types.js";
import type { Parameter } from "./design/laws.js";
import type { WatchedOffer } from "./here/types.js";
import type { Followed } from "./run/stream.js";

/** pages/design/view_drawing.py: design_drawing */
export interface DesignDrawing {
  refused: boolean;
  /** Only where no Python answers: what the sequences of the floor are drawn from. */
  alone?: { state: string; increment: string };
  /** Only there, and where the reader's browser can train it. */
  here?: WatchedOffer;
  extents?: Extents;
  subject: string;
  editable: boolean;
  family: string;
  spectrum: string;
  list: number[] | null;
  alpha: number;
  decay: number;
  rank: number | null;
  c: number;
  sigma: number[];
  /** The rank in words. */
  whole: string;
  beyond: number;
  m: number;
  k: number;
  u: number;
  v: number;
  centred: boolean;
  coarse: number;
  map: "kept" | "residual" | "term";
  tolerance: number;
  chosen_tolerance: number | null;
  own_tolerance: number;
  /** σ has a largest value; m and the parameters of the laws have two ends. */
  limits: Record<Parameter | "c" | "m", [number, number]> & { sigma: number };
  error: number;
  norm: string;
  exact: number | null;
  trained: [number, number, string, number][];
  tau: number;
  sequences: number;
  floor_seed: number;
  width: string;
  rest: DesignRest;
  shown: { centred: boolean; [choice: string]: unknown };
}

/** On a stage alone: least and greatest of what the steps of a scene show, by name (pages/talk/axes.py). */
export type Extents = Record<string, [number, number]>;

/** What makes a design besides its spectrum. */
export interface DesignRest {
  tau: number;
  left_basis: string;
  right_basis: string;
  formula: string | null;
  grid: string | null;
}

/** pages/rates/view_drawing.py: rates_drawing */
export interface RatesDrawing {
  subject: string;
  norm: "mse" | "mae";
  axis: string;
  statistic: string;
  widths: number[];
  panels: RatesPanel[];
  own: { alpha: number; rank: number | null } | null;
  training: { step: number; steps: number; points: RatesLoss[] } | null;
  /** Of errors in each norm, in all steps of a talk's scene. */
  extents?: Record<string, Pair>;
}

export interface RatesPanel {
  title: string;
  series: RatesSeries[];
}

/** [m_h, error] */
export type Pair = [number, number];

export type RatesCell = { alpha: number; rank: number | null; m_ff: number };

/** The loss of a model that is at work. */
export type RatesLoss = RatesCell & { m_h: number; error: number };

export interface RatesSeries {
  name: string;
  rank: number | null;
  cell: RatesCell;
  points: RatesPoint[];
  diverged: number;
  line: Pair[];
  floor: Pair[];
  tail: Pair[];
  on_own: Pair[];
  optimum: Pair[];
  fit: { slope: string; worth: string; ends: [Pair, Pair] | null } | null;
  theory: number | null;
  knee: { m_h: number; ratio: number } | null;
  sigma: number[];
  why: string[];
}

/** A trained model; `surgery` are its errors when it is cut to rank 1, 2, … */
export interface RatesPoint {
  m_h: number;
  seed: number;
  error: number;
  sigma: number[];
  surgery: number[] | null;
}

/** pages/real/view_head.py: head_drawing */
export interface HeadDrawing {
  subject: string;
  tokens: string[];
  names: string[];
  causal: boolean;
  patches: number;
  k: number;
}

/** pages/design/view_terms.py: terms_drawing */
export interface TheoremDrawing {
  subject: string;
  m: number;
  ff: number;
  own: number;
  limits: number[];
  beta: number;
  trivial: number;
  answer: string;
  first: number[];
  second: number[];
  same: SameDrawing | null;
  proof: ProofDrawing | null;
}

/** pages/design/view_several.py: slices_drawing */
export interface SlicesDrawing {
  subject: string;
  axes: string[];
  places: number[];
  left: number[];
  rounding: number;
  m: number;
  at: number;
}

/** pages/design/view_terms.py: proof_drawing */
export interface ProofDrawing {
  tau: number;
  m: number;
  alpha: number;
  c_0: number;
  form: string;
  sigma: number[];
  beyond: number;
  networks: Networks | null;
  levels: number[];
  steps: { words: string; kind: string; mended: boolean }[];
  kinds: Record<string, string>;
  trivial: number;
  trained: { words: string; error: number } | null;
}

/** What networks add to the proof, by the terms. */
export interface Networks {
  phi: number[];
  psi: number[];
  sup_phi: number[];
  sup_psi: number[];
  barron: number[];
  of_parts: number;
  of_f: number;
  of_outer: number;
  rate: number;
}

/** pages/design/view_same.py: same_drawing */
export interface SameDrawing {
  letter: string;
  log: boolean;
  at: number;
  own: number;
  positions: number[];
  off: number[];
  marks: { position: number; text: string }[];
  curves: { name: string; values: number[] }[];
  first: number[][];
  second: number[][];
}

/** pages/real/view_order.py: order_drawing */
export interface ReorderDrawing {
  subject: string[];
  tokens: string[];
  order: number[];
  name: string | null;
  seed: number;
  head: string;
}

/** pages/order/view.py: drawing */
export interface OrderDrawing {
  extents?: Extents;
  stream: Followed;
  same: boolean;
  spec: string;
  kernel: number[] | null;
  rho: { kernel: string; [field: string]: unknown } | null;
  decay: number | null;
  tau: number;
  order: number[] | null;
  taps: number[] | null;
  mode: string;
  names: { order: string; filter: string };
  presets: { orders: Record<string, number[]>; filters: Record<string, number[]> };
  trained: OrderTrained[];
  beside: { label: string; nmse: number; evals: Pair[]; taps: number[] | null } | null;
  name: string;
  steps: number;
  seed: number;
  model: string;
  ghosts: { name: string; trained: OrderTrained[] } | null;
}

/** An error on the target shown, of a trained model or as the paper prints it. */
export interface OrderTrained {
  model: string;
  mse: number;
  nmse: number;
  source: string;
  seed: number | null;
  steps: number | null;
  conv: number;
  hidden: number | null;
}

/** pages/attention/view.py: drawing */
export interface AttentionDrawing {
  stream: Followed;
  task: Task;
  sentence: string;
  net: { depth: number; activation: string; activation_out: string };
  example: Board;
  /** As far as Python knows, and the row that stays lit. */
  board: { board: Board; settings: Settings; row: number | null; held?: Board };
  refused: string;
}

/** pages/real/view_drawing.py: real_drawing */
export interface RealDrawing {
  model: string;
  title: string;
  layers: number;
  heads: number;
  width: number;
  inputs: string;
  steps: number;
  look: { centred: boolean; one: [number, number] | null; k: number; words: boolean };
  answer: string;
  own: number;
  cuts: { raw: RealCut[]; centred: RealCut[] };
  words: RealWords | null;
}

/** What a model wrote after each prompt, token by token: of each k, of each prompt. */
export interface RealWords {
  prompts: string[];
  k: number[];
  raw: string[][][];
  centred: string[][][];
}

/** k, and over the inputs the lowest answer, the median and the highest. */
export type RealCut = [number, number, number, number];

/** What a run is drawn over, of a coupling; pages/train/view.py: drawing. With it come rho, sigma, ideal and tokens. */
export interface CouplingRunDrawing {
  label: string;
  tau: number;
  m_h: number;
  steps: number;
  started_until: number | null;
  seed: number;
  rank: number | null;
  floor: number;
  floor_label: string;
  example_t: number;
  tolerance: number;
}

/** Of what may be learned without an error; views/pictures.py: learned_exactly */
export interface ExactRunDrawing {
  label: string;
  tau: number;
  m_h: number;
  steps: number;
  seed: number;
  floor: number;
  floor_label: string;
}

/** Of an attention task; pages/attention/view.py: stream_drawing */
export interface TaskRunDrawing extends ExactRunDrawing {
  expected_rank: number;
}

/** Of a target whose input is altered; pages/order/view.py: stream_drawing */
export interface AlteredRunDrawing extends ExactRunDrawing {
  model: string;
}

/** Of a memory; pages/memory/view.py: stream_drawing */
export interface MemoryRunDrawing {
  label: string;
  target: string;
  recipe: string;
  tau: number;
  m_h: number;
  layers: number;
  heads: number;
  jumps: number;
  first: number;
  lags: number[];
  vocabulary: number;
  steps: number;
  seed: number;
  rank: null;
  floor: number | null;
  floor_label: string;
}

/** The row of a run in each frame; ui/live.py: RunStream.frame */
export interface RunFrame {
  run: string;
  kind: "frame";
  step: number;
  steps: number;
  status: string;
  turn: string;
  message: string;
  position: number | null;
  wait: number | null;
}
