/* Random numbers by counter: Philox 4×32-10 (Salmon et al., "Parallel random numbers: as easy as
   1, 2, 3", 2011). The same key and counter give the same number in every engine. */

#ifndef DRAWS_H
#define DRAWS_H

#include "lanes.h"

typedef struct {
  word at[4];
} Block;

static Block philox(Block counter, word key0, word key1) {
  word *c = counter.at;
  for (int round = 0; round < 10; round++) {
    unsigned long long one = 0xD2511F53ull * c[0], two = 0xCD9E8D57ull * c[2];
    word next[4] = {(word)(two >> 32) ^ c[1] ^ key0, (word)two, (word)(one >> 32) ^ c[3] ^ key1,
                    (word)one};
    for (int i = 0; i < 4; i++) c[i] = next[i];
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return counter;
}

/* `count` numbers in [0, 1), multiples of 2⁻²⁴, of a step of the stream of a seed. */
static void draw(word seed, word stream, word step, long count, float *out) {
  for (long i = 0; i < count; i += 4) {
    Block block = philox((Block){{(word)(i / 4), step, 0, 0}}, seed, stream);
    for (int j = 0; j < 4 && i + j < count; j++) out[i + j] = (block.at[j] >> 8) * 0x1p-24f;
  }
}

#endif
