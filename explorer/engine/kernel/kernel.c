/* One model that learns a target of Eq. 8, as a browser, a worker and Python call it.

   Nothing is allocated and nothing is called: who trains hands over memory that is 0, and asks for
   so many steps. All fields of what is handed over have four bytes. */

#include "model.h"

#define EXPORT __attribute__((visibility("default")))
#define CALIBRATION 512 /* sequences that fix the centre and scale of y */
#define AFTER_CUT 20    /* steps of warm-up after a head start */
#define SMALLEST 1e-12  /* a term below it has no direction, relative to the first */

/* Bytes of a model, from an address that 64 divides; they must be 0 when it begins. */
EXPORT unsigned long bytes_of(const Settings *set) {
  Model model;
  return build(&model, set, 0);
}

EXPORT Model *begin(const Settings *set, char *at) {
  build((Model *)at, set, at);
  return (Model *)at;
}

/* Weights, moments, and SOAP's factors and bases, one after the other. */
EXPORT float *state_of(Model *model) { return model->net.weights; }
EXPORT long state_size(const Model *model) { return model->state_size; }
EXPORT long size_of(const Model *model) { return model->net.size; }
EXPORT float *gradient_of(Model *model) { return model->net.gradient; }
EXPORT float *numbers_of(Model *model) { return model->target.numbers; }
EXPORT float *units_of(Model *model) { return model->target.units; }
EXPORT float *points_of(Model *model) { return model->points; }
EXPORT float *quadrature_of(Model *model) { return model->quadrature; }
EXPORT float *designed_of(Model *model) { return model->designed; }
EXPORT int step_of(const Model *model) { return model->step; }

/* So many steps are done; where the head has another width then, the state is to be written. */
EXPORT void set_step(Model *model, int step) {
  int m_h = head_after(&model->set, step);
  if (m_h != model->net.shape.m_h) reshape(model, m_h);
  model->step = step;
}

/* Of a batch (batch × τ): x in [0, 1] (which = 0), y as it is learned (1), ŷ (2). */
EXPORT float *batch_of(Model *model, int which) {
  return which == 0 ? model->x : which == 1 ? model->y : model->guessed;
}

/* Of a layer (in the order of f̂, W_V, F̂, W_Q, W_K): where Wᵀ begins in a flat buffer (what = 0) and
   where b does (1), the padded width of Wᵀ's rows (2), and their width (3). */
EXPORT int layer_of(const Model *model, int which, int what) {
  const Layer *layer = &model->net.layers[which];
  long known[] = {layer->weight, layer->bias, padded(layer->out), layer->out};
  return (int)known[what];
}

/* What f̂ sees of numbers in [0, 1]. */
static void see(const Model *model, long count, const float *x, float *seen) {
  for (long i = 0; i < count; i++) seen[i] = model->set.raw_tokens ? x[i] : 2 * x[i] - 1;
}

/* f̂ of numbers in [0, 1], a row for each. */
static void features_of(Model *model, long count, const float *x, float *h) {
  Network *net = &model->net;
  long few = most_tokens(&net->shape);
  for (long i = 0; i < count; i += few) {
    long some = count - i < few ? count - i : few;
    see(model, some, x + i, net->d_one);
    forward_mlp(net, &net->f, some, net->d_one, 1, h + i * padded(net->shape.n));
  }
}

/* Nodes of a side, and the roots of their weights. */
typedef struct {
  int count;
  const float *at, *roots;
} Nodes;

/* The functions of the centred ρ̂, at u and v, and its singular values. */
static void learned(Model *model, Nodes u, Nodes v, Rows *left, Rows *right, double *sigma) {
  const Network *net = &model->net;
  features_of(model, u.count, u.at, model->features);
  *left = side_rows(net, net->Q, u.count, model->features, u.roots, model->left);
  features_of(model, v.count, v.at, model->features);
  *right = side_rows(net, net->K, v.count, model->features, v.roots, model->right);
  centre(net->shape.m_h, *right, v.count, v.roots);
  decompose(net->shape.m_h, *left, *right, sigma);
}

