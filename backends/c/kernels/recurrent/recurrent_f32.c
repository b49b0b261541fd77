/* BYOC_GATES: 1 RNN, 3 GRU (z, r, h), 4 LSTM (i, o, f, c). BYOC_PRODUCT: see byoc_recurrent.h. */
#include "byoc_element.h"
#include "byoc_fully_connected_f32.h"
#include "byoc_gate.h"
#include "byoc_recurrent.h"

#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
#include "byoc_functions_f32_mve.h"
#define BYOC_VECTORS 1
#else
#define BYOC_VECTORS 0
#endif

/* One direction: its weights, and buffers of `units` floats for each gate. */
typedef struct {
  const float *w, *r, *bias, *state_bias, *peephole;
  const byoc_gate_function_t* f;
  int32_t units;           /* hidden, rounded up to 4 */
  float *h, *c, *reset;    /* units each */
  float *of_input, *gates; /* BYOC_GATES * units each */
} direction_t;

static void product(int32_t units, int32_t depth, const float* x, const float* w, const float* bias, float* y) {
  byoc_fully_connected_f32_t p;
  p.rows = 1;
  p.depth = depth;
  p.units = units;
  p.bounds.lo = -INFINITY;
  p.bounds.hi = INFINITY;
  BYOC_PRODUCT(&p, x, w, bias, y);
}

static void sigmoid(float* v, int32_t n) {
  int32_t j;
#if BYOC_VECTORS
  for (j = 0; j < n; j += 4) vst1q_f32(v + j, byoc_sigmoid_vector(vld1q_f32(v + j)));
#else
  for (j = 0; j < n; ++j) v[j] = 1.0f / (1.0f + expf(-v[j]));
#endif
}

static void tangent(float* v, int32_t n) {
  int32_t j;
#if BYOC_VECTORS
  for (j = 0; j < n; j += 4) vst1q_f32(v + j, byoc_tanh_vector(vld1q_f32(v + j)));
#else
  for (j = 0; j < n; ++j) v[j] = tanhf(v[j]);
#endif
}

/* The gate's function on a buffer of whole blocks of units. */
static void apply(const byoc_recurrent_t* p, byoc_gate_function_t f, float* v) {
  const int32_t n = p->hidden;
  int32_t j;
  if (f.kind == BYOC_SIGMOID && !(p->clip > 0)) {
    sigmoid(v, n);
  } else if (f.kind == BYOC_TANH && !(p->clip > 0)) {
    tangent(v, n);
  } else {
    for (j = 0; j < n; ++j) v[j] = byoc_gate(p, f, v[j]);
  }
}

#if BYOC_GATES == 1

static void cell(const byoc_recurrent_t* p, const direction_t* d) {
  product(d->units, p->hidden, d->h, d->r, d->of_input, d->gates);
  apply(p, d->f[0], d->gates);
  memcpy(d->h, d->gates, (size_t)p->hidden * sizeof(float));
}

#elif BYOC_GATES == 3

static void cell(const byoc_recurrent_t* p, const direction_t* d) {
  const int32_t n = p->hidden, m = d->units;
  float *z = d->gates, *r = z + m, *v = r + m;
  const float *of_input = d->of_input + 2 * m, *r_h = d->r + (byoc_offset_t)2 * m * n;
  int32_t j;
  product(2 * m, n, d->h, d->r, d->of_input, z);
  apply(p, d->f[0], z);
  apply(p, d->f[0], r);
  if (p->variant) {
    product(m, n, d->h, r_h, d->state_bias, v);
    for (j = 0; j < n; ++j) v[j] = of_input[j] + r[j] * v[j];
  } else {
    for (j = 0; j < n; ++j) d->reset[j] = r[j] * d->h[j];
    product(m, n, d->reset, r_h, of_input, v);
  }
  apply(p, d->f[1], v);
  for (j = 0; j < n; ++j) d->h[j] = (1 - z[j]) * v[j] + z[j] * d->h[j];
}

#else

