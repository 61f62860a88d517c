/* SOAP: Adam in the eigenbasis of Shampoo's preconditioner (Vyas et al., arXiv 2409.11321,
   Algorithms 3 and 4). The matrix G (in × out) of Wᵀ is seen as Q_Lᵀ G Q_R; the factors L and R are
   running means of G Gᵀ and Gᵀ G, and each tenth step turns the bases by one power iteration and a
   QR. Biases are stepped by plain Adam. The momentum is kept in the bases. */

#pragma once

#include "eigen.h"
#include "optimizers.h"

#define BETA_1 0.9
#define BETA_2 0.95
#define EPSILON 1e-8f
#define REFRESH 10
#define WIDEST 1024
#define ROUNDING 6e-8 /* of a float */

/* One side of a matrix; a side of length 1 has no basis. Matrices are size × padded(size), and the
   vectors of the basis are rows. */
typedef struct {
  int size;
  float *factor, *vectors;
} Side;

typedef struct {
  Layer layer;
  Side left, right;
} Rotated;

typedef struct {
  Rotated matrices[2 * DEEPEST + 3];
  int count;
  float *rotated;         /* a flat buffer */
  float *product, *other; /* the largest side squared, of doubles */
} Soap;

static Side side(Arena *arena, int size) {
  long floats = size > 1 ? size * padded(size) : 0;
  return (Side){size, room(arena, floats), room(arena, floats)};
}

/* Factors and bases first, which a checkpoint holds. */
static void lay_out_soap(Soap *soap, const Network *net, Arena *arena) {
  soap->count = net->count;
  for (int i = 0; i < soap->count; i++) {
    const Layer *layer = &net->layers[i];
    soap->matrices[i] = (Rotated){*layer, side(arena, layer->in), side(arena, layer->out)};
  }
}

static void lay_out_work(Soap *soap, const Network *net, Arena *arena) {
  long wide = widest(&net->shape), heads = padded(net->shape.m_h), most = wide > heads ? wide : heads;
  soap->rotated = room(arena, net->size);
  soap->product = room(arena, 2 * most * most);
  soap->other = room(arena, 2 * most * most);
}

static void copy(long count, const float *from, float *to) {
  for (long i = 0; i < count; i += LANES) store(to + i, load(from + i));
}

/* Q_Lᵀ G Q_R of a matrix of a flat buffer, in place, or Q_L G Q_Rᵀ to come back. */
static void rotate(const Soap *soap, const Rotated *m, float *flat, int back) {
  long in = m->layer.in, out = m->layer.out, wide = padded(out), ld = padded(in);
  float *g = flat + m->layer.weight, *half = soap->product;
  if (!back && out > 1) transpose(out, out, m->right.vectors, wide, soap->other);
  const float *right = back ? m->right.vectors : soap->other, *left = m->left.vectors;
  if (out > 1) product(in, out, out, plain(g, wide), right, wide, NOTHING, half, wide);
  else copy(in * wide, g, half);
  Left turned = back ? transposed(left, ld) : plain(left, ld);
  if (in > 1) product(in, out, in, turned, half, wide, NOTHING, g, wide);
  else copy(in * wide, half, g);
}

/* P ← β P + (1 − β) · what the product holds. */
static void mix(const Side *side, const float *product) {
  const float keeps = (float)BETA_2, takes = (float)(1 - BETA_2);
  for (long i = 0; i < side->size * padded(side->size); i += LANES)
    store(side->factor + i, load(side->factor + i) * keeps + load(product + i) * takes);
}

/* `left` · `right`, which is symmetric: what stands below its diagonal, then mirrored. A product of
   numbers is that of the same ones turned round, so both halves have the same bits. */
static void symmetric(long size, long inner, Left left, const float *right, long ld, float *out) {
  const long strip = 2 * PAD;
  for (long j = 0; j < size; j += strip) {
    Left below = {left.from + j * left.row, left.row, left.inner};
    product(size - j, size - j < strip ? size - j : strip, inner, below, right + j, ld, NOTHING,
            out + j * ld + j, ld);
  }
  for (long i = 0; i < size; i++)
    for (long j = i + 1; j < ld; j++) out[i * ld + j] = j < size ? out[j * ld + i] : 0;
}

