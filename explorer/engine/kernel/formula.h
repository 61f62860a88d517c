/* Formulas as engine/program.py writes them: a word for each operation in postfix order, evaluated
   with a stack of DOUBLES numbers side by side. */

#pragma once

#include "doubles.h"

#define STACK 202 /* two for each of the 100 levels of a formula, and two */

/* In the order of engine/program.py. */
enum {
  END, NUMBER, COLUMN, ROW, SQUARE,
  ADD, SUBTRACT, MULTIPLY, DIVIDE, POWER, LESS, AT_MOST, MORE, AT_LEAST, EQUAL, UNEQUAL,
  NEGATIVE, SIN, COS, TAN, EXP, LOG, SQRT, ABS, SIGN, TANH_OF, COSH, SINH,
  HEAVISIDE, MINIMUM, MAXIMUM, WHERE
};

/* A double from its four parts of 16 bits, the lowest first. */
static double number_at(const float *parts) {
  union { wide_word bits; double number; } as = {0};
  for (int i = 3; i >= 0; i--) as.bits = as.bits << 16 | (word)parts[i];
  return as.number;
}

ALWAYS dvec true_of(lvec where) { return either(where, every(1), every(0)); }

static dvec of_one(int operation, dvec x) {
  dvec sine, cosine;
  switch (operation) {
    case SQUARE: return x * x;
    case NEGATIVE: return -x;
    case ABS: return size_of_each(x);
    case SIGN: return either(x > 0.0, every(1), either(x < 0.0, every(-1), x + 0.0));
    case SQRT: return root_of_each(x);
    case EXP: return exponential_of(x);
    case LOG: return logarithm_of(x);
    case TANH_OF: return hyperbolic_tangent_of(x);
    case COSH: return hyperbolic_of(x, 0);
    case SINH: return hyperbolic_of(x, 1);
  }
  sine_cosine_of(x, &sine, &cosine);
  return operation == SIN ? sine : operation == COS ? cosine : sine / cosine;
}

static dvec of_two(int operation, dvec x, dvec y) {
  switch (operation) {
    case ADD: return x + y;
    case SUBTRACT: return x - y;
    case MULTIPLY: return x * y;
    case DIVIDE: return x / y;
    case LESS: return true_of(x < y);
    case AT_MOST: return true_of(x <= y);
    case MORE: return true_of(x > y);
    case AT_LEAST: return true_of(x >= y);
    case EQUAL: return true_of(x == y);
    case UNEQUAL: return true_of(x != y);
    case MINIMUM: return either((x < y) | (x != x), x, y);
    case MAXIMUM: return either((x > y) | (x != x), x, y);
    case HEAVISIDE: return either(x == 0.0, y + 0.0, true_of(~(x < 0.0)));
  }
  return power_of(x, y);
}

/* One program at DOUBLES places, of what was known there before: `column` the same for all of them,
   `row` one behind the other; functions lie `wide` apart. Returns where the next program begins. */
static const float *evaluated(const float *at, const double *column, const double *row, long wide,
                              dvec *out) {
  dvec stack[STACK], *top = stack - 1;
  for (;;) {
    int operation = (int)*at++;
    if (operation == END) {
      *out = *top;
      return at;
    } else if (operation == NUMBER) {
      *++top = every(number_at(at));
      at += 4;
    } else if (operation == COLUMN) {
      *++top = every(column[wide * (long)*at++]);
    } else if (operation == ROW) {
      *++top = *(const dvec *)(row + wide * (long)*at++);
    } else if (operation == WHERE) {
      top -= 2;
      *top = either(top[0] != 0.0, top[1], top[2]);
    } else if (operation == SQUARE || (operation >= NEGATIVE && operation < HEAVISIDE)) {
      *top = of_one(operation, *top);
    } else {
      top--;
      *top = of_two(operation, top[0], top[1]);
    }
  }
}

/* What a formula needs of each of τ numbers alone: these themselves, and then what `count` programs
   make of them; a row (of padded τ) for each. Returns where the next program begins. */
static const float *alone(const float *at, int count, int tau, const float *x, double *out) {
  long wide = padded(tau);
  const float *next = at;
  for (long s = 0; s < wide; s++) out[s] = s < tau ? x[s] : 0;
  for (int k = 1; k <= count; k++, at = next)
    for (long s = 0; s < wide; s += DOUBLES)
      next = evaluated(at, 0, out + s, wide, (dvec *)(out + k * wide + s));
  return at;
}