/* The head start is over: the head goes on as the m_h leading terms of what it has learned, each
   with √σ_j on either side, under a fresh optimiser. */
static void cut(Model *model) {
  float at[NODES], roots[NODES];
  double sigma[WIDEST_HEAD];
  Rows sides[2];
  gauss(NODES, at, roots);
  Nodes nodes = {NODES, at, roots};
  learned(model, nodes, nodes, &sides[0], &sides[1], sigma);
  reshape(model, model->set.m_h);
  const Layer *layers[] = {model->net.Q, model->net.K};
  for (int side = 0; side < 2; side++)
    for (int j = 0; j < model->set.m_h && sigma[j] > SMALLEST * sigma[0]; j++) {
      float *weight = model->net.weights + layers[side]->weight + j;
      const double *takes = sides[side].at + j * sides[side].length + sides[side].nodes;
      for (int c = 0; c < model->set.n; c++)
        weight[c * padded(model->set.m_h)] = (float)(__builtin_sqrt(sigma[j]) * takes[c]);
    }
}

/* Linear warm-up, shortened to a third of the run, then constant or a cosine to 0. */
static double schedule(const Settings *set, int step) {
  int warmup = set->warmup < set->steps / 3 ? set->warmup : set->steps / 3;
  if (step <= warmup) return (double)set->lr * step / warmup;
  if (set->constant) return set->lr;
  double part = (double)(step - warmup) / (set->steps - warmup + 1);
  vec sine, cosine;
  sine_cosine(all((float)(3.14159265358979 * part)), &sine, &cosine);
  return set->lr * 0.5 * (1 + (double)cosine[0]);
}

/* The fresh optimiser after a head start warms up, too. */
static double rate_of(const Settings *set, int step) {
  int since = step - started_until(set);
  double part = since > 0 && since < step && since < AFTER_CUT ? (double)since / AFTER_CUT : 1;
  return schedule(set, step) * part;
}

/* The loss on the batch that stands in x and y; fills the gradient. */
EXPORT float differentiate(Model *model) {
  see(model, model->set.batch * model->set.tau, model->x, model->seen);
  return loss_and_gradient(&model->net, model->set.batch, model->seen, model->y);
}

/* One step on the batch that stands in x and y, at a learning rate; the loss before it. */
EXPORT float learn(Model *model, float rate) {
  Network *net = &model->net;
  int until = started_until(&model->set);
  if (until && model->step == until) cut(model);
  float loss = differentiate(model);
  int step = ++model->step > until ? model->step - until : model->step; /* of its optimiser */
  if (model->set.soap)
    soap_step(&model->soap, step, net->size, net->weights, net->gradient, model->first,
              model->second, rate);
  else
    adam_step(step, net->size, net->weights, net->gradient, model->first, model->second, rate);
  return loss;
}

/* So many sequences of the training set, one after the other from one on and round again. */
static void take_of_set(Model *model, wide_word first, long count) {
  const Settings *set = &model->set;
  for (long b = 0; b < count; b++) {
    word which = (word)((first + (wide_word)b) % (wide_word)set->sequences);
    draw(set->seed, TRAINING_SET, which, set->tau, model->x + b * set->tau);
  }
}

