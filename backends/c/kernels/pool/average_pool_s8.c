/*
 * Average pool of integers for any core, in any layout. BYOC_IN: the element type, int8_t if it is not defined;
 * BYOC_IN_BITS of 16: it is int16_t; BYOC_SMALL: one channel at a time, in less code.
 */
#include "byoc_average_pool_s8.h"
#include "byoc_kernel.h"

#if defined(__ARM_FEATURE_MVE) && (!defined(BYOC_IN) || defined(BYOC_IN_BITS)) && !defined(BYOC_REQUANT_ONNX)
#define BYOC_VECTORS
#include "byoc_mve.h"
#endif

#if !defined(BYOC_IN)
#define BYOC_IN int8_t
#endif

#if defined(BYOC_REQUANT_ONNX)
typedef float byoc_sum_t;

/* Every step rounds to float32 in the order of the image; each is a statement, so that none is contracted. */
static inline float add_element(const byoc_average_pool_s8_t* p, float sum, int32_t x) {
  const float real = (float)(x - p->in_zero) * p->in_scale;
  return sum + real;
}

static BYOC_IN result(const byoc_average_pool_s8_t* p, float sum, int32_t inside) {
  const float mean = sum / (float)(p->divisor ? p->divisor : inside);
  return (BYOC_IN)(byoc_clamp(byoc_round_even(mean / p->out_scale), p->min - p->zero, p->max - p->zero) + p->zero);
}
#else
typedef int32_t byoc_sum_t;

static inline int32_t add_element(const byoc_average_pool_s8_t* p, int32_t sum, int32_t x) {
  (void)p;
  return sum + x;
}

static BYOC_IN result(const byoc_average_pool_s8_t* p, int32_t sum, int32_t inside) {
  const int32_t mean = (sum > 0 ? sum + inside / 2 : sum - inside / 2) / inside;
  return (BYOC_IN)byoc_clamp(mean, p->min, p->max);
}
#endif

#if !defined(BYOC_SMALL) && defined(BYOC_VECTORS)
#define BYOC_CHANNELS 8
/* Sums of eight channels: elements of a window that they have room for, and how these are added. */
#if defined(BYOC_IN_BITS)
typedef int32_t lane_t;
#define BYOC_MOST 65536
#define BYOC_CLEAR      \
  "vmov.i32 q0, #0\n\t" \
  "vmov.i32 q1, #0\n\t"
#define BYOC_ADD                 \
  "vldrh.s32 q2, [%[x]]\n\t"     \
  "vldrh.s32 q3, [%[x], #8]\n\t" \
  "add %[x], %[x], %[col]\n\t"   \
  "vadd.i32 q0, q0, q2\n\t"      \
  "vadd.i32 q1, q1, q3\n\t"
#define BYOC_STORE             \
  "vstrw.32 q0, [%[sums]]\n\t" \
  "vstrw.32 q1, [%[sums], #16]\n\t"
#else
typedef int16_t lane_t;
#define BYOC_MOST 256
#define BYOC_CLEAR "vmov.i16 q0, #0\n\t"
#define BYOC_ADD               \
  "vldrb.s16 q1, [%[x]]\n\t"   \
  "add %[x], %[x], %[col]\n\t" \
  "vadd.i16 q0, q0, q1\n\t"
#define BYOC_STORE "vstrh.16 q0, [%[sums]]\n\t"
#endif

