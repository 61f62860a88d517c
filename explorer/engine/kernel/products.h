/* Products of row-major matrices, as tiles of the result that stay in registers. */

#pragma once

#include "lanes.h"

#define SUMS (LANES == 16 ? 16 : 8) /* vectors of a tile: more are not kept in registers by V8 */

/* The left factor of a product: entry (i, k) stands at from[i * row + k * inner], so that a matrix
   is read as it is (ld, 1) or transposed (1, ld). */
typedef struct {
  const float *from;
  long row, inner;
} Left;

ALWAYS Left plain(const float *from, long ld) { return (Left){from, ld, 1}; }
ALWAYS Left transposed(const float *from, long ld) { return (Left){from, 1, ld}; }

/* What a product is added to: row i of `from` at from[i * ld]; nothing where from is 0. */
typedef struct {
  const float *from;
  long ld;
} Start;

static const Start NOTHING = {0, 0};

/* Tiles of so many rows and vectors, from row i on as long as there are; returns the row behind. */
ALWAYS long tiles(const int count, const int wide, long i, long rows, long inner, Left left,
                  const float *right, long ld_right, Start start, float *out, long ld_out) {
  for (; i + count <= rows; i += count) {
    const float *l = left.from + i * left.row, *r = right, *from = start.from + i * start.ld;
    vec sum[SUMS];
#pragma GCC unroll 16
    for (int s = 0; s < count * wide; s++)
      sum[s] = start.from ? load(from + s / wide * start.ld + s % wide * LANES) : all(0);
    for (long k = 0; k < inner; k++, l += left.inner, r += ld_right)
#pragma GCC unroll 16
      for (int s = 0; s < count * wide; s++)
        sum[s] += l[s / wide * left.row] * load(r + s % wide * LANES);
#pragma GCC unroll 16
    for (int s = 0; s < count * wide; s++)
      store(out + (i + s / wide) * ld_out + s % wide * LANES, sum[s]);
  }
  return i;
}

ALWAYS void strip(const int wide, long rows, long inner, Left left, const float *right,
                  long ld_right, Start start, float *out, long ld_out) {
  const int most = SUMS / wide;
  long i = tiles(most, wide, 0, rows, inner, left, right, ld_right, start, out, ld_out);
  if (most > 2) i = tiles(2, wide, i, rows, inner, left, right, ld_right, start, out, ld_out);
  tiles(1, wide, i, rows, inner, left, right, ld_right, start, out, ld_out);
}

/* out (rows × columns) = start + left (rows × inner) · right (inner × columns), columns padded. */
APART void product(long rows, long columns, long inner, Left left, const float *right, long ld_right,
                   Start start, float *out, long ld_out) {
  for (long j = 0; j < padded(columns); j += 2 * PAD) {
    Start on = {start.from ? start.from + j : 0, start.ld};
    if (padded(columns) - j > PAD)
      strip(2 * PAD / LANES, rows, inner, left, right + j, ld_right, on, out + j, ld_out);
    else
      strip(PAD / LANES, rows, inner, left, right + j, ld_right, on, out + j, ld_out);
  }
}

/* out[j][i] = from[i][j], 0 in columns beyond: from has `rows` rows of `columns` numbers, and those of
   out have padded(rows). In blocks that the nearest cache holds. */
static void transpose(long rows, long columns, const float *from, long ld, float *out) {
  const long block = 16, wide = padded(rows);
  for (long i = 0; i < rows; i += block)
    for (long j = 0; j < columns; j++)
      for (long k = i; k < rows && k < i + block; k++) out[j * wide + k] = from[k * ld + j];
  for (long j = 0; j < columns; j++)
    for (long k = rows; k < wide; k++) out[j * wide + k] = 0;
}
