/* BYOC_X and BYOC_BIAS: int8_t with int32_t, or int16_t with int64_t and BYOC_WIDE for sums of 64 bits. Every gate is
   two products that are rounded to 16 bits each before they are added. BYOC_CORRECTED: the bias has the zero point of x
   times the sum of each row of w taken off, and state_bias that of the hidden state. */
#include "byoc_requant.h"
#include "byoc_sigmoid_s16.h"
#include "byoc_unidirectional_sequence_lstm.h"

static int32_t saturate(int32_t v) { return byoc_clamp(v, -32768, 32767); }

#if defined(BYOC_WIDE)
typedef uint64_t sum_t;
static int32_t requantise(sum_t sum, const byoc_lstm_factor_t* f) {
  const uint64_t product = sum * (uint64_t)f->q;
  const int64_t y = (int64_t)(product + ((uint64_t)1 << (f->shift - 1))) >> f->shift;
  return y < -32768 ? -32768 : y > 32767 ? 32767 : (int32_t)y;
}
#else
typedef uint32_t sum_t;
static int32_t requantise(sum_t sum, const byoc_lstm_factor_t* f) {
  return saturate(byoc_multiply_q31((int32_t)sum, f->q, f->shift));
}
#endif

#if defined(BYOC_CORRECTED)
#include "byoc_dot_four_s8.h"

/* The sums of unit u's four gates. */
static void sums(const int32_t* const* bias, const int8_t* const* w, const int8_t* x, int32_t n, int32_t u,
                 sum_t* out) {
  const int8_t* rows[4];
  int32_t k;
  for (k = 0; k < 4; ++k) {
    rows[k] = w[k] + (byoc_offset_t)u * n;
    out[k] = (sum_t)bias[k][u];
  }
  byoc_dot_four_s8(rows, x, n, out);
}
#else
static sum_t dot(sum_t sum, const int8_t* w, const BYOC_X* x, int32_t zero, int32_t n) {
  int32_t i;
  for (i = 0; i < n; ++i) sum += (sum_t)(w[i] * (x[i] - zero));
  return sum;
}

#endif

static int32_t product(int32_t a, int32_t b, const byoc_lstm_factor_t* f) {
  return byoc_multiply_q31(a * b, f->q, f->shift);
}

#if defined(BYOC_CORRECTED)
BYOC_LSTM_CORRECTED(BYOC_SYMBOL) {
#else
BYOC_LSTM_INTEGERS(BYOC_SYMBOL, BYOC_X, BYOC_BIAS) {
#endif
  const byoc_lstm_shape_t* s = &p->shape;
  const int32_t n = s->units;
  int32_t b, t, u, k;
  for (b = 0; b < s->batch; ++b) {
    /* The hidden state is y of the step before. */
    const BYOC_X* h = hidden + (byoc_offset_t)b * n;
    const int16_t* c = cell + (byoc_offset_t)b * n;
    int16_t* next_c = next_cell + (byoc_offset_t)b * n;
    for (t = 0; t < s->steps; ++t) {
      const BYOC_X* x_t = x + (byoc_offset_t)b * s->x_batch + (byoc_offset_t)t * s->x_time;
      BYOC_X* y_t = y + (byoc_offset_t)b * s->y_batch + (byoc_offset_t)t * s->y_time;
      for (u = 0; u < n; ++u) {
        int32_t gate[4], v;
#if defined(BYOC_CORRECTED)
        sum_t of_x[4], of_hidden[4];
        sums(bias, w, x_t, s->depth, u, of_x);
        sums(state_bias, r, h, n, u, of_hidden);
#endif
        for (k = 0; k < 4; ++k) {
#if defined(BYOC_CORRECTED)
          v = requantise(of_x[k], &p->of_x[k]) + requantise(of_hidden[k], &p->of_hidden[k]);
#else
          v = requantise(dot((sum_t)bias[k][u], w[k] + (byoc_offset_t)u * s->depth, x_t, p->x_zero, s->depth),
                         &p->of_x[k]);
          v += requantise(dot(0, r[k] + (byoc_offset_t)u * n, h, p->hidden_zero, n), &p->of_hidden[k]);
#endif
          v = 3 * saturate(v);
          gate[k] = k == 2 ? byoc_tanh_at(p->table, v) : byoc_sigmoid_at(p->table, v);
        }
        v = saturate(product(gate[1], c[u], &p->forget)) + saturate(product(gate[0], gate[2], &p->input));
        v = saturate(v);
        if (s->clips) v = byoc_clamp(v, -p->clip, p->clip);
        next_c[u] = (int16_t)v;
        v = byoc_tanh_at(p->table, byoc_table_position(v, p->cell_multiplier, p->cell_shift));
        v = product(v, gate[3], &p->output);
        y_t[u] = (BYOC_X)(byoc_clamp(v, p->low - p->hidden_zero, p->high - p->hidden_zero) + p->hidden_zero);
      }
      h = y_t;
      c = next_c;
    }
    if (h != next_hidden + (byoc_offset_t)b * n)
      for (u = 0; u < n; ++u) next_hidden[(byoc_offset_t)b * n + u] = h[u];
    if (c != next_c)
      for (u = 0; u < n; ++u) next_c[u] = c[u];
  }
}