/* L ← β L + (1 − β) G Gᵀ and R ← β R + (1 − β) Gᵀ G. */
static void accumulate(const Soap *soap, const Rotated *m, const float *flat) {
  long in = m->layer.in, out = m->layer.out, wide = padded(out), ld = padded(in);
  const float *g = flat + m->layer.weight;
  if (in > 1) {
    transpose(in, out, g, wide, soap->other);
    symmetric(in, out, plain(g, wide), soap->other, ld, soap->product);
    mix(&m->left, soap->product);
  }
  if (out > 1) {
    symmetric(out, in, transposed(g, wide), g, wide, soap->product);
    mix(&m->right, soap->product);
  }
}

/* The eigenvectors of a factor P, largest eigenvalue first: rows of the identity turn along as those
   of P become orthogonal. What is at the rounding of P's trace has no direction. */
static void find_basis(Soap *soap, Side *side) {
  long size = side->size, ld = padded(size);
  double *factor = (double *)soap->product, *vectors = (double *)soap->other, trace = 0;
  if (size == 1) return;
  for (long i = 0; i < size * ld; i++) {
    factor[i] = side->factor[i];
    vectors[i] = i / ld == i % ld;
    trace += vectors[i] * factor[i];
  }
  double rounding = ROUNDING * trace;
  orthogonalise(side->size, (Rows){factor, ld, ld}, (Rows){vectors, ld, ld}, rounding * rounding);
  for (long i = 0; i < size * ld; i++) side->vectors[i] = (float)vectors[i];
}

/* Second moments (in × out) in the new order of one side. */
static void reorder(const Soap *soap, const Rotated *m, float *moments, const int *order, int left) {
  long in = m->layer.in, out = m->layer.out, wide = padded(out);
  float *at = moments + m->layer.weight;
  copy(in * wide, at, soap->other);
  for (long i = 0; i < in; i++)
    for (long j = 0; j < out; j++)
      at[i * wide + j] = soap->other[left ? order[i] * wide + j : i * wide + order[j]];
}

/* Q ← QR(P Q) of one side, vectors in falling order of the estimates diag(Qᵀ P Q). */
static void refresh(Soap *soap, const Rotated *m, float *moments, int left) {
  const Side *side = left ? &m->left : &m->right;
  int order[WIDEST];
  float estimates[WIDEST];
  long size = side->size, ld = padded(size);
  if (size == 1) return;
  product(size, size, size, plain(side->vectors, ld), side->factor, ld, NOTHING, soap->product, ld);
  for (int i = 0; i < size; i++)
    estimates[i] = dot(0, size, soap->product + i * ld, side->vectors + i * ld);
  falling(side->size, estimates, order);
  for (int i = 0; i < size; i++)
    copy(ld, soap->product + order[i] * ld, side->vectors + i * ld);
  orthonormal(size, ld, side->vectors, soap->other);
  reorder(soap, m, moments, order, left);
}

/* One step, from 1 on, on flat weights; `rate` is the learning rate. */
static void soap_step(Soap *soap, long step, long size, float *weights, const float *gradient,
                      float *first, float *second, float rate) {
  if (step == 1)
    for (int i = 0; i < soap->count; i++) {
      accumulate(soap, &soap->matrices[i], gradient);
      find_basis(soap, &soap->matrices[i].left);
      find_basis(soap, &soap->matrices[i].right);
    }
  copy(size, gradient, soap->rotated);
  for (int i = 0; i < soap->count; i++) rotate(soap, &soap->matrices[i], soap->rotated, 0);
  float by = (float)corrected(rate, step, BETA_1, BETA_2);
  for (long i = 0; i < size; i += LANES)
    store(soap->rotated + i, by * direction(load(soap->rotated + i), first + i, second + i, BETA_1,
                                            BETA_2, EPSILON));
  for (int i = 0; i < soap->count; i++) rotate(soap, &soap->matrices[i], soap->rotated, 1);
  for (long i = 0; i < size; i += LANES) store(weights + i, load(weights + i) - load(soap->rotated + i));
  for (int i = 0; i < soap->count; i++) {
    Rotated *m = &soap->matrices[i];
    if (step > 1) accumulate(soap, m, gradient);
    if (step % REFRESH) continue;
    rotate(soap, m, first, 1);
    refresh(soap, m, second, 1);
    refresh(soap, m, second, 0);
    rotate(soap, m, first, 0);
  }
}
