/* Answers of Eq. 8 to sequences x in [0, 1), multiples of 2⁻²⁴:

     H_t(x) = Σ_s softmax[ρ(x_t, x_·)](s) x_s

   ρ(u, v) = Σ_k σ_k φ_k(u) ψ_k(v) by bases (families/bases.py), bilinear between samples, or by a
   formula. */

#pragma once

#include "formula.h"
#include "network.h"

#define FINEST 16777216 /* 2²⁴ */

enum { SINES, SHIFTED_SINES, FOURIERS, LEGENDRES, HAARS };

/* Of one side: the basis, and the index of its first function (0 where that is 1). */
typedef struct {
  int basis, first;
} Functions;

typedef struct {
  int terms; /* by bases, where there are terms; */
  Functions left, right;
  int rows, columns;     /* by samples at cell centres, where there are rows; */
  int words, of_u, of_v; /* else by a formula, with so many functions of u and of v alone */
} Design;

typedef struct {
  Design by;
  int tau;
  float *numbers;  /* σ_k, the samples, or programs: of u, of v, of both */
  float units[3];  /* centre, scale, variance: what is learned is (y − centre) / scale */
  float *phi, *psi, *weights;
} Target;

static void lay_out_target(Target *target, Design by, int tau, Arena *arena) {
  long wide = padded(tau), doubles = 2 * wide;
  *target = (Target){.by = by, .tau = tau, .units = {0, 1, 1}};
  target->phi = room(arena, by.terms * wide + (1 + by.of_u) * doubles);
  target->psi = room(arena, by.terms * wide + (1 + by.of_v) * doubles);
  target->weights = room(arena, tau * wide);
  target->numbers = room(arena, by.terms + by.rows * by.columns + by.words);
}

/* sin and cos of 2πkx: the phase k·x mod 1 is exact in whole numbers. */
ALWAYS void wave(ivec x, int k, vec *sine, vec *cosine) {
  ivec phase = (x * k) << 8 >> 8; /* in [−2²³, 2²³) */
  sine_cosine(__builtin_convertvector(phase, vec) * (6.28318531f / FINEST), sine, cosine);
}

ALWAYS vec haar(ivec x, int index) {
  int level = 0;
  while (2 << level <= index) level++;
  ivec cell = x >> (24 - level), half = (x >> (23 - level)) & 1;
  vec height = chosen(half == 1, all(-1), all(1)) * __builtin_sqrtf((float)(1 << level));
  return chosen(cell == index - (1 << level), height, all(0));
}

/* Function `index` of a basis; `last` are the two Legendre polynomials before it. */
ALWAYS vec function(int basis, int index, ivec x, vec last[2]) {
  vec sine, cosine, z;
  if (basis == LEGENDRES) {
    z = 2 * (__builtin_convertvector(x, vec) * (1.0f / FINEST)) - 1;
    float k = (float)index;
    vec next = ((2 * k - 1) * z * last[0] - (k - 1) * last[1]) / (k > 0 ? k : 1);
    if (!index) next = all(1);
    last[1] = last[0];
    last[0] = next;
    return next * __builtin_sqrtf(2 * k + 1);
  }
  if (!index) return all(1);
  if (basis == HAARS) return haar(x, index);
  wave(x, basis == FOURIERS ? (index + 1) / 2 : index, &sine, &cosine);
  if (basis == FOURIERS && index % 2) return 1.41421356f * cosine;
  return (basis == SHIFTED_SINES && index % 2 ? -1.41421356f : 1.41421356f) * sine;
}

/* The first functions at the τ numbers of a sequence, a row (of padded τ) for each. */
static void values_of(Functions of, int terms, int tau, const float *x, float *out) {
  for (int s = 0; s < padded(tau); s += LANES) {
    vec last[2] = {all(0), all(0)};
    ivec whole;
    for (int i = 0; i < LANES; i++) whole[i] = s + i < tau ? (int)(x[s + i] * FINEST) : 0;
    if (of.basis == LEGENDRES && of.first) function(LEGENDRES, 0, whole, last);
    for (int k = 0; k < terms; k++)
      store(out + k * padded(tau) + s, function(of.basis, k + of.first, whole, last));
  }
}

/* Which sample comes before a place, and how far it is on its way to the next. */
static int before(float place, int cells, float *further) {
  float at = place * cells - 0.5f;
  at = at < 0 ? 0 : at > cells - 1 ? cells - 1 : at;
  int cell = at < cells - 1 ? (int)at : cells - 2;
  *further = at - cell;
  return cell;
}

static float bilinear(const Target *target, float u, float v) {
  float down, along;
  int columns = target->by.columns;
  int row = before(u, target->by.rows, &down), column = before(v, columns, &along);
  const float *at = target->numbers + row * columns + column, *under = at + columns;
  return (1 - down) * ((1 - along) * at[0] + along * at[1]) +
         down * ((1 - along) * under[0] + along * under[1]);
}

static void couple_by_formula(Target *target, const float *x) {
  int tau = target->tau;
  long wide = padded(tau);
  double *u = (double *)target->phi, *v = (double *)target->psi;
  const float *at = alone(target->numbers, target->by.of_u, tau, x, u);
  at = alone(at, target->by.of_v, tau, x, v);
  for (int t = 0; t < tau; t++)
    for (long s = 0; s < tau; s += DOUBLES) {
      dvec rho;
      evaluated(at, u + t, v + s, wide, &rho);
      for (int i = 0; i < DOUBLES; i++) target->weights[t * wide + s + i] = (float)rho[i];
    }
}

/* Whether two sides have the same functions, but for their signs. */
static int alike(Functions one, Functions other) {
  int sines = one.basis <= SHIFTED_SINES && other.basis <= SHIFTED_SINES;
  return one.first == other.first && (one.basis == other.basis || sines);
}

static void couple_by_bases(Target *target, const float *x) {
  Functions left = target->by.left, right = target->by.right;
  int tau = target->tau, same = alike(left, right);
  long wide = padded(tau);
  values_of(left, target->by.terms, tau, x, target->phi);
  if (!same) values_of(right, target->by.terms, tau, x, target->psi);
  const float *from = same ? target->phi : target->psi;
  for (int k = 0; k < target->by.terms; k++) {
    int turned = same && left.basis != right.basis && (k + left.first) % 2;
    float sigma = turned ? -target->numbers[k] : target->numbers[k];
    for (int s = 0; s < wide; s += LANES)
      store(target->psi + k * wide + s, load(from + k * wide + s) * sigma);
  }
  product(tau, tau, target->by.terms, transposed(target->phi, wide), target->psi, wide, NOTHING,
          target->weights, wide);
}

/* ρ(x_t, x_s) of a sequence, a row for each t. */
static void couple(Target *target, const float *x) {
  int tau = target->tau;
  if (target->by.terms) return couple_by_bases(target, x);
  if (!target->by.rows) return couple_by_formula(target, x);
  for (int t = 0; t < tau; t++)
    for (int s = 0; s < tau; s++)
      target->weights[t * padded(tau) + s] = bilinear(target, x[t], x[s]);
}

/* What is to be answered to `sequences` of x, as it is learned. */
static void answer(Target *target, long sequences, const float *x, float *y) {
  int tau = target->tau;
  for (long b = 0; b < sequences; b++, x += tau, y += tau) {
    couple(target, x);
    softmax(tau, target->weights);
    for (int t = 0; t < tau; t++) {
      float sum = 0;
      for (int s = 0; s < tau; s++) sum += target->weights[t * padded(tau) + s] * x[s];
      y[t] = (sum - target->units[0]) / target->units[1];
    }
  }
}
