/* BYOC_X: see byoc_element.h. BYOC_GATES: 1 RNN, 3 GRU (z, r, h), 4 LSTM (i, o, f, c). */
#include "byoc_recurrent.h"

#include "byoc_element.h"
#include "byoc_gate.h"

/* Sums of products of a row of weights with elements of the model, or with a state. */
static BYOC_T dot_model(const BYOC_X* row, const BYOC_X* x, int32_t n) {
  BYOC_T sum = 0;
  int32_t i;
  for (i = 0; i < n; ++i) sum += BYOC_X_LOAD(row[i]) * BYOC_X_LOAD(x[i]);
  return sum;
}
static BYOC_T dot_state(const BYOC_X* row, const BYOC_T* h, int32_t n) {
  BYOC_T sum = 0;
  int32_t i;
  for (i = 0; i < n; ++i) sum += BYOC_X_LOAD(row[i]) * h[i];
  return sum;
}

/* One direction's weights. */
typedef struct {
  const BYOC_X *w, *r, *bias, *peephole;
  const byoc_gate_function_t* f;
} direction_t;

static BYOC_T w_bias(const byoc_recurrent_t* p, const direction_t* d, int32_t row) {
  (void)p;
  return d->bias ? (BYOC_T)BYOC_X_LOAD(d->bias[row]) : 0;
}
static BYOC_T r_bias(const byoc_recurrent_t* p, const direction_t* d, int32_t row) {
  return d->bias ? (BYOC_T)BYOC_X_LOAD(d->bias[BYOC_GATES * p->hidden + row]) : 0;
}
static BYOC_T of_input(const byoc_recurrent_t* p, const direction_t* d, int32_t row, const BYOC_X* x) {
  return dot_model(d->w + (byoc_offset_t)row * p->input, x, p->input);
}
static BYOC_T of_state(const byoc_recurrent_t* p, const direction_t* d, int32_t row, const BYOC_T* h) {
  return dot_state(d->r + (byoc_offset_t)row * p->hidden, h, p->hidden);
}
static BYOC_T gate(const byoc_recurrent_t* p, const direction_t* d, int32_t row, const BYOC_X* x, const BYOC_T* h) {
  return of_input(p, d, row, x) + of_state(p, d, row, h) + (w_bias(p, d, row) + r_bias(p, d, row));
}

#if BYOC_GATES == 1

static void cell(const byoc_recurrent_t* p, const direction_t* d, const BYOC_X* x, BYOC_T* h, BYOC_T* c, BYOC_T* work) {
  int32_t j;
  (void)c;
  for (j = 0; j < p->hidden; ++j) work[j] = byoc_gate(p, d->f[0], gate(p, d, j, x, h));
  for (j = 0; j < p->hidden; ++j) h[j] = work[j];
}

#elif BYOC_GATES == 3

static void cell(const byoc_recurrent_t* p, const direction_t* d, const BYOC_X* x, BYOC_T* h, BYOC_T* c, BYOC_T* work) {
  const int32_t n = p->hidden;
  BYOC_T *z = work, *r = work + n, *reset = work + 2 * n;
  int32_t j;
  (void)c;
  for (j = 0; j < n; ++j) {
    z[j] = byoc_gate(p, d->f[0], gate(p, d, j, x, h));
    r[j] = byoc_gate(p, d->f[0], gate(p, d, n + j, x, h));
  }
  if (p->variant) {
    for (j = 0; j < n; ++j) r[j] *= of_state(p, d, 2 * n + j, h) + r_bias(p, d, 2 * n + j);
  } else {
    for (j = 0; j < n; ++j) reset[j] = r[j] * h[j];
    for (j = 0; j < n; ++j) r[j] = of_state(p, d, 2 * n + j, reset) + r_bias(p, d, 2 * n + j);
  }
  for (j = 0; j < n; ++j) {
    const BYOC_T v = byoc_gate(p, d->f[1], of_input(p, d, 2 * n + j, x) + r[j] + w_bias(p, d, 2 * n + j));
    h[j] = (1 - z[j]) * v + z[j] * h[j];
  }
}