/* The sequences of the next step, fresh ones where there is no training set, and their answers. */
EXPORT void fresh(Model *model) {
  const Settings *set = &model->set;
  if (set->sequences) take_of_set(model, (wide_word)model->step * (wide_word)set->batch, set->batch);
  else draw(set->seed, SEQUENCES, (word)model->step, set->batch * set->tau, model->x);
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

/* ŷ, as it is learned, of the first sequences that stand in x. */
static void guess(Model *model, long sequences) {
  long tau = model->set.tau, few = most_tokens(&model->net.shape) / tau;
  see(model, sequences * tau, model->x, model->seen);
  for (long b = 0; b < sequences; b += few) {
    long some = sequences - b < few ? sequences - b : few;
    forward(&model->net, some, model->seen + b * tau);
    for (long t = 0; t < some * tau; t++) model->guessed[b * tau + t] = model->net.answer[t * PAD];
  }
}

EXPORT void predict(Model *model) { guess(model, model->set.batch); }

/* Sums of y, y², (ŷ − y)² and |ŷ − y|, as they are learned, over some sequences. */
typedef struct {
  double y, y2, square, absolute;
} Sums;

enum { FRESH, TRAINED_ON }; /* the first fixed sequences, or the first of the training set */

static Sums over(Model *model, int which, long count, int guessing) {
  Sums sums = {0};
  Fixed at = FIRST_FIXED;
  long tau = model->set.tau, batch = model->set.batch;
  for (long b = 0; b < count; b += batch) {
    long some = count - b < batch ? count - b : batch;
    if (which == TRAINED_ON) take_of_set(model, (wide_word)b, some);
    else
      for (long i = 0; i < some * tau; i++) model->x[i] = next_fixed(&at);
    answer(&model->target, some, model->x, model->y);
    if (guessing) guess(model, some);
    for (long i = 0; i < some * tau; i++) {
      double y = model->y[i], error = model->guessed[i] - y;
      sums.y += y;
      sums.y2 += y * y;
      sums.square += error * error;
      sums.absolute += error < 0 ? -error : error;
    }
  }
  return sums;
}

/* Mean square and mean size of ŷ − y on the first fixed sequences (which = 0) or on the first of the
   training set (1), and the variance of y there, in units of y. */
EXPORT float *evaluate(Model *model, int which, int count) {
  Sums sums = over(model, which, count, 1);
  double n = (double)count * model->set.tau, scale = model->target.units[1];
  model->errors[0] = (float)(sums.square / n * scale * scale);
  model->errors[1] = (float)(sums.absolute / n * scale);
  model->errors[2] = (float)((sums.y2 - sums.y * sums.y / n) / n * scale * scale);
  return model->errors;
}

/* `count` numbers between ±bound of a part of the stream of starts. */
static void draw_start(const Model *model, word part, long count, double bound, float *out) {
  draw(model->set.seed, STARTS, part, count, out);
  for (long i = 0; i < count; i++) out[i] = (float)bound * (2 * out[i] - 1);
}

/* PyTorch's default is ±1/√in for weights and biases. SIREN (Sitzmann et al. 2020): f̂'s first
   weights ±30/in and biases ±π, its later weights ±√(6/in). Numbers are drawn row by row of W. */
static void draw_layer(Model *model, int which) {
  const Layer *layer = &model->net.layers[which];
  int in = layer->in, siren = model->set.siren && which < model->set.depth;
  double plain = 1 / __builtin_sqrt(in), weight = plain;
  if (siren) weight = which ? __builtin_sqrt(6.0 / in) : 30.0 / in;
  float *drawn = model->net.gradient, *to = model->net.weights + layer->weight;
  draw_start(model, 2 * (word)which, (long)in * layer->out, weight, drawn);
  transpose(layer->out, in, drawn, in, to);
  if (layer->bias >= 0)
    draw_start(model, 2 * (word)which + 1, layer->out, siren && !which ? 3.141592653589793 : plain,
               model->net.weights + layer->bias);
}

/* Centre and scale of what is learned, by fixed sequences; raw answers stay as they are. */
static void calibrate(Model *model) {
  Sums sums = over(model, FRESH, CALIBRATION, 0);
  double n = (double)CALIBRATION * model->set.tau, mean = sums.y / n;
  double square = (sums.y2 - n * mean * mean) / (n - 1);
  double deviation = square > 1e-24 ? __builtin_sqrt(square) : 1e-12;
  float *units = model->target.units;
  if (model->set.raw_answers) units[2] = (float)(deviation * deviation);
  else units[0] = (float)mean, units[1] = (float)deviation;
}

/* Step 0 of the seed: its parameters, and the units of its answers; the numbers of the target are
   there. */
EXPORT void start(Model *model) {
  for (int i = 0; i < model->net.count; i++) draw_layer(model, i);
  calibrate(model);
}

/* ρ̂(u_i, v_j) = ⟨W_Q f̂(u_i), W_K f̂(v_j)⟩ (rows × columns, 256 × 256 at most) at the points u from
   points[0] and v from points[256] on. */
EXPORT float *grid(Model *model, int rows, int columns) {
  Network *net = &model->net;
  long m_h = net->shape.m_h, wide = padded(m_h), n = padded(net->shape.n);
  features_of(model, rows, model->points, model->features);
  apply(net, net->Q, rows, model->features, n, model->query);
  features_of(model, columns, model->points + NODES, model->features);
  apply(net, net->K, columns, model->features, n, model->key);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++)
      model->picture[i * columns + j] = dot(0, m_h, model->query + i * wide, model->key + j * wide);
  return model->picture;
}

