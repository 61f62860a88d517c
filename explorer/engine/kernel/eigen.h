/* Orthonormal bases of small symmetric matrices, whose vectors are rows: of length size, each with
   room for a padded number of entries. */

#ifndef EIGEN_H
#define EIGEN_H

#include "lanes.h"

ALWAYS float dot(long from, long size, const float *a, const float *b) {
  vec sums = all(0);
  for (long i = from / LANES * LANES; i < size; i += LANES) sums += load(a + i) * load(b + i);
  return sum_of(sums);
}

/* a − 2 v ⟨v, a⟩, where v is 0 before entry `from`. */
ALWAYS void mirror(long from, long size, const float *v, float *a) {
  float twice = 2 * dot(from, size, v, a);
  for (long i = from / LANES * LANES; i < size; i += LANES)
    store(a + i, load(a + i) - twice * load(v + i));
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
    for (int k = j + 1; k < size; k++) mirror(j, size, v + j * ld, q + k * ld);
  }
  for (int k = 0; k < size; k++) {
    for (long i = 0; i < ld; i++) q[k * ld + i] = i == k;
    for (int j = k; j >= 0; j--) mirror(j, size, v + j * ld, q + k * ld);
  }
}

/* Which rows come first, by falling `value`; equal ones as they stand. */
static void falling(int size, const float *value, int *order) {
  for (int i = 0; i < size; i++) {
    int j = i;
    for (; j > 0 && value[order[j - 1]] < value[i]; j--) order[j] = order[j - 1];
    order[j] = i;
  }
}

ALWAYS void turn(long size, float cosine, float sine, float *p, float *q) {
  for (long i = 0; i < size; i += LANES) {
    vec a = load(p + i), b = load(q + i);
    store(p + i, cosine * a - sine * b);
    store(q + i, sine * a + cosine * b);
  }
}

/* One plane rotation by which entry (p, q) of a becomes 0 (Jacobi); rows of v turn along. */
static void rotate_plane(int p, int q, int size, long ld, float *a, float *v) {
  float theta = (a[q * ld + q] - a[p * ld + p]) / (2 * a[p * ld + q]);
  float far = __builtin_fabsf(theta);
  float tangent = (theta < 0 ? -1 : 1) / (far + __builtin_sqrtf(far * far + 1));
  if (far > 1e18f) tangent = 0.5f / theta;
  float cosine = 1 / __builtin_sqrtf(tangent * tangent + 1), sine = tangent * cosine;
  turn(size, cosine, sine, a + p * ld, a + q * ld);
  for (int i = 0; i < size; i++) {
    float left = a[i * ld + p], right = a[i * ld + q];
    a[i * ld + p] = cosine * left - sine * right;
    a[i * ld + q] = sine * left + cosine * right;
  }
  turn(size, cosine, sine, v + p * ld, v + q * ld);
}

#define SWEEPS 12

/* Rows of v become eigenvectors of a, which becomes diagonal. */
static void jacobi(int size, long ld, float *a, float *v) {
  for (int i = 0; i < size; i++)
    for (long j = 0; j < ld; j++) v[i * ld + j] = i == j;
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    long turned = 0;
    for (int p = 0; p < size; p++)
      for (int q = p + 1; q < size; q++) {
        float off = __builtin_fabsf(a[p * ld + q]);
        float scale = __builtin_sqrtf(__builtin_fabsf(a[p * ld + p] * a[q * ld + q]));
        if (off <= 1e-6f * scale || off < 1e-37f) continue;
        rotate_plane(p, q, size, ld, a, v);
        turned++;
      }
    if (!turned) break;
  }
}

#endif
