/* Random numbers: of a seed by counter, and those that every evaluation takes. */

#pragma once

#include "lanes.h"

typedef unsigned long long wide_word;

enum { STARTS, SEQUENCES, TRAINING_SET }; /* streams of a seed */

/* Philox 4×32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011): the same key
   and counter give the same numbers in every engine. */
static void philox(word c[4], word key0, word key1) {
  for (int round = 0; round < 10; round++) {
    wide_word one = 0xD2511F53ull * c[0], two = 0xCD9E8D57ull * c[2];
    word next[4] = {(word)(two >> 32) ^ c[1] ^ key0, (word)two, (word)(one >> 32) ^ c[3] ^ key1,
                    (word)one};
    for (int i = 0; i < 4; i++) c[i] = next[i];
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
}

/* `count` numbers in [0, 1), multiples of 2⁻²⁴, of a step of the stream of a seed. */
static void draw(word seed, word stream, word step, long count, float *out) {
  for (long i = 0; i < count; i += 4) {
    word block[4] = {(word)(i / 4), step, 0, 0};
    philox(block, seed, stream);
    for (int j = 0; j < 4 && i + j < count; j++) out[i + j] = (block[j] >> 8) * 0x1p-24f;
  }
}

/* PCG64, numpy's generator (O'Neill 2014), at targets/fixed.py's seed 12345. */
typedef struct {
  wide_word high, low;
} Fixed;

static const Fixed FIRST_FIXED = {0x1905e0335aae9634ull, 0x9199b0d09775add5ull};

/* The upper half of a · b. */
static wide_word above(wide_word a, wide_word b) {
  wide_word a1 = a >> 32, a0 = (word)a, b1 = b >> 32, b0 = (word)b;
  wide_word middle = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (word)middle;
  return a1 * b1 + (middle >> 32) + (other >> 32);
}

/* The next number in [0, 1]: the state of 128 bits goes to state · factor + addend. */
static float next_fixed(Fixed *at) {
  const wide_word up = 0x2360ed051fc65da4ull, down = 0x4385df649fccf645ull, add = 0x7d761f2d4027fae7ull;
  wide_word low = at->low * down + add;
  at->high = at->high * down + at->low * up + above(at->low, down) + 0xc9c7353e6e2b1f28ull + (low < add);
  at->low = low;
  wide_word mixed = at->high ^ low, by = at->high >> 58;
  return (float)((double)((mixed >> by | mixed << (-by & 63)) >> 11) * 0x1p-53);
}
