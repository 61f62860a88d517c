/* The POD of a coupling √w_u ρ̂(u, v) √w_v = Σ_i a_i(u) b_i(v), in double. */

#pragma once

#include "eigen.h"
#include "network.h"

#define SUBSPACES 16 /* that are compared, at most */

/* Row j becomes one of length 1, if it is not 0; its length before. */
static double normalise(int j, Rows x) {
  double *row = x.at + j * x.length, length = __builtin_sqrt(inner(x.nodes, row, row));
  for (long i = 0; i < x.length && length > 0; i++) row[i] /= length;
  return length;
}

/* Rows become singular functions φ_j, ψ_j of Σ_i a_i b_i, σ_j falling: aᵀ b = Qᵀ (S b) with rows Q
   orthonormal, and turning the rows of S b until they are orthogonal leaves those of Q so. */
static void decompose(int count, Rows a, Rows b, double *sigma) {
  orthogonalise(count, a, b, 0);
  for (int j = 0; j < count; j++) {
    double length = normalise(j, a);
    for (long i = 0; i < b.length; i++) b.at[j * b.length + i] *= length;
  }
  orthogonalise(count, b, a, 0);
  for (int j = 0; j < count; j++) sigma[j] = normalise(j, b);
}

/* A side of ρ̂ = ⟨W_Q f̂, W_K f̂⟩ at nodes where f̂ is h, with the roots of their weights. */
static Rows side_rows(const Network *net, const Layer *layer, long count, const float *h,
                      const float *roots, double *at) {
  long n = padded(layer->in), wide = padded(layer->out);
  Rows rows = {at, padded(count), padded(count) + n};
  for (int i = 0; i < layer->out; i++, at += rows.length) {
    const float *weight = net->weights + layer->weight + i;
    for (long c = 0; c < n; c++) at[rows.nodes + c] = c < layer->in ? weight[c * wide] : 0;
    for (long t = 0; t < rows.nodes; t++) {
      double sum = 0;
      for (long c = 0; c < layer->in && t < count; c++) sum += at[rows.nodes + c] * h[t * n + c];
      at[t] = t < count ? roots[t] * sum : 0;
    }
  }
  return rows;
}

/* Values less their mean, which softmax cannot see. */
static void centre(int heads, Rows rows, long count, const float *roots) {
  for (double *at = rows.at; at < rows.at + heads * rows.length; at += rows.length) {
    double mean = 0;
    for (long t = 0; t < count; t++) mean += roots[t] * at[t];
    for (long t = 0; t < count; t++) at[t] -= roots[t] * mean;
  }
}

/* Of k = 1 … count the cosine of the largest principal angle between the first k of the learned
   functions and the first k of the designed ones (rows of `length` of √w times their values), where
   it is less than `cosines` holds. */
static void compare(int count, const float *designed, long length, Rows learned, float *cosines) {
  double overlaps[SUBSPACES][SUBSPACES] = {0};
  for (int i = 0; i < count; i++)
    for (int j = 0; j < count; j++)
      for (long t = 0; t < learned.nodes; t++)
        overlaps[i][j] += designed[i * length + t] * learned.at[j * learned.length + t];
  for (int k = 1; k <= count; k++) {
    double leading[SUBSPACES][SUBSPACES] = {0};
    for (int i = 0; i < k; i++)
      for (int j = 0; j < k; j++) leading[i][j] = overlaps[i][j];
    Rows rows = {leading[0], SUBSPACES, SUBSPACES};
    orthogonalise(k, rows, (Rows){0}, 0);
    float cosine = (float)normalise(k - 1, rows);
    if (cosine < cosines[k - 1]) cosines[k - 1] = cosine;
  }
}

/* Gauss–Legendre nodes on [0, 1] and the roots of their weights: the zeros of P_count by Newton's
   method from cos(π (i + ¾) / (count + ½)). */
static void gauss(int count, float *nodes, float *roots) {
  for (int i = 0; i < count; i++) {
    vec sine, cosine;
    sine_cosine(all((float)(3.14159265358979 * (i + 0.75) / (count + 0.5))), &sine, &cosine);
    double x = cosine[0], slope = 1;
    for (int round = 0; round < 4; round++) {
      double last = 1, legendre = x;
      for (int k = 2; k <= count; k++) {
        double next = ((2 * k - 1) * x * legendre - (k - 1) * last) / k;
        last = legendre;
        legendre = next;
      }
      slope = count * (last - x * legendre) / (1 - x * x);
      x -= legendre / slope;
    }
    nodes[i] = (float)((1 + x) / 2);
    roots[i] = (float)(1 / (__builtin_sqrt(1 - x * x) * __builtin_fabs(slope)));
  }
}
