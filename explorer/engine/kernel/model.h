/* A model in one piece of memory: what learning keeps stands last, so that it can be laid out anew for
   another width of the head. */

#pragma once

#include "pod.h"
#include "soap.h"
#include "target.h"

#define NODES 256      /* a side of a picture, at most */
#define MOST_NODES 512 /* a side of a POD */
#define WIDEST_HEAD 64

typedef struct {
  int tau, n, d_v, m_h, m_ff, depth, head_start, inner, outer; /* the network */
  int siren, soap, batch, sequences, steps, warmup, constant, raw_tokens, raw_answers;
  word seed;
  float lr;
  Design design; /* the target */
} Settings;

typedef struct {
  Settings set;
  Network net;
  Soap soap;
  Target target;
  int step;
  unsigned long learning, end; /* bytes before what learning needs, and behind it */
  long state_size;
  float *first, *second;         /* moments; weights, moments, factors and bases are one row: the state */
  float *x, *seen, *y, *guessed; /* of a batch */
  float *points, *features, *query, *key, *picture; /* of looks at what is learned */
  float *quadrature, *designed, *singular;          /* of its POD */
  double *left, *right;                             /* its functions */
  float errors[3];
} Model;

/* The last step of a head start, 0 where there is none. */
static int started_until(const Settings *set) { return set->head_start ? set->steps / 2 : 0; }

/* Width of the head when so many steps are done. */
static int head_after(const Settings *set, int steps) {
  if (steps > started_until(set) || !started_until(set)) return set->m_h;
  return set->m_h + set->head_start < WIDEST_HEAD ? set->m_h + set->head_start : WIDEST_HEAD;
}

static void lay_out_batch(Model *model, Arena *arena) {
  const Settings *set = &model->set;
  long m_h = head_after(set, 0), functions = 2 * m_h * (MOST_NODES + padded(set->n));
  lay_out_target(&model->target, set->design, set->tau, arena);
  float **batches[] = {&model->x, &model->seen, &model->y, &model->guessed};
  for (int i = 0; i < 4; i++) *batches[i] = room(arena, set->batch * set->tau);
  model->points = room(arena, 2 * NODES);
  model->features = room(arena, MOST_NODES * padded(set->n));
  model->query = room(arena, NODES * padded(m_h));
  model->key = room(arena, NODES * padded(m_h));
  model->quadrature = room(arena, 4 * MOST_NODES);
  model->designed = room(arena, 2 * SUBSPACES * MOST_NODES);
  model->singular = room(arena, m_h + SUBSPACES);
  model->left = (double *)room(arena, functions);
  model->right = (double *)room(arena, functions);
  model->picture = room(arena, NODES * NODES);
}

/* The state first, whose place is the same whatever m_h is. */
static void lay_out_learning(Model *model, int m_h, Arena *arena) {
  const Settings *set = &model->set;
  place(&model->net,
        (Shape){set->tau, set->n, set->d_v, m_h, set->m_ff, set->depth, set->inner, set->outer});
  unsigned long begin = arena->used;
  model->net.weights = room(arena, model->net.size);
  model->first = room(arena, model->net.size);
  model->second = room(arena, model->net.size);
  if (set->soap) lay_out_soap(&model->soap, &model->net, arena);
  model->state_size = (long)((arena->used - begin) / sizeof(float));
  if (set->soap) lay_out_work(&model->soap, &model->net, arena);
  lay_out(&model->net, arena);
}

static unsigned long build(Model *model, const Settings *set, char *at) {
  Arena arena = {at, (sizeof(Model) + 63) / 64 * 64};
  model->set = *set;
  lay_out_batch(model, &arena);
  model->learning = arena.used;
  lay_out_learning(model, head_after(set, 0), &arena);
  return model->end = arena.used;
}

/* Another width of the head, which is then 0 as all is that learning keeps. */
static void reshape(Model *model, int m_h) {
  Arena arena = {(char *)model, model->learning};
  lay_out_learning(model, m_h, &arena);
  float *end = (float *)((char *)model + model->end);
  for (float *at = model->net.weights + model->net.Q->weight; at < end; at++) *at = 0;
}
