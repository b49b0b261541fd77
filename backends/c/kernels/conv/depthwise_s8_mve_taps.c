/*
 * int8 depthwise convolution with MVE, pixel by pixel, from the image as it lies: eight channels at a time through all
 * taps, whatever the window. For layers of many channels and few pixels, of which nothing is copied.
 *
 * One output channel for each input channel, channels next to each other in both images.
 * Weights: [eight channels][tap][channel], filled up with zeros like the channels of the last eight.
 * Workspace: a pointer for each tap, then a pixel of zero points.
 */
#include "byoc_conv_s8.h"
#include "byoc_units_mve.h"

/* Sums of eight channels from `first` on: 0, 2, 4, 6 and 1, 3, 5, 7. Nine instructions for eight products; how elements
   are loaded: `load`, which may use `lane`. */
#define BYOC_SUM_TAPS(name, load)                                                                                  \
  static inline const int8_t* name(const int8_t* const* taps, int32_t count, int32_t first, const int8_t* w,       \
                                   byoc_quad_t lane, byoc_quad_t* even, byoc_quad_t* odd) {                        \
    byoc_quad_t a, b, x, weights, product;                                                                         \
    const int8_t* from;                                                                                            \
    /* Inputs: taps: count > 0 pointers; first: bytes to the channels; w: eight weights a tap; lane: of `load`.    \
       Outputs: a, b: the sums of channels 0, 2, 4, 6 and 1, 3, 5, 7; taps and w behind what was read.             \
       Clobbers: from, x, weights, product, lr, flags; memory is read.                                             \
       Holds: `load` puts eight elements at `from` into x as int16; a and b += their products with the weights. */ \
    __asm__ volatile(                                                                                              \
        "dls lr, %[count]\n\t"                                                                                     \
        "vmov.i32 %q[a], #0\n\t"                                                                                   \
        "vmov.i32 %q[b], #0\n\t"                                                                                   \
        "1:\n\t"                                                                                                   \
        "ldr %[from], [%[taps]], #4\n\t"                                                                           \
        "vldrb.s16 %q[weights], [%[w]], #8\n\t"                                                                    \
        "add %[from], %[from], %[first]\n\t" load                                                                  \
        "vmullb.s16 %q[product], %q[x], %q[weights]\n\t"                                                           \
        "vadd.i32 %q[a], %q[a], %q[product]\n\t"                                                                   \
        "vmullt.s16 %q[product], %q[x], %q[weights]\n\t"                                                           \
        "vadd.i32 %q[b], %q[b], %q[product]\n\t"                                                                   \
        "le lr, 1b\n\t"                                                                                            \
        : [taps] "+&r"(taps), [w] "+&l"(w), [from] "=&l"(from), [a] "=&w"(a), [b] "=&w"(b), [x] "=&w"(x),          \
          [weights] "=&w"(weights), [product] "=&w"(product)                                                       \
        : [count] "r"(count), [first] "r"(first), [lane] "w"(lane)                                                 \
        : "lr", "cc", "memory");                                                                                   \
    *even = a;                                                                                                     \
    *odd = b;                                                                                                      \
    return w;                                                                                                      \
  }

BYOC_SUM_TAPS(sum_taps, "vldrb.s16 %q[x], [%[from]]\n\t")
/* From where `lane` says: fewer than eight channels, the last one in the place of those that are not there. */
BYOC_SUM_TAPS(sum_last_taps, "vldrb.s16 %q[x], [%[from], %q[lane]]\n\t")

/* Where the taps of a window lie whose first is at row y and column x; those outside the image are `outside`. */
static void find_taps(const byoc_conv_s8_t* p, const int8_t* in, int32_t y, int32_t x, const int8_t* outside,
                      const int8_t** taps) {
  int32_t ky, kx;
  BYOC_ROLLED
  for (ky = 0; ky < p->kernel_h; ++ky, y += p->dilation_h) {
    int32_t at = x;
    BYOC_ROLLED
    for (kx = 0; kx < p->kernel_w; ++kx, at += p->dilation_w)
      *taps++ = y < 0 || y >= p->in_h || at < 0 || at >= p->in_w ? outside : in + y * p->in_row + at * p->in_col;
  }
}

void BYOC_SYMBOL(const byoc_conv_s8_t* p, const int8_t* in, int8_t* out, void* workspace) {
  /* A copy, which the stores of results cannot change. */
  const byoc_requant_t r = p->requant;
  const byoc_quad_t lanes = byoc_quad(0, 2, 4, 6), others = byoc_quad(1, 3, 5, 7);
  const int32_t count = p->kernel_h * p->kernel_w, channels = p->in_c, right = byoc_only_right(&r, channels);
  const int32_t rest = channels & 7, most = rest ? rest - 1 : 0;
  const byoc_quad_t last_lanes = byoc_quad(0, most < 2 ? most : 2, most < 4 ? most : 4, most < 6 ? most : 6);
  const byoc_quad_t last_others = byoc_quad(most < 1 ? most : 1, most < 3 ? most : 3, most < 5 ? most : 5, most);
  const byoc_quad_t lane = last_lanes | last_others << 16; /* of 16 bits each */
  const int8_t** const taps = (const int8_t**)workspace;
  int8_t *const outside = (int8_t*)(taps + count), *const start = out;
  int32_t b, oy, ox, c;
  byoc_fill_mve(outside, p->in_zero, channels);
  for (b = 0; b < p->batch; ++b, in += p->in_batch, out += p->out_batch)
    for (oy = 0; oy < p->out_h; ++oy)
      for (ox = 0; ox < p->out_w; ++ox) {
        int8_t* y = out + oy * p->out_row + ox * p->out_col;
        const int8_t* w = p->weights;
        find_taps(p, in, oy * p->stride_h - p->pad_top, ox * p->stride_w - p->pad_left, outside, taps);
        for (c = 0; c < channels - rest; c += 8, y += 8) {
          byoc_quad_t even, odd;
          w = sum_taps(taps, count, c, w, lane, &even, &odd);
          byoc_store_units(byoc_scale_units(even, &r, c, lanes, right), byoc_scale_units(odd, &r, c, others, right),
                           r.zero, 8, y);
        }
        if (rest) {
          byoc_quad_t even, odd;
          (void)sum_last_taps(taps, count, c, w, lane, &even, &odd);
          byoc_store_units(byoc_scale_units(even, &r, c, last_lanes, right),
                           byoc_scale_units(odd, &r, c, last_others, right), r.zero, rest, y);
        }
      }
  byoc_narrow_mve(r.min, r.max, start, p->batch * p->out_batch);
}
