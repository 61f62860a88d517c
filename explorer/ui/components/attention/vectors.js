// Vectors, and what can be typed of them.

export const norm = (point) => Math.hypot(...point);
export const unit = (count, i) => Array.from({ length: count }, (_, j) => (i === j ? 1 : 0));
export const mean = (rows, weights) =>
  rows[0].map((_, j) => rows.reduce((sum, row, s) => sum + weights[s] * row[j], 0));

// The coordinates of point i as fields to be typed: [label, field, place of the number].
export const coordinates = (points, name, i) =>
  points[i].map((_, j) => [`${name}${points[i].length > 1 ? "₁₂₃₄"[j] : ""}`, "points", [i, j]]);
