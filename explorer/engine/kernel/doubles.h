/* Elementary functions in double, of the arguments and at the edges of C's own: infinities, nan and
   zeros with their signs. Methods and coefficients are those of fdlibm (Sun Microsystems, 1993); no
   library is called, so that the bits are those of every machine. */

#pragma once

#include "draws.h"

typedef long long lvec __attribute__((vector_size(8 * DOUBLES), aligned(8)));

#define WHOLE 0x1.8p52 /* a number plus this has its nearest whole number in its low bits */
#define INFINITE __builtin_inf()

ALWAYS dvec every(double x) { return x - (dvec){0}; }
ALWAYS dvec either(lvec where, dvec yes, dvec no) {
  return (dvec)((where & (lvec)yes) | (~where & (lvec)no));
}
ALWAYS dvec size_of_each(dvec x) { return (dvec)((lvec)x & 0x7fffffffffffffffll); }
ALWAYS dvec signed_as(dvec size, dvec x) {
  return (dvec)((lvec)size | ((lvec)x & (-0x7fffffffffffffffll - 1)));
}
ALWAYS dvec truncated(dvec x) {
  for (int i = 0; i < DOUBLES; i++) x[i] = __builtin_trunc(x[i]);
  return x;
}
ALWAYS dvec root_of_each(dvec x) {
  for (int i = 0; i < DOUBLES; i++) x[i] = __builtin_sqrt(x[i]);
  return x;
}
/* Of whole numbers between −1023 and 1024. */
ALWAYS dvec two_to(dvec n) { return (dvec)(((lvec)(n + WHOLE) + 1023) << 52); }

static const double SINE_OF[] = {1.58969099521155010221e-10, -2.50507602534068634195e-08,
    2.75573137070700676789e-06, -1.98412698298579493134e-04, 8.33333333332248946124e-03,
    -1.66666666666666324348e-01};
static const double COSINE_OF[] = {-1.13596475577881948265e-11, 2.08757232129817482790e-09,
    -2.75573143513906633035e-07, 2.48015872894767294178e-05, -1.38888888888741095749e-03,
    4.16666666666666019037e-02};
static const double EXPONENTIAL_OF[] = {4.13813679705723846039e-08, -1.65339022054652515390e-06,
    6.61375632143793436117e-05, -2.77777777770155933842e-03, 1.66666666666666019037e-01};
static const double LOGARITHM_OF[] = {1.479819860511658591e-01, 1.531383769920937332e-01,
    1.818357216161805012e-01, 2.222219843214978396e-01, 2.857142874366239149e-01,
    3.999999999940941908e-01, 6.666666666666735130e-01};
static const double LN2_HIGH = 6.93147180369123816490e-01, LN2_LOW = 1.90821492927058770002e-10;

/* 1/2π in words of 64 bits, behind a word of 0. */
static const wide_word TURN[] = {0,
    0x28be60db9391054aull, 0x7f09d5f47d4d3770ull, 0x36d8a5664f10e410ull, 0x7f9458eaf7aef158ull,
    0x6dc91b8e909374b8ull, 0x01924bba82746487ull, 0x3f877ac72c4a69cfull, 0xba208d7d4baed121ull,
    0x3a671c09ad17df90ull, 0x4e64758e60d4ce7dull, 0x272117e2ef7e4a0eull, 0xc7fe25fff7816603ull,
    0xfbcbc462d6829b47ull, 0xdb4d9fb3c9f2c26dull, 0xd3d18fd9a797fa8bull, 0x5d49eeb1faf97c5eull,
    0xcf41ce7de294a4baull, 0x9afed7ec47e35742ull};

/* 64 bits of TURN from a bit on. */
static wide_word bits_from(int bit) {
  wide_word word = TURN[bit / 64] << bit % 64;
  return bit % 64 ? word | TURN[bit / 64 + 1] >> (64 - bit % 64) : word;
}

/* x in [−π, π], less whole turns, of x = m 2^e ≥ 2²⁰ (Payne and Hanek 1983): m times the bits of
   1/2π from bit e on, those before it being whole turns. */
static double less_turns(double x) {
  union { double number; wide_word bits; } as = {x};
  int from = (int)(as.bits >> 52 & 2047) - 1075 + 64;
  wide_word m = (as.bits & 0xfffffffffffffull) | 0x10000000000000ull;
  wide_word turn = m * bits_from(from) + above(m, bits_from(from + 64));
  double within = (double)(long long)turn * (6.283185307179586 * 0x1p-64);
  return x < 0 ? -within : within;
}