/* Of a coupling by bases the first functions of either side (16 at most), which are those of its POD
   where its σ_k fall, at so many nodes of the quadrature: what pod calls designed. */
EXPORT void design(Model *model, int rows, int columns, int count) {
  const Design *by = &model->target.by;
  const float *at = model->quadrature, *roots = at + 2 * MOST_NODES;
  const Functions sides[] = {by->left, by->right};
  const int nodes[] = {rows, columns};
  for (int side = 0; side < 2; side++, at += MOST_NODES, roots += MOST_NODES) {
    float *out = model->designed + side * SUBSPACES * MOST_NODES;
    values_of(sides[side], count, MOST_NODES, at, out);
    for (int k = 0; k < count; k++, out += MOST_NODES)
      for (int i = 0; i < MOST_NODES; i++) out[i] = i < nodes[side] ? out[i] * roots[i] : 0;
  }
}

/* σ̂_1 … σ̂_m_h of the centred ρ̂ at so many nodes (rows along u, columns along v), and then, of k = 1
   … count (16 and m_h at most), the cosine of the largest principal angle between the leading k
   learned functions of a side and the designed ones, of both sides the smaller. From 512 floats each:
   the quadrature is u, v, √w_u, √w_v; designed are 16 rows √w_u φ_k and 16 rows √w_v ψ_k. */
EXPORT float *pod(Model *model, int rows, int columns, int count) {
  const float *u = model->quadrature, *v = u + MOST_NODES, *roots = v + MOST_NODES;
  double sigma[WIDEST_HEAD];
  Rows left, right;
  learned(model, (Nodes){rows, u, roots}, (Nodes){columns, v, roots + MOST_NODES}, &left, &right, sigma);
  float *cosines = model->singular + model->net.shape.m_h;
  for (int j = 0; j < model->net.shape.m_h; j++) model->singular[j] = (float)sigma[j];
  for (int k = 0; k < count; k++) cosines[k] = 1;
  compare(count, model->designed, MOST_NODES, left, cosines);
  compare(count, model->designed + SUBSPACES * MOST_NODES, MOST_NODES, right, cosines);
  return model->singular;
}

/* A matrix of a sequence (τ × padded τ) as τ × τ. */
static float *unpadded(Model *model, const float *rows) {
  int tau = model->set.tau;
  for (int i = 0; i < tau * tau; i++)
    model->picture[i] = rows[i / tau * padded(tau) + i % tau];
  return model->picture;
}

/* The weights of attention (τ × τ) of the first sequence that stands in x. */
EXPORT float *attention(Model *model) {
  see(model, model->set.tau, model->x, model->seen);
  forward(&model->net, 1, model->seen);
  return unpadded(model, model->net.attention);
}

/* ρ(x_t, x_s) of the target (τ × τ) for the first sequence that stands in x. */
EXPORT float *coupling(Model *model) {
  couple(&model->target, model->x);
  return unpadded(model, model->target.weights);
}
