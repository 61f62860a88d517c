/* The Transformer of Eq. 5, its loss and its gradient:

     ĥ(s) = f̂(x(s)),   Ĥ_t(x) = F̂( Σ_s softmax[(W_Q ĥ(t))ᵀ W_K ĥ(·)](s) · W_V ĥ(s) )

   Tokens are rows. A layer z = a Wᵀ + b keeps Wᵀ (in × out), which a step forward reads along its
   rows, and a copy W for the way back. Sequences are taken so few at a time that all that belongs
   to them stays in the cache. Columns beyond a width are 0 in weights and activations (each
   activation of 0 is 0), so they have no gradient and stay 0. On the way back d_x is the derivative of
   the loss by x. */

#pragma once

#include "products.h"

#define DEEPEST 6
#define TOKENS 64 /* at a time, or one sequence */

enum { SINE, TANH, GELU, RELU };

typedef struct {
  int tau, n, d_v, m_h, m_ff, depth, inner, outer; /* the activations of f̂ and of F̂ */
} Shape;

/* Where a matrix Wᵀ (in × out) and its bias begin in a flat buffer; `turned` is where W begins
   among the copies. */
typedef struct {
  int in, out;
  long weight, bias, turned;
} Layer;

/* Of every layer an MLP keeps what went in, and the slopes of the activation that made it. */
typedef struct {
  Layer *layers;
  int depth, activation;
  float *entering[DEEPEST], *slopes[DEEPEST];
} Mlp;

typedef struct {
  Shape shape;
  Layer layers[2 * DEEPEST + 3]; /* of f̂, W_V, of F̂, W_Q, W_K */
  int count;
  Mlp f, F;
  Layer *Q, *K, *V;
  long size, turned_size; /* floats of a flat buffer, and of the copies */
  float *weights, *gradient, *turned;
  float *h, *query, *key, *value, *attention, *mixed, *answer;    /* a row for each token */
  float *d_h, *d_query, *d_key, *d_value, *d_one, *d_two, *d_logits;
  float *across; /* keys or values of one sequence, transposed */
} Network;

/* Memory that is handed out in a row; with `from` = 0 it is only measured. */
typedef struct {
  char *from;
  unsigned long used;
} Arena;

static float *room(Arena *arena, long floats) {
  float *here = arena->from ? (float *)(arena->from + arena->used) : 0;
  arena->used += (unsigned long)padded(floats) * sizeof(float);
  return here;
}

static Layer *layer(Network *net, int in, int out, int biased) {
  Layer *made = &net->layers[net->count++];
  *made = (Layer){in, out, net->size, biased ? net->size + in * padded(out) : -1, net->turned_size};
  net->size += (in + biased) * padded(out);
  net->turned_size += out * padded(in);
  return made;
}

static Mlp mlp(Network *net, int in, int out, int activation) {
  int depth = net->shape.depth, hidden = net->shape.m_ff;
  Mlp made = {&net->layers[net->count], depth, activation, {0}, {0}};
  for (int l = 0; l < depth; l++) layer(net, l ? hidden : in, l + 1 < depth ? hidden : out, 1);
  return made;
}

static long most_tokens(const Shape *shape) {
  return shape->tau > TOKENS ? shape->tau : TOKENS / shape->tau * shape->tau;
}

static long widest(const Shape *s) {
  long most = s->m_ff > s->n ? s->m_ff : s->n;
  return padded(most > s->d_v ? most : s->d_v);
}

static void lay_out_mlp(Mlp *mlp, long tokens, Arena *arena) {
  for (int l = 1; l < mlp->depth; l++) {
    mlp->entering[l] = room(arena, tokens * padded(mlp->layers[l].in));
    mlp->slopes[l] = room(arena, tokens * padded(mlp->layers[l].in));
  }
}