/* Eight channels next to each other; 0: the window has too many elements, or none. */
static inline int32_t some_channels(const byoc_average_pool_s8_t* p, const BYOC_IN* row, int32_t height, int32_t width,
                                    BYOC_IN* out) {
  const int32_t inside = height * width, bytes = (int32_t)sizeof(BYOC_IN);
  const BYOC_IN* x;
  lane_t sums[8];
  int32_t i;
  if (height <= 0 || width <= 0 || inside > BYOC_MOST) return 0;
  /* Inputs: row: the window, in_row bytes from row to row, col from column to column; height, width > 0; sums: room
     for 8.
     Outputs: row: behind the window; height: 0.
     Clobbers: x, q0 to q3, lr, flags; eight sums at sums.
     Holds: the sums of eight channels are in q0, and in q1 where they are of 32 bits; no sum overflows, for there
     are at most BYOC_MOST elements. */
  __asm__ volatile(BYOC_CLEAR
                   "1:\n\t"
                   "mov %[x], %[row]\n\t"
                   "dls lr, %[width]\n\t"
                   "2:\n\t" BYOC_ADD
                   "le lr, 2b\n\t"
                   "add %[row], %[row], %[in_row]\n\t"
                   "subs %[height], %[height], #1\n\t"
                   "bne 1b\n\t" BYOC_STORE
                   : [x] "=&l"(x), [row] "+&r"(row), [height] "+&r"(height)
                   : [width] "r"(width), [col] "r"(p->in_col * bytes), [in_row] "r"(p->in_row * bytes), [sums] "r"(sums)
                   : "q0", "q1", "q2", "q3", "lr", "cc", "memory");
  BYOC_ROLLED
  for (i = 0; i < 8; ++i, out += p->out_chan) *out = result(p, sums[i], inside);
  return 8;
}
#elif !defined(BYOC_SMALL)
#define BYOC_CHANNELS 4
/* The sums of four channels next to each other share a pass over the window. */
static inline int32_t some_channels(const byoc_average_pool_s8_t* p, const BYOC_IN* row, int32_t height, int32_t width,
                                    BYOC_IN* out) {
  const int32_t col = p->in_col, inside = height * width, down = p->in_row - width * col;
  byoc_sum_t a = 0, b = 0, c = 0, d = 0;
  int32_t x;
  for (; height > 0; --height, row += down)
    for (x = width; x > 0; --x, row += col) {
      a = add_element(p, a, row[0]);
      b = add_element(p, b, row[1]);
      c = add_element(p, c, row[2]);
      d = add_element(p, d, row[3]);
    }
  out[0] = result(p, a, inside);
  out[p->out_chan] = result(p, b, inside);
  out[2 * p->out_chan] = result(p, c, inside);
  out[3 * p->out_chan] = result(p, d, inside);
  return 4;
}
#endif

static void pixel(const byoc_average_pool_s8_t* p, const BYOC_IN* in, int32_t oy, int32_t ox, BYOC_IN* out) {
  const int32_t top = oy * p->stride_h - p->pad_top, left = ox * p->stride_w - p->pad_left;
  const int32_t y0 = top < 0 ? 0 : top, y1 = top + p->kernel_h < p->in_h ? top + p->kernel_h : p->in_h;
  const int32_t x0 = left < 0 ? 0 : left, x1 = left + p->kernel_w < p->in_w ? left + p->kernel_w : p->in_w;
  const int32_t inside = (y1 - y0) * (x1 - x0);
  int32_t c = 0, y, x;
#if !defined(BYOC_SMALL)
  while (p->in_chan == 1 && c + BYOC_CHANNELS <= p->channels) {
    const int32_t some = some_channels(p, in + c + y0 * p->in_row + x0 * p->in_col, y1 - y0, x1 - x0, out);
    if (!some) break;
    c += some;
    out += some * p->out_chan;
  }
#endif
  for (; c < p->channels; ++c, out += p->out_chan) {
    const BYOC_IN* row = in + c * p->in_chan + y0 * p->in_row + x0 * p->in_col;
    byoc_sum_t sum = 0;
    for (y = y0; y < y1; ++y, row += p->in_row)
      for (x = 0; x < x1 - x0; ++x) sum = add_element(p, sum, row[x * p->in_col]);
    *out = result(p, sum, inside);
  }
}

void BYOC_SYMBOL(const byoc_average_pool_s8_t* p, const void* in, void* out) {
  const BYOC_IN* x = (const BYOC_IN*)in;
  BYOC_IN* y = (BYOC_IN*)out;
  int32_t b, oy, ox;
  for (b = 0; b < p->batch; ++b, x += p->in_batch, y += p->out_batch)
    for (oy = 0; oy < p->out_h; ++oy)
      for (ox = 0; ox < p->out_w; ++ox) pixel(p, x, oy, ox, y + oy * p->out_row + ox * p->out_col);
}
