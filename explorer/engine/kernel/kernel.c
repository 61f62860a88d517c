/* One model that learns a target of Eq. 8, as a browser, a worker and Python call it.

   Nothing is allocated and nothing is called: who trains hands over memory that is 0, and asks for
   so many steps. All fields of what is handed over have four bytes. */

#include "draws.h"
#include "soap.h"
#include "target.h"

#define EXPORT __attribute__((visibility("default")))

#if defined(__wasm__) /* which has no library */
void *memset(void *at, int value, unsigned long count) {
  for (unsigned long i = 0; i < count; i++) ((char *)at)[i] = (char)value;
  return at;
}
void *memcpy(void *to, const void *from, unsigned long count) {
  for (unsigned long i = 0; i < count; i++) ((char *)to)[i] = ((const char *)from)[i];
  return to;
}
#endif

typedef struct {
  int tau, n, d_v, m_h, m_ff, depth, inner, outer; /* the network */
  int soap, batch, steps, warmup, constant, raw;
  word seed, stream;
  float lr;
  int terms, left, first_left, right, first_right, rows, columns; /* the target */
  float centre, scale;
} Settings;

typedef struct {
  Settings set;
  Network net;
  Soap soap;
  Target target;
  int step;
  long state_size;
  float *first, *second; /* moments; weights, moments, factors and bases are one row: the state */
  float *x, *seen, *y;   /* of a batch */
  float *numbers;        /* σ_k, or samples */
} Model;

static void build(Model *model, const Settings *set, Arena *arena) {
  model->set = *set;
  place(&model->net, (Shape){set->tau, set->n, set->d_v, set->m_h, set->m_ff, set->depth, set->inner,
                             set->outer});
  unsigned long begin = arena->used;
  model->net.weights = room(arena, model->net.size);
  model->first = room(arena, model->net.size);
  model->second = room(arena, model->net.size);
  if (set->soap) lay_out_soap(&model->soap, &model->net, arena);
  model->state_size = (long)((arena->used - begin) / sizeof(float));
  if (set->soap) lay_out_work(&model->soap, &model->net, arena);
  lay_out(&model->net, arena);
  model->target = (Target){set->tau, set->terms, {set->left, set->first_left},
                           {set->right, set->first_right}, set->rows, set->columns, 0, set->centre,
                           set->scale, 0, 0, 0};
  lay_out_target(&model->target, arena);
  model->numbers = room(arena, set->terms ? set->terms : set->rows * set->columns);
  model->target.numbers = model->numbers;
  float **batches[] = {&model->x, &model->seen, &model->y};
  for (int i = 0; i < 3; i++) *batches[i] = room(arena, set->batch * set->tau);
}

/* Bytes of a model, from an address that 64 divides; they must be 0 when it begins. */
EXPORT unsigned long bytes_of(const Settings *set) {
  Model model = {0};
  Arena arena = {0, (sizeof(Model) + 63) / 64 * 64};
  build(&model, set, &arena);
  return arena.used;
}

EXPORT Model *begin(const Settings *set, char *at) {
  Model *model = (Model *)at;
  Arena arena = {at, (sizeof(Model) + 63) / 64 * 64};
  build(model, set, &arena);
  return model;
}

/* Weights, moments, and SOAP's factors and bases, one after the other. */
EXPORT float *state_of(Model *model) { return model->net.weights; }
EXPORT long state_size(const Model *model) { return model->state_size; }
EXPORT long size_of(const Model *model) { return model->net.size; }
EXPORT float *gradient_of(Model *model) { return model->net.gradient; }
EXPORT float *numbers_of(Model *model) { return model->numbers; }
EXPORT void set_step(Model *model, int step) { model->step = step; }
EXPORT float *batch_of(Model *model, int which) {
  return which == 0 ? model->x : which == 1 ? model->seen : model->y;
}

/* Of layer l of f̂ (which = 0) or F̂ (1), or of W_Q, W_K, W_V (2, 3, 4): where Wᵀ begins in a flat
   buffer (what = 0) and where b does (1), and the padded width of Wᵀ's rows (2). */
EXPORT int layer_of(const Model *model, int which, int l, int what) {
  const Network *net = &model->net;
  const Layer *sides[] = {&net->f.layers[l], &net->F.layers[l], &net->Q, &net->K, &net->V};
  const Layer *layer = sides[which];
  return (int)(what == 0 ? layer->weight : what == 1 ? layer->bias : padded(layer->out));
}

/* Linear warm-up, shortened to a third of the run, then constant or a cosine to 0. */
static double rate_of(const Settings *set, int step) {
  int warmup = set->warmup < set->steps / 3 ? set->warmup : set->steps / 3;
  if (step <= warmup) return (double)set->lr * step / warmup;
  if (set->constant) return set->lr;
  double part = (double)(step - warmup) / (set->steps - warmup + 1);
  vec sine, cosine;
  sine_cosine(all((float)(3.14159265358979 * part)), &sine, &cosine);
  return set->lr * 0.5 * (1 + (double)cosine[0]);
}

static void see(Model *model, long count) {
  for (long i = 0; i < count; i++) model->seen[i] = model->set.raw ? model->x[i] : 2 * model->x[i] - 1;
}

/* The loss on the batch that stands in x and y; fills the gradient. */
EXPORT float differentiate(Model *model) {
  see(model, model->set.batch * model->set.tau);
  return loss_and_gradient(&model->net, model->set.batch, model->seen, model->y);
}

/* One step on the batch that stands in x and y, at a learning rate; the loss before it. */
EXPORT float learn(Model *model, float rate) {
  Network *net = &model->net;
  float loss = differentiate(model);
  model->step++;
  if (model->set.soap)
    soap_step(&model->soap, model->step, net->size, net->weights, net->gradient, model->first,
              model->second, rate);
  else
    adam_step(model->step, net->size, net->weights, net->gradient, model->first, model->second, rate);
  return loss;
}

/* Fresh sequences of the next step and their answers. */
EXPORT void fresh(Model *model) {
  const Settings *set = &model->set;
  draw(set->seed, set->stream, (word)model->step, set->batch * set->tau, model->x);
  answer(&model->target, set->batch, model->x, model->y);
}

/* So many steps, each on fresh sequences; the last loss. */
EXPORT float advance(Model *model, int steps) {
  float loss = 0;
  for (int i = 0; i < steps; i++) {
    fresh(model);
    loss = learn(model, (float)rate_of(&model->set, model->step + 1));
  }
  return loss;
}

/* ŷ, as it is learned, of the batch that stands in x, into y. */
EXPORT void predict(Model *model) {
  long tau = model->set.tau, few = most_tokens(&model->net.shape) / tau;
  see(model, model->set.batch * tau);
  for (long b = 0; b < model->set.batch; b += few) {
    long some = model->set.batch - b < few ? model->set.batch - b : few;
    forward(&model->net, some, model->seen + b * tau);
    for (long t = 0; t < some * tau; t++) model->y[b * tau + t] = model->net.answer[t * PAD];
  }
}