/* Where every layer lies, and how long a flat buffer is; what m_h changes is last. */
static void place(Network *net, Shape shape) {
  *net = (Network){.shape = shape};
  net->f = mlp(net, 1, shape.n, shape.inner);
  net->V = layer(net, shape.n, shape.d_v, 0);
  net->F = mlp(net, shape.d_v, 1, shape.outer);
  net->Q = layer(net, shape.n, shape.m_h, 0);
  net->K = layer(net, shape.n, shape.m_h, 0);
}

/* Room for what a step leaves behind for no other. */
static void lay_out(Network *net, Arena *arena) {
  Shape shape = net->shape;
  long tokens = most_tokens(&shape), tau = padded(shape.tau), wide = widest(&shape);
  net->gradient = room(arena, net->size);
  net->turned = room(arena, net->turned_size);
  lay_out_mlp(&net->f, tokens, arena);
  lay_out_mlp(&net->F, tokens, arena);
  float **rows[] = {&net->query, &net->key, &net->d_query, &net->d_key};
  for (int i = 0; i < 4; i++) *rows[i] = room(arena, tokens * padded(shape.m_h));
  net->h = room(arena, tokens * padded(shape.n));
  net->d_h = room(arena, tokens * padded(shape.n));
  float **values[] = {&net->value, &net->mixed, &net->d_value};
  for (int i = 0; i < 3; i++) *values[i] = room(arena, tokens * padded(shape.d_v));
  net->attention = room(arena, tokens * tau);
  net->answer = room(arena, tokens * PAD);
  net->d_one = room(arena, tokens * wide);
  net->d_two = room(arena, tokens * wide);
  net->d_logits = room(arena, shape.tau * tau);
  net->across = room(arena, (shape.m_h > shape.d_v ? shape.m_h : shape.d_v) * tau);
}

/* a = activation(z) in place, and its slope: ∂a/∂z. */
APART void activate(int activation, long count, float *z, float *slopes) {
  const vec zero = all(0), one = all(1);
  for (long i = 0; i < count; i += LANES) {
    vec x = load(z + i), a = x, slope = one;
    if (activation == SINE) {
      sine_cosine(x, &a, &slope);
    } else if (activation == TANH) {
      a = hyperbolic_tangent(x);
      slope = 1.0f - a * a;
    } else if (activation == RELU) {
      slope = chosen(x > zero, one, zero);
      a = x * slope;
    } else { /* x Φ(x), whose slope is Φ(x) + x φ(x) */
      vec below = 0.5f + 0.5f * error_function(x * 0.707106781f);
      a = x * below;
      slope = below + x * (0.398942280f * exponential(-0.5f * x * x));
    }
    store(z + i, a);
    store(slopes + i, slope);
  }
}

static void apply(const Network *net, const Layer *layer, long tokens, const float *a, long ld,
                  float *z) {
  Start bias = {layer->bias < 0 ? 0 : net->weights + layer->bias, 0};
  long wide = padded(layer->out);
  product(tokens, layer->out, layer->in, plain(a, ld), net->weights + layer->weight, wide, bias, z,
          wide);
}

static void forward_mlp(const Network *net, Mlp *mlp, long tokens, float *input, long ld,
                        float *output) {
  float *a = input;
  mlp->entering[0] = input;
  for (int l = 0; l < mlp->depth; l++) {
    const Layer *layer = &mlp->layers[l];
    float *z = l + 1 < mlp->depth ? mlp->entering[l + 1] : output;
    apply(net, layer, tokens, a, l ? padded(layer->in) : ld, z);
    if (l + 1 < mlp->depth)
      activate(mlp->activation, tokens * padded(layer->out), z, mlp->slopes[l + 1]);
    a = z;
  }
}

