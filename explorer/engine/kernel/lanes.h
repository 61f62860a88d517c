/* Numbers side by side, and the functions of them that a step of Eq. 5 needs.

   A `vec` is as wide as the machine's registers, and a `dvec` of doubles no wider, but where that were
   two; rows of matrices are padded to PAD floats. */

#pragma once

#if defined(__AVX512F__)
#define LANES 16
#define DOUBLES 8
#define PAD 16
#elif defined(__AVX__)
#define LANES 8
#define DOUBLES 4
#define PAD 8
#else
#define LANES 4
#define DOUBLES 4
#define PAD 8
#endif
#define ALWAYS static inline __attribute__((always_inline))
#define APART static __attribute__((noinline))

typedef float vec __attribute__((vector_size(4 * LANES), aligned(4)));
typedef int ivec __attribute__((vector_size(4 * LANES), aligned(4)));
typedef double dvec __attribute__((vector_size(8 * DOUBLES), aligned(8)));
typedef unsigned int word;

ALWAYS long padded(long width) { return (width + PAD - 1) / PAD * PAD; }
ALWAYS vec load(const float *from) { return *(const vec *)from; }
ALWAYS void store(float *to, vec x) { *(vec *)to = x; }
ALWAYS vec all(float x) { return x - (vec){0}; }
ALWAYS vec chosen(ivec where, vec yes, vec no) {
  return (vec)((where & (ivec)yes) | (~where & (ivec)no));
}
ALWAYS vec within(vec x, float least, float most) {
  x = chosen(x < all(least), all(least), x);
  return chosen(x > all(most), all(most), x);
}
/* Where numbers stand, which the compiler is not told: a vector of what it knows takes V8 three
   instructions, one of what is loaded a single one. */
#define LOADED(numbers) ({                  \
  __typeof__(&*(numbers)) where = numbers;  \
  __asm__("" : "+r"(where));                \
  where;                                    \
})

/* A polynomial of s, of floats or of doubles, by Horner's rule, its highest coefficient first. */
#define POLYNOMIAL(s, coefficients) ({                                              \
  __typeof__(&*(coefficients)) c = LOADED(coefficients);                            \
  __typeof__(s) at = (s), sum = c[0] - (__typeof__(s)){0};                          \
  _Pragma("GCC unroll 8")                                                           \
  for (unsigned long i = 1; i < sizeof coefficients / sizeof *coefficients; i++)    \
    sum = sum * at + c[i];                                                          \
  sum;                                                                              \
})

#define NEAREST 12582912.0f /* a number plus this has its nearest whole number in its low bits */
static const float TURNS[] = {0.636619772f, NEAREST, 1.5703125f, 4.837512969970703e-4f,
    7.549789948768648e-8f};
static const float SINE_ABOVE[] = {-1.9515295891e-4f, 8.3321608736e-3f, -1.6666654611e-1f};
static const float COSINE_ABOVE[] = {2.443315711809948e-5f, -1.388731625493765e-3f,
    4.166664568298827e-2f};

/* sin x and cos x in one go: x is taken to [−π/4, π/4] by multiples of π/2 in three parts (Cody and
   Waite), where a polynomial each does; |x| up to some thousands. */
ALWAYS void sine_cosine(vec x, vec *sine, vec *cosine) {
  const float *c = LOADED(TURNS);
  vec near = x * c[0] + c[1], n = near - c[1];
  vec r = ((x - n * c[2]) - n * c[3]) - n * c[4], s = r * r;
  vec odd = r + r * s * POLYNOMIAL(s, SINE_ABOVE);
  vec even = 1.0f - 0.5f * s + s * s * POLYNOMIAL(s, COSINE_ABOVE);
  ivec quarter = (ivec)near, swapped = (quarter & 1) != 0;
  *sine = (vec)((ivec)chosen(swapped, even, odd) ^ ((quarter & 2) << 30));
  *cosine = (vec)((ivec)chosen(swapped, odd, even) ^ (((quarter + 1) & 2) << 30));
}

static const float EXPONENTIAL[] = {1.9875691500e-4f, 1.3981999507e-3f, 8.3334519073e-3f, 4.1665795894e-2f,
    1.6666665459e-1f, 5.0000001201e-1f};
static const float TANH_ABOVE[] = {-2.76076847742355e-16f, 2.00018790482477e-13f, -8.60467152213735e-11f,
    5.12229709037114e-08f, 1.48572235717979e-05f, 6.37261928875436e-04f, 4.89352455891786e-03f};
static const float TANH_BELOW[] = {1.19825839466702e-06f, 1.18534705686654e-04f, 2.26843463243900e-03f,
    4.89352518554385e-03f};
static const float ERF_ABOVE[] = {-2.72614225801306e-10f, 2.77068142495902e-08f, -2.10102402082508e-06f,
    -5.69250639462346e-05f, -7.34990630326855e-04f, -2.95459980854025e-03f,
    -1.60960333262415e-02f};
static const float ERF_BELOW[] = {-1.45660718464996e-05f, -2.13374055278905e-04f, -1.68282697438203e-03f,
    -7.37332916720468e-03f, -1.42647390514189e-02f};

/* e^x, 0 below the least float that is normal. */
ALWAYS vec exponential(vec x) {
  ivec nothing = x < all(-87.0f);
  x = within(x, -87.0f, 88.0f);
  vec near = x * 1.44269504f + NEAREST, n = near - NEAREST;
  vec r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
  vec q = POLYNOMIAL(r, EXPONENTIAL) * r * r + r + 1.0f;
  return chosen(nothing, all(0.0f), q * (vec)(((ivec)near + 127) << 23));
}

/* tanh x, a rational minimax function on [−7.9, 7.9], beyond which it is 1 in float. */
ALWAYS vec hyperbolic_tangent(vec x) {
  x = within(x, -7.90531110763549805f, 7.90531110763549805f);
  return x * POLYNOMIAL(x * x, TANH_ABOVE) / POLYNOMIAL(x * x, TANH_BELOW);
}

/* erf x, a rational minimax function on [−4, 4], beyond which it is 1 in float. */
ALWAYS vec error_function(vec x) {
  x = within(x, -4.0f, 4.0f);
  return x * POLYNOMIAL(x * x, ERF_ABOVE) / POLYNOMIAL(x * x, ERF_BELOW);
}

/* Half by half, since each addition waits for the last. */
ALWAYS float sum_of(vec x) {
#pragma GCC unroll 4
  for (int half = LANES / 2; half; half /= 2)
#pragma GCC unroll 8
    for (int i = 0; i < half; i++) x[i] += x[i + half];
  return x[0];
}