static void see(const byoc_recurrent_t* p, const direction_t* d, int32_t gate, float* v) {
  const float* weights = d->peephole + (byoc_offset_t)gate * p->hidden;
  int32_t j;
  for (j = 0; j < p->hidden; ++j) v[j] += weights[j] * d->c[j];
}

static void cell(const byoc_recurrent_t* p, const direction_t* d) {
  const int32_t n = p->hidden, m = d->units;
  float *i = d->gates, *o = i + m, *f = o + m, *g = f + m;
  int32_t j;
  product(4 * m, n, d->h, d->r, d->of_input, d->gates);
  if (d->peephole) {
    see(p, d, 0, i);
    see(p, d, 2, f);
  }
  apply(p, d->f[0], i);
  if (p->variant) {
    for (j = 0; j < n; ++j) f[j] = 1 - i[j];
  } else {
    apply(p, d->f[0], f);
  }
  apply(p, d->f[1], g);
  for (j = 0; j < n; ++j) d->c[j] = f[j] * d->c[j] + i[j] * g[j];
  if (d->peephole) see(p, d, 1, o);
  apply(p, d->f[0], o);
  memcpy(g, d->c, (size_t)n * sizeof(float));
  apply(p, d->f[2], g);
  for (j = 0; j < n; ++j) d->h[j] = o[j] * g[j];
}

#endif

/* Zeros where there is nothing to copy from. */
static void copy(float* to, const float* from, int32_t n) {
  if (!to) return;
  if (from)
    memcpy(to, from, (size_t)n * sizeof(float));
  else
    memset(to, 0, (size_t)n * sizeof(float));
}

BYOC_RECURRENT_F32(BYOC_SYMBOL) {
  const int32_t n = p->hidden, m = (n + 3) / 4 * 4;
  int32_t k, b, s;
  direction_t d;
  d.units = m;
  d.h = work;
  d.c = d.h + m;
  d.reset = d.c + m;
  d.of_input = d.reset + m;
  d.gates = d.of_input + BYOC_GATES * m;
  for (k = 0; k < p->directions; ++k) {
    const int32_t reverse = k == 1 || p->first_is_reverse;
    d.w = w + (byoc_offset_t)k * BYOC_GATES * m * p->input;
    d.r = r + (byoc_offset_t)k * BYOC_GATES * m * n;
    d.bias = bias + (byoc_offset_t)k * BYOC_GATES * m;
    d.state_bias = state_bias ? state_bias + (byoc_offset_t)k * m : NULL;
    d.peephole = peephole ? peephole + (byoc_offset_t)k * 3 * n : NULL;
    d.f = p->functions + k * 3;
    for (b = 0; b < p->batch; ++b) {
      const byoc_offset_t state = (byoc_offset_t)k * p->h_direction + (byoc_offset_t)b * p->h_batch;
      const byoc_offset_t first = (byoc_offset_t)k * p->y_direction + (byoc_offset_t)b * p->y_batch;
      int32_t length = lengths ? lengths[b] : p->steps;
      length = length < 0 ? 0 : length > p->steps ? p->steps : length;
      copy(d.h, h0 ? h0 + state : NULL, n);
      copy(d.c, c0 ? c0 + state : NULL, n);
      for (s = 0; s < length; ++s) {
        const int32_t t = reverse ? length - 1 - s : s;
        const float* from = x + (byoc_offset_t)t * p->x_time + (byoc_offset_t)b * p->x_batch;
        product(BYOC_GATES * m, p->input, from, d.w, d.bias, d.of_input);
        cell(p, &d);
        copy(y ? y + first + (byoc_offset_t)t * p->y_time : NULL, d.h, n);
      }
      for (; s < p->steps; ++s) copy(y ? y + first + (byoc_offset_t)s * p->y_time : NULL, NULL, n);
      /* A plain RNN that has nothing to read from the end has no state, as in ONNX Runtime. */
      copy(y_h ? y_h + state : NULL, BYOC_GATES == 1 && reverse && length == 0 ? NULL : d.h, n);
      copy(y_c ? y_c + state : NULL, d.c, n);
    }
  }
}