/* Each row of logits (τ × padded τ) becomes weights that sum to 1; columns beyond τ become 0. */
static void softmax(int tau, float *logits) {
  for (int t = 0; t < tau; t++, logits += padded(tau)) {
    float most = logits[0], sum = 0;
    for (int s = 1; s < tau; s++) most = logits[s] > most ? logits[s] : most;
    for (long s = tau; s < padded(tau); s++) logits[s] = -1e30f;
    for (int s = 0; s < tau; s += LANES) store(logits + s, exponential(load(logits + s) - most));
    for (long s = (tau + LANES - 1) / LANES * LANES; s < padded(tau); s++) logits[s] = 0;
    for (int s = 0; s < tau; s++) sum += logits[s];
    for (int s = 0; s < tau; s += LANES) store(logits + s, load(logits + s) * (1 / sum));
  }
}

static void attend(Network *net, long sequences) {
  int tau = net->shape.tau;
  long m_h = padded(net->shape.m_h), d_v = padded(net->shape.d_v), wide = padded(tau);
  for (long b = 0; b < sequences; b++) {
    long first = b * tau;
    float *weights = net->attention + first * wide;
    transpose(tau, net->shape.m_h, net->key + first * m_h, m_h, net->across);
    product(tau, tau, net->shape.m_h, plain(net->query + first * m_h, m_h), net->across, wide,
            NOTHING, weights, wide);
    softmax(tau, weights);
    product(tau, d_v, tau, plain(weights, wide), net->value + first * d_v, d_v, NOTHING,
            net->mixed + first * d_v, d_v);
  }
}

/* ŷ of `sequences` of what f̂ sees, one number in every PAD of net->answer. */
static void forward(Network *net, long sequences, float *seen) {
  long tokens = sequences * net->shape.tau, n = padded(net->shape.n);
  forward_mlp(net, &net->f, tokens, seen, 1, net->h);
  apply(net, net->Q, tokens, net->h, n, net->query);
  apply(net, net->K, tokens, net->h, n, net->key);
  apply(net, net->V, tokens, net->h, n, net->value);
  attend(net, sequences);
  forward_mlp(net, &net->F, tokens, net->mixed, padded(net->shape.d_v), net->answer);
}

/* z = a Wᵀ + b:  ∂Wᵀ += aᵀ ∂z,  ∂b += Σ_t ∂z_t. */
static void add_gradient(Network *net, const Layer *layer, long tokens, const float *a, long ld,
                         const float *d_z) {
  long wide = padded(layer->out);
  float *weight = net->gradient + layer->weight, *bias = net->gradient + layer->bias;
  product(layer->in, layer->out, tokens, transposed(a, ld), d_z, wide, (Start){weight, wide},
          weight, wide);
  if (layer->bias < 0) return;
  for (long t = 0; t < tokens; t++)
    for (long j = 0; j < wide; j += LANES) store(bias + j, load(bias + j) + load(d_z + t * wide + j));
}

/* ∂a = ∂z W, added to what `start` says. */
static void through(const Network *net, const Layer *layer, long tokens, const float *d_z,
                    Start start, float *d_a) {
  long wide = padded(layer->in);
  product(tokens, layer->in, layer->out, plain(d_z, padded(layer->out)), net->turned + layer->turned,
          wide, start, d_a, wide);
}

/* ∂z of a hidden layer is ∂a · slope. Returns ∂z of the first layer. */
static float *backward_mlp(Network *net, const Mlp *mlp, long tokens, long ld, float *d_z) {
  for (int l = mlp->depth - 1; l >= 0; l--) {
    const Layer *layer = &mlp->layers[l];
    long wide = padded(layer->in);
    add_gradient(net, layer, tokens, mlp->entering[l], l ? wide : ld, d_z);
    if (!l) break;
    float *d_a = d_z == net->d_one ? net->d_two : net->d_one;
    through(net, layer, tokens, d_z, NOTHING, d_a);
    for (long i = 0; i < tokens * wide; i += LANES)
      store(d_a + i, load(d_a + i) * load(mlp->slopes[l] + i));
    d_z = d_a;
  }
  return d_z;
}

