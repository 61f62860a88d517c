/* Products of row-major matrices, as tiles of the result that stay in registers. */

#ifndef PRODUCTS_H
#define PRODUCTS_H

#include "lanes.h"

#if LANES == 16
#define ROWS 8
#else
#define ROWS 4
#endif

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

ALWAYS void tile(const int rows, const int wide, long inner, Left left, const float *right,
                 long ld_right, Start start, float *out, long ld_out) {
  vec sum[ROWS][2];
#pragma GCC unroll 8
  for (int i = 0; i < rows; i++)
#pragma GCC unroll 2
    for (int j = 0; j < wide; j++)
      sum[i][j] = start.from ? load(start.from + i * start.ld + j * LANES) : all(0);
  for (long k = 0; k < inner; k++) {
    const float *r = right + k * ld_right, *l = left.from + k * left.inner;
    vec first = load(r), second = wide > 1 ? load(r + LANES) : first;
#pragma GCC unroll 8
    for (int i = 0; i < rows; i++) {
      float factor = l[i * left.row];
      sum[i][0] += factor * first;
      if (wide > 1) sum[i][1] += factor * second;
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < rows; i++)
#pragma GCC unroll 2
    for (int j = 0; j < wide; j++) store(out + i * ld_out + j * LANES, sum[i][j]);
}

ALWAYS void strip(const int wide, long rows, long inner, Left left, const float *right,
                  long ld_right, Start start, float *out, long ld_out) {
  long i = 0;
#define PART(COUNT)                                                                     \
  for (; i + COUNT <= rows; i += COUNT) {                                               \
    Left here = {left.from + i * left.row, left.row, left.inner};                       \
    Start on = {start.from ? start.from + i * start.ld : 0, start.ld};                  \
    tile(COUNT, wide, inner, here, right, ld_right, on, out + i * ld_out, ld_out);      \
  }
  PART(ROWS)
#if ROWS > 4
  PART(4)
#endif
  PART(2)
  PART(1)
#undef PART
}

/* out (rows × columns) = start + left (rows × inner) · right (inner × columns), columns padded. */
__attribute__((noinline)) static void product(long rows, long columns, long inner, Left left, const float *right,
                    long ld_right, Start start, float *out, long ld_out) {
  for (long j = 0; j < padded(columns); j += 2 * LANES) {
    Start on = {start.from ? start.from + j : 0, start.ld};
    if (padded(columns) - j > LANES)
      strip(2, rows, inner, left, right + j, ld_right, on, out + j, ld_out);
    else
      strip(1, rows, inner, left, right + j, ld_right, on, out + j, ld_out);
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

#endif
