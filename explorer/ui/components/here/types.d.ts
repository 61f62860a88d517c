export type Arrays = Record<string, Packed>;

/** What ui/here.py says: kernel and script as packed texts where no file has them, and when Train was pressed. */
export interface Offer extends Omit<Local, "settings"> {
  thread: string;
  wasm?: string;
  script?: string;
  settings: string;
  start?: number;
}

/** The same where the coupling may be changed before: where in the settings its width and its number of terms stand. */
export interface WatchedOffer extends Offer {
  places: { m_h: number; terms: number };
  head_start: number;
  widest: number;
}

/** What a run begins with. */
export interface Begin {
  wasm: Uint8Array;
  /** The script of worker.js. */
  script: string;
  local: Local;
  arrays: Arrays;
}

export interface Local {
  id: string;
  /** The specification as JSON, and its address in the explorer. */
  spec: string;
  address: string;
  label: string;
  settings: Uint8Array;
  steps: number;
  /** Of the training set; 0 where all are fresh. */
  sequences: number;
  m_h: number;
  /** The width of a head start, and its last step. */
  wide: number;
  started_until: number;
  /** Name, number in the kernel and shape of the parameters. */
  layers: [name: string, which: number, ...shape: number[]][];
  /** Which leading subspaces of the designed coupling are none. */
  tied: boolean[];
  /** Sequences on which kept pictures are measured, and the last one. */
  evaluated: [number, number];
  /** What to lower where it diverges. */
  remedies: string;
  /** A model of a sweep: of its pictures the last is kept, and none is drawn. */
  single?: boolean;
}

/** As `Message` of core/messages.js has it. */
export interface Picture {
  header: Record<string, any>;
  arrays: Arrays;
}

export interface Progress {
  step: number;
  status: "running" | "paused" | "stopped" | "interrupted" | "finished" | "diverged" | "failed";
  message: string;
  /** Of the losses since the last row. */
  sum: number;
  count: number;
  loss: number | null;
  losses: [number, number][];
  pictures: Picture[];
  seconds: number;
  state: Float32Array | null;
}

/** What lies on the shelf. */
export interface Kept {
  id: string;
  begin: Begin;
  progress: Progress;
  created: number;
  changed: number;
}

export type Command = "pause" | "resume" | "step" | "stop" | "drawn" | "watch";

/** What is offered of a sweep (ui/here.py: offer_of_sweep): what its models share, and each of them. */
export interface SweepOffer {
  id: string;
  steps: number;
  sequences: number;
  evaluated: [number, number];
  remedies: string;
  members: Member[];
  thread: string;
  wasm?: string;
  script?: string;
  /** When Train was pressed. */
  start?: number;
  /** How many rows Python has heard of, and whether others are at work; in a file there is no Python. */
  known?: number;
  at_work?: boolean;
}

export interface Member {
  id: string;
  cell: { alpha: number; rank: number | null; m_ff: number };
  m_h: number;
  seed: number;
  /** Which arrays are those of its target. */
  target: number;
  settings: string;
  wide: number;
  started_until: number;
}

/** What a finished model of a sweep says; without errors where it diverged. */
export interface Row {
  errors: { mse: number; nmse: number; mae: number; r2: number; train_nmse?: number } | null;
  sigma: number[];
  seconds: number;
}

/** What lies on the shelf of a model of a sweep: its row, or how far it is. */
export interface KeptModel {
  id: string;
  row?: Row;
  progress?: Progress;
}
