/* What turns a gradient into a step: Adam, and its corrections of a learning rate. */

#pragma once

#include "network.h"

ALWAYS vec root(vec x) {
  vec r;
  for (int i = 0; i < LANES; i++) r[i] = __builtin_sqrtf(x[i]);
  return r;
}

static double power(double base, long exponent) {
  double result = 1;
  for (; exponent; exponent >>= 1, base *= base)
    if (exponent & 1) result *= base;
  return result;
}

/* A learning rate with Adam's corrections of both moments at a step, from 1 on. */
static double corrected(double rate, long step, double beta_1, double beta_2) {
  return rate * __builtin_sqrt(1 - power(beta_2, step)) / (1 - power(beta_1, step));
}

/* m / (√v + ε) of the moments of a gradient, which take it in; 1 − β is no float less 1, which would
   have but ten bits. */
ALWAYS vec direction(vec g, float *first, float *second, double beta_1, double beta_2, float epsilon) {
  vec m = load(first) + (g - load(first)) * (float)(1 - beta_1);
  vec v = load(second) * (float)beta_2 + g * g * (float)(1 - beta_2);
  store(first, m);
  store(second, v);
  return m / (root(v) + epsilon);
}

/* Adam with β = (0.9, 0.999) and ε = 1e-8 beside the corrected √v. */
static void adam_step(long step, long size, float *weights, const float *gradient, float *first,
                      float *second, float rate) {
  float by = (float)corrected(rate, step, 0.9, 0.999);
  float epsilon = (float)(1e-8 * __builtin_sqrt(1 - power(0.999, step)));
  for (long i = 0; i < size; i += LANES) {
    vec towards = direction(load(gradient + i), first + i, second + i, 0.9, 0.999, epsilon);
    store(weights + i, load(weights + i) - by * towards);
  }
}
