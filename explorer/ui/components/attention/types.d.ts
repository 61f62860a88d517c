// What the pictures of a board share, and what each task says of itself.

import type { Attention } from "./attention.js";

/** A task of App. B.1 in numbers; it has those that it needs. */
export interface Task {
  target: string;
  tau: number;
  d?: number;
  k?: number;
  segments?: number;
}

/** What can be moved: the points, and what else a task has of these. */
export interface Board {
  points: number[][];
  masses?: number[];
  /** Points of each segment. */
  lengths?: number[];
  /** Of each token the tokens that it selects. */
  indices?: number[][];
}

/** What tells the places of a board's points. */
export type Places = Pick<Task, "tau"> & Pick<Board, "lengths">;

/** How a point is drawn, and what it is called. */
export interface Mark {
  shape: string;
  size: number;
  hollow: boolean;
  /** Fades where its token is not looked at. */
  faint: boolean;
  name: string;
}

/** What can be typed: a label, the field, the place of the number in it, and what follows it. */
export type Field = [label: string, field: string, place: number[], after?: string];

/** A query, a key, or both. */
export type Focus = { t: number | null; s: number | null };

/** One task as the browser draws it. */
export interface TaskDrawing<T = Task, B = Board, P = Places> {
  /** Of the coordinates. */
  range: [number, number];
  /** Of F∘f. */
  valueRange: [number, number];
  answersArePoints: boolean;
  /** Height of the line of keys, where points have one coordinate. */
  keyLane: number;
  lane(places: P, i: number): number;
  /** Where token t asks from, and where key s is; null: it has no place. */
  query(board: B, t: number): number[] | null;
  key(board: B, s: number): number[] | null;
  /** The tokens of a board, and the other way. */
  tokens(task: T, board: B): number[][];
  board(task: T, tokens: number[][]): Board;
  /** Which entries of a token hold its position; null: none. */
  positions(task: T): [number, number] | null;
  /** The truth: attention, values, and the answer of such an attention. */
  ideal(task: T, board: B): number[][];
  values(task: T, board: B): number[][];
  answer(task: T, board: B, ideal: number[][]): number[][];
  /** What point i is called, which token it belongs to, and which points token t has. */
  place(places: P, i: number): string;
  token(places: P, i: number): number;
  ofToken(places: P, t: number): number[];
  mark(task: T, board: B, i: number): Mark;
  /** What the pointer means by point i of token t. */
  pointed(task: T, i: number, t: number): Focus;
  /** Whether learned values are drawn over the plane. */
  overPlane(task: T): boolean;
  /** Points of the board whose nearness counts: each has its part of the plane. */
  sites(task: T, board: B): number[][];
  fields(task: T, board: B, t: number): Field[];
  /** Which fields of a board are lists when they are typed. */
  lists: string[];
  /** What of a board besides its points is drawn at random. */
  drawn(task: T, board: B): Partial<Board>;
  /** Whether a board can be answered, be it typed by hand. */
  drawable(task: T, board: B): boolean;
}

/** What each file of tasks/ is checked against: it takes for given what its boards have. */
export type DrawingOf<Has extends keyof Board> = TaskDrawing<
  Required<Task>,
  Required<Pick<Board, Has>>,
  Required<Places>
>;

export interface Settings {
  temperature: number;
  /** Singular values that are kept; null: all. */
  k: number | null;
  order: number[] | null;
  positions: string;
}

/** The parameters that answer, as rows: what is no matrix is one row. */
export interface Network {
  depth: number;
  activation: string;
  activation_out: string;
  parts: Record<string, Packed["values"][]>;
  /** W_Q and W_K in the order of their singular values. */
  cut: { query: Packed["values"][]; key: Packed["values"][] } | null;
}

/** The square of the plane, and in it the lines that labels keep clear of. */
export interface Frame {
  box: Box & { side: number };
  x: Scale;
  y: Scale;
  low: number;
  high: number;
  lines: number[][][];
}

/** What the pictures and hands ask. */
export type View = Attention;

/** Where the matrix is, and where the singular values are cut. */
export type Cells = { x: number; y: number; side: number; cell: number };
export type Knife = { box: Box; x: Scale; count: number; grip: number };

/** Draws a panel; the sentence that a screen reader hears. */
export type Draw = (ctx: Ctx, theme: Theme, w: number, h: number, view: View) => string;

/** Where the columns are, the height of each token, and the token at a height. */
export type Graph = {
  x: [number, number];
  y: (t: number) => number;
  at: (py: number) => number | undefined;
};

/** Learned values over the plane: size² of them, row by row. */
export type Heights = { size: number; grid: number[] };
