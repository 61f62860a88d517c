/* Orthonormal rows: in float by Householder's mirrors, rows of length size, each with room for a
   padded number of entries; in double by Jacobi's turns. */

#pragma once

#include "lanes.h"

#define SWEEPS 30
#define TOGETHER 4 /* rows */
#define ORTHOGONAL 1e-14 /* ⟨x, y⟩ of unit rows that count as orthogonal */

ALWAYS float dot(long from, long size, const float *a, const float *b) {
  vec sums = all(0);
  for (long i = from / LANES * LANES; i < size; i += LANES) sums += load(a + i) * load(b + i);
  return sum_of(sums);
}

/* a − 2 v ⟨v, a⟩ of so many rows a, where v is 0 before entry `from`: side by side, since each waits
   for its own sum. */
ALWAYS void mirror(const int rows, long from, long size, const float *v, float *a, long ld) {
  vec sums[TOGETHER];
  float twice[TOGETHER];
#pragma GCC unroll 4
  for (int r = 0; r < rows; r++) sums[r] = all(0);
  for (long i = from / LANES * LANES; i < size; i += LANES)
#pragma GCC unroll 4
    for (int r = 0; r < rows; r++) sums[r] += load(v + i) * load(a + r * ld + i);
#pragma GCC unroll 4
  for (int r = 0; r < rows; r++) twice[r] = 2 * sum_of(sums[r]);
  for (long i = from / LANES * LANES; i < size; i += LANES)
#pragma GCC unroll 4
    for (int r = 0; r < rows; r++)
      store(a + r * ld + i, load(a + r * ld + i) - twice[r] * load(v + i));
}

/* The same of the rows of q from `row` on. */
static void mirror_from(int row, long from, int size, const float *v, float *q, long ld) {
  for (; row + TOGETHER <= size; row += TOGETHER) mirror(TOGETHER, from, size, v, q + row * ld, ld);
  for (; row < size; row++) mirror(1, from, size, v, q + row * ld, ld);
}

/* The unit vector v whose mirror takes row[j …] to a multiple of e_j; 0 where row is 0 there. */
static void normal(int j, int size, const float *row, float *v) {
  double norm = 0;
  for (int i = j; i < size; i++) norm += (double)row[i] * row[i];
  if (norm < 1e-60) return; /* whose inverse no float holds */
  double first = row[j] + (row[j] < 0 ? -1 : 1) * __builtin_sqrt(norm);
  double length = norm - (double)row[j] * row[j] + first * first;
  float by = (float)(1 / __builtin_sqrt(length));
  for (int i = j + 1; i < size; i++) v[i] = row[i] * by;
  v[j] = (float)first * by;
}

/* Rows of q become orthonormal, the first j in the span of the first j before: QR by Householder's
   mirrors v (rows of size × ld, too), which has full rank whatever q has. */
static void orthonormal(int size, long ld, float *q, float *v) {
  for (long i = 0; i < size * ld; i++) v[i] = 0;
  for (int j = 0; j < size; j++) {
    normal(j, size, q + j * ld, v + j * ld);
    mirror_from(j + 1, j, size, v + j * ld, q, ld);
  }
  for (long i = 0; i < size * ld; i++) q[i] = i / ld == i % ld;
  for (int j = size - 1; j >= 0; j--) mirror_from(j, j, size, v + j * ld, q, ld);
}

/* Which rows come first, by falling `value`; equal ones as they stand. */
static void falling(int size, const float *value, int *order) {
  for (int i = 0; i < size; i++) {
    int j = i;
    for (; j > 0 && value[order[j - 1]] < value[i]; j--) order[j] = order[j - 1];
    order[j] = i;
  }
}

/* Rows in double. What is asked to be orthogonal are their first `nodes` numbers, the rest turns along:
   of one side of a POD they are √w times a function at the nodes (the last ones 0), and then what it
   takes of each feature of f̂. */
typedef struct {
  double *at;
  long nodes, length;
} Rows;

static double inner(long size, const double *a, const double *b) {
  dvec sums = {0};
  for (long i = 0; i < size; i += DOUBLES) sums += *(const dvec *)(a + i) * *(const dvec *)(b + i);
  double sum = 0;
  for (int i = 0; i < DOUBLES; i++) sum += sums[i];
  return sum;
}

static void turn_pair(long size, double cosine, double sine, double *x, double *y) {
  for (long i = 0; i < size; i += DOUBLES) {
    dvec a = *(dvec *)(x + i), b = *(dvec *)(y + i);
    *(dvec *)(x + i) = cosine * a + sine * b;
    *(dvec *)(y + i) = cosine * b - sine * a;
  }
}

/* Turns rows p and q of x, and of y along, so that they are orthogonal and p the longer one; 0 where
   they are so already, or both no longer than √nothing. */
static int turn_rows(int p, int q, Rows x, Rows y, double nothing) {
  double *one = x.at + p * x.length, *two = x.at + q * x.length;
  double a = inner(x.nodes, one, one), b = inner(x.nodes, two, two);
  if (a <= nothing && b <= nothing) return 0;
  double c = inner(x.nodes, one, two);
  if (c * c <= ORTHOGONAL * ORTHOGONAL * a * b && b <= a * (1 + ORTHOGONAL)) return 0;
  double apart = __builtin_sqrt((a - b) * (a - b) + 4 * c * c);
  double larger = __builtin_sqrt((apart + __builtin_fabs(a - b)) / (2 * apart));
  double cosine = a < b ? __builtin_fabs(c) / (apart * larger) : larger;
  double sine = a < b ? (c < 0 ? -larger : larger) : c / (apart * larger);
  turn_pair(x.length, cosine, sine, one, two);
  turn_pair(y.length, cosine, sine, y.at + p * y.length, y.at + q * y.length);
  return 1;
}

/* Rows of x become orthogonal, the longest first (one-sided Jacobi: Hestenes 1958), and rows of y
   turn along. */
static void orthogonalise(int count, Rows x, Rows y, double nothing) {
  for (int sweep = 0, turned = 1; turned && sweep < SWEEPS; sweep++) {
    turned = 0;
    for (int p = 0; p < count; p++)
      for (int q = p + 1; q < count; q++) turned |= turn_rows(p, q, x, y, nothing);
  }
}