/* sin x and cos x: x less multiples of π/2 in three parts (Cody and Waite). */
ALWAYS void sine_cosine_of(dvec x, dvec *sine, dvec *cosine) {
  for (int i = 0; i < DOUBLES; i++)
    if (__builtin_fabs(x[i]) >= 0x1p20 && __builtin_fabs(x[i]) < INFINITE) x[i] = less_turns(x[i]);
  dvec n = (x * 0.636619772367581343 + WHOLE) - WHOLE;
  dvec r = ((x - n * 1.57079632673412561417) - n * 6.07710050630396597660e-11) -
           n * 2.02226624879595063154e-21;
  dvec s = r * r, odd = signed_as(r + r * s * POLYNOMIAL(s, SINE_OF), r);
  dvec even = 1.0 - (0.5 * s - s * s * POLYNOMIAL(s, COSINE_OF));
  lvec quarter = (lvec)(n + WHOLE), swapped = (quarter & 1) != 0;
  *sine = (dvec)((lvec)either(swapped, even, odd) ^ ((quarter & 2) << 62));
  *cosine = (dvec)((lvec)either(swapped, odd, even) ^ (((quarter + 1) & 2) << 62));
}

/* e^x = 2^n (1 + q): returns q, |x| < 1022 ln 2. */
ALWAYS dvec above_one(dvec x, dvec *n) {
  *n = (x * 1.44269504088896338700 + WHOLE) - WHOLE;
  dvec r = (x - *n * LN2_HIGH) - *n * LN2_LOW, s = r * r;
  dvec c = r - s * POLYNOMIAL(s, EXPONENTIAL_OF);
  return r + r * c / (2.0 - c);
}

APART dvec exponential_of(dvec x) {
  x = either(x < -746.0, every(-746), x);
  x = either(x > 710.0, every(710), x);
  dvec n, q = above_one(x, &n), half = (0.5 * n + WHOLE) - WHOLE;
  return (1.0 + q) * two_to(half) * two_to(n - half);
}

/* e^x − 1 for −700 < x < 700. */
APART dvec exponential_less_one(dvec x) {
  dvec n, q = above_one(x, &n), scale = two_to(n);
  return scale * q + (scale - 1.0);
}

/* sinh x where `odd` is so, else cosh x; as e^|x|/2 squared it is infinite no earlier than they. */
APART dvec hyperbolic_of(dvec x, int odd) {
  dvec size = size_of_each(x), half = exponential_of(0.5 * size);
  dvec rising = 0.5 * half * half, falling = 0.5 / half / half;
  if (!odd) return rising + falling;
  dvec less = exponential_less_one(either(size < 1.0, size, every(0)));
  return signed_as(either(size < 1.0, 0.5 * (less + less / (less + 1.0)), rising - falling), x);
}

ALWAYS dvec hyperbolic_tangent_of(dvec x) {
  dvec size = size_of_each(x);
  dvec less = exponential_less_one(2.0 * either(size > 20.0, every(20), size));
  return signed_as(less / (less + 2.0), x);
}

/* ln x = k ln 2 + ln(1 + f), 1 + f between √½ and √2. */
APART dvec logarithm_of(dvec x) {
  const lvec low = (lvec)every(0.70710678118654752440), unit = (lvec)every(WHOLE);
  lvec denormal = x < 0x1p-1022, bits = (lvec)either(denormal, x * 0x1p54, x);
  lvec power = (bits - low) >> 52;
  dvec f = (dvec)(bits - (power << 52)) - 1.0, s = f / (2.0 + f), half = 0.5 * f * f;
  dvec k = (dvec)(power + unit) - WHOLE - either(denormal, every(54), every(0));
  dvec rest = s * (half + s * s * POLYNOMIAL(s * s, LOGARITHM_OF)) + k * LN2_LOW;
  dvec edge = either(x == 0.0, every(-INFINITE), either(x < 0.0, every(__builtin_nan("")), x));
  return either((x > 0.0) & (x < INFINITE), k * LN2_HIGH - ((half - rest) - f), edge);
}

/* x^y = e^(y ln |x|), whose sign is that of x where y is odd. */
ALWAYS dvec power_of(dvec x, dvec y) {
  dvec base = size_of_each(x), size = exponential_of(y * logarithm_of(base));
  size = either(base == 1.0, every(1), size);
  lvec whole = truncated(y) == y, odd = whole & (truncated(0.5 * y) != 0.5 * y);
  dvec power = either(odd, signed_as(size, x), size);
  power = either(~whole & (x < 0.0) & (x > -INFINITE), every(__builtin_nan("")), power);
  return either((y == 0.0) | (x == 1.0), every(1), power);
}