#else

static BYOC_T seen(const direction_t* d, int32_t row, BYOC_T cell_state) {
  return d->peephole ? (BYOC_T)BYOC_X_LOAD(d->peephole[row]) * cell_state : 0;
}

static void cell(const byoc_recurrent_t* p, const direction_t* d, const BYOC_X* x, BYOC_T* h, BYOC_T* c, BYOC_T* work) {
  const int32_t n = p->hidden;
  int32_t j;
  for (j = 0; j < n; ++j) {
    const BYOC_T i = byoc_gate(p, d->f[0], gate(p, d, j, x, h) + seen(d, j, c[j]));
    const BYOC_T f = p->variant ? 1 - i : byoc_gate(p, d->f[0], gate(p, d, 2 * n + j, x, h) + seen(d, 2 * n + j, c[j]));
    const BYOC_T next = f * c[j] + i * byoc_gate(p, d->f[1], gate(p, d, 3 * n + j, x, h));
    const BYOC_T o = byoc_gate(p, d->f[0], gate(p, d, n + j, x, h) + seen(d, n + j, next));
    c[j] = next;
    work[j] = o * byoc_gate(p, d->f[2], next);
  }
  for (j = 0; j < n; ++j) h[j] = work[j];
}

#endif

static void load(BYOC_T* to, const BYOC_X* from, int32_t n) {
  int32_t j;
  for (j = 0; j < n; ++j) to[j] = from ? (BYOC_T)BYOC_X_LOAD(from[j]) : 0;
}
static void store(BYOC_X* to, const BYOC_T* from, int32_t n) {
  int32_t j;
  if (!to) return;
  for (j = 0; j < n; ++j) to[j] = BYOC_X_STORE(from ? from[j] : 0);
}

BYOC_RECURRENT(BYOC_SYMBOL, BYOC_X, BYOC_T) {
  const int32_t n = p->hidden, rows = BYOC_GATES * n;
  BYOC_T *h = work, *c = work + n, *rest = work + 2 * n;
  int32_t k, b, s;
  for (k = 0; k < p->directions; ++k) {
    const int32_t reverse = k == 1 || p->first_is_reverse;
    direction_t d;
    d.w = w + (byoc_offset_t)k * rows * p->input;
    d.r = r + (byoc_offset_t)k * rows * n;
    d.bias = bias ? bias + (byoc_offset_t)k * 2 * rows : NULL;
    d.peephole = peephole ? peephole + (byoc_offset_t)k * 3 * n : NULL;
    d.f = p->functions + k * 3;
    for (b = 0; b < p->batch; ++b) {
      const byoc_offset_t state = (byoc_offset_t)k * p->h_direction + (byoc_offset_t)b * p->h_batch;
      const byoc_offset_t first = (byoc_offset_t)k * p->y_direction + (byoc_offset_t)b * p->y_batch;
      int32_t length = lengths ? lengths[b] : p->steps;
      length = length < 0 ? 0 : length > p->steps ? p->steps : length;
      load(h, h0 ? h0 + state : NULL, n);
      load(c, c0 ? c0 + state : NULL, n);
      for (s = 0; s < length; ++s) {
        const int32_t t = reverse ? length - 1 - s : s;
        cell(p, &d, x + (byoc_offset_t)t * p->x_time + (byoc_offset_t)b * p->x_batch, h, c, rest);
        store(y ? y + first + (byoc_offset_t)t * p->y_time : NULL, h, n);
      }
      for (; s < p->steps; ++s) store(y ? y + first + (byoc_offset_t)s * p->y_time : NULL, NULL, n);
      /* A plain RNN that has nothing to read from the end has no state, as in ONNX Runtime. */
      store(y_h ? y_h + state : NULL, BYOC_GATES == 1 && reverse && length == 0 ? NULL : h, n);
      store(y_c ? y_c + state : NULL, c, n);
    }
  }
}