/* A = softmax(L):  ∂L = A ∘ (∂A − Σ_s ∂A A), row by row, from ∂A in place. */
static void through_softmax(int tau, const float *weights, float *d) {
  for (int t = 0; t < tau; t++, weights += padded(tau), d += padded(tau)) {
    vec sums = all(0);
    for (int s = 0; s < tau; s += LANES) sums += load(d + s) * load(weights + s);
    float inner = sum_of(sums);
    for (int s = 0; s < tau; s += LANES) store(d + s, (load(d + s) - inner) * load(weights + s));
  }
}

/* mixed = A V, A = softmax(Q Kᵀ), each sequence for itself, from ∂mixed:
   ∂A = ∂mixed Vᵀ,  ∂V = Aᵀ ∂mixed,  ∂Q = ∂L K,  ∂K = ∂Lᵀ Q. */
static void through_attention(Network *net, long sequences, const float *d_mixed) {
  int tau = net->shape.tau, d_v = net->shape.d_v, m_h = net->shape.m_h;
  long wide = padded(tau), values = padded(d_v), heads = padded(m_h);
  for (long b = 0; b < sequences; b++) {
    long first = b * tau;
    const float *weights = net->attention + first * wide, *d = d_mixed + first * values;
    transpose(tau, d_v, net->value + first * values, values, net->across);
    product(tau, tau, d_v, plain(d, values), net->across, wide, NOTHING, net->d_logits, wide);
    product(tau, values, tau, transposed(weights, wide), d, values, NOTHING,
            net->d_value + first * values, values);
    through_softmax(tau, weights, net->d_logits);
    product(tau, heads, tau, plain(net->d_logits, wide), net->key + first * heads, heads, NOTHING,
            net->d_query + first * heads, heads);
    product(tau, heads, tau, transposed(net->d_logits, wide), net->query + first * heads, heads,
            NOTHING, net->d_key + first * heads, heads);
  }
}

static void backward(Network *net, long sequences) {
  long tokens = sequences * net->shape.tau, n = padded(net->shape.n);
  const Layer *first = &net->F.layers[0];
  float *d_z = backward_mlp(net, &net->F, tokens, padded(net->shape.d_v), net->d_one);
  float *d_mixed = d_z == net->d_one ? net->d_two : net->d_one;
  through(net, first, tokens, d_z, NOTHING, d_mixed);
  through_attention(net, sequences, d_mixed);
  const Layer *sides[] = {net->Q, net->K, net->V};
  const float *d_sides[] = {net->d_query, net->d_key, net->d_value};
  for (int i = 0; i < 3; i++) {
    add_gradient(net, sides[i], tokens, net->h, n, d_sides[i]);
    through(net, sides[i], tokens, d_sides[i], i ? (Start){net->d_h, n} : NOTHING, net->d_h);
  }
  backward_mlp(net, &net->f, tokens, 1, net->d_h);
}

static void turn_weights(Network *net) {
  for (Layer *l = net->layers; l < net->layers + net->count; l++)
    transpose(l->in, l->out, net->weights + l->weight, padded(l->out), net->turned + l->turned);
}

/* The mean square of ŷ − y over `sequences` of x, as f̂ sees them, and y; fills the gradient. */
static float loss_and_gradient(Network *net, long sequences, float *seen, const float *y) {
  int tau = net->shape.tau;
  long few = most_tokens(&net->shape) / tau, count = sequences * tau;
  double sum = 0;
  for (long i = 0; i < net->size; i++) net->gradient[i] = 0;
  turn_weights(net);
  for (long b = 0; b < sequences; b += few) {
    long some = sequences - b < few ? sequences - b : few;
    forward(net, some, seen + b * tau);
    for (long t = 0; t < some * tau; t++) {
      float error = net->answer[t * PAD] - y[b * tau + t];
      sum += (double)error * error;
      for (int j = 0; j < PAD; j++) net->d_one[t * PAD + j] = 0;
      net->d_one[t * PAD] = 2 * error / count;
    }
    backward(net, some);
  }
  return (float)(sum / count);
}
