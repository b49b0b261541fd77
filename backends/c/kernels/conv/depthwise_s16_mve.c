/*
 * int16 depthwise convolution with int8 weights and MVE, pixel by pixel, from the image as it lies: sixteen channels at
 * a time through all taps.
 *
 * One output channel for each input channel, their number a multiple of 16, channels next to each other in both images.
 * Weights: [sixteen channels][tap][channel]. requant.bias: for every sixteen channels the biases of 0, 2, 4, 6, those
 * of 1, 3, 5, 7, of 8, 10 ..., of 9, 11 ..., then the multipliers in the same order. Workspace: a pointer for each tap,
 * then a pixel of zeros.
 */
#include "byoc_conv_s16.h"
#include "byoc_mve.h"
#include "byoc_taps_s16.h"

/* What all channels of a pixel are computed with. */
typedef struct pixel_t {
  const int16_t* const* taps;
  int32_t count;    /* of taps */
  int32_t channels; /* in bytes of the image */
  int32_t min, max;
} pixel_t;

/* The products of a tap: of weights in q4 and elements in q5, added to two quads of sums. */
#define BYOC_ADD_PRODUCTS(even, odd) \
  "vmullb.s16 q6, q5, q4\n\t"        \
  "vmullt.s16 q7, q5, q4\n\t"        \
  "vadd.i32 " even ", " even         \
  ", q6\n\t"                         \
  "vadd.i32 " odd ", " odd ", q7\n\t"

/* The results of two quads of sums, in the first. */
#define BYOC_NARROWED(even, odd)   \
  "vldrw.u32 q4, [%[at]], #16\n\t" \
  "vldrw.u32 q5, [%[at]], #16\n\t" \
  "vqrdmulh.s32 " even ", " even   \
  ", q4\n\t"                       \
  "vqrdmulh.s32 " odd ", " odd     \
  ", q5\n\t"                       \
  "vqmovnb.s32 " even ", " even    \
  "\n\t"                           \
  "vqmovnt.s32 " even ", " odd     \
  "\n\t"                           \
  "vmax.s16 " even ", " even       \
  ", q6\n\t"                       \
  "vmin.s16 " even ", " even       \
  ", q7\n\t"                       \
  "vstrh.16 " even ", [%[y]], #16\n\t"

/* All channels of a pixel. */
static BYOC_NOINLINE void pixel(const pixel_t* p, const int8_t* w, const int32_t* at, int16_t* y) {
  const int16_t* const* taps;
  const int8_t* from;
  int32_t first;
  for (first = 0; first < p->channels; first += 32) {
    /* Inputs: p: taps, their number > 0, then min and max; w: 16 weights a tap; at: 16 biases, then 16 scales;
       first: bytes to the channels; y.
       Outputs: w, at, y: where those of the next channels are; taps, from: used up.
       Clobbers: q0 to q3: sums; q4, q5: weights and elements; q6, q7: products, then min and max; lr, flags; memory
       at y.
       Holds: sums are of even and odd channels in turns; a result is the sum * scale / 2^31, rounded, saturated and
       clamped. */
    __asm__ volatile(
        "ldrd %[taps], lr, [%[p]]\n\t"
        "vldrw.u32 q0, [%[at]], #16\n\t"
        "vldrw.u32 q1, [%[at]], #16\n\t"
        "vldrw.u32 q2, [%[at]], #16\n\t"
        "vldrw.u32 q3, [%[at]], #16\n\t"
        "dls lr, lr\n\t"
        "1:\n\t"
        "ldr %[from], [%[taps]], #4\n\t"
        "vldrb.s16 q4, [%[w]], #8\n\t"
        "add %[from], %[from], %[first]\n\t"
        "vldrh.u16 q5, [%[from]]\n\t" BYOC_ADD_PRODUCTS("q0", "q1")
        "vldrb.s16 q4, [%[w]], #8\n\t"
        "vldrh.u16 q5, [%[from], #16]\n\t" BYOC_ADD_PRODUCTS("q2", "q3")
        "le lr, 1b\n\t"
        "ldrd %[taps], %[from], [%[p], #12]\n\t"
        "vdup.16 q6, %[taps]\n\t"
        "vdup.16 q7, %[from]\n\t" BYOC_NARROWED("q0", "q1") BYOC_NARROWED("q2", "q3")
        : [taps] "=&r"(taps), [w] "+&l"(w), [from] "=&r"(from), [at] "+&r"(at), [y] "+&r"(y)
        : [first] "r"(first), [p] "r"(p)
        : "q0", "q1", "q2", "q3", "q4", "q5", "q6", "q7", "lr", "cc", "memory");
  }
}

void BYOC_SYMBOL(const byoc_conv_s8_t* p, const int16_t* in, int16_t* out, void* workspace) {
  const int16_t** const taps = (const int16_t**)workspace;
  const int32_t count = p->kernel_h * p->kernel_w;
  const pixel_t all = {taps, count, 2 * p->in_c, p->requant.min, p->requant.max};
  int16_t* const zeros = (int16_t*)(taps + count);
  int32_t b, oy, ox;
  byoc_fill_mve((int8_t*)zeros, 0, 2 * p->in_c);
  for (b = 0; b < p->batch; ++b, in += p->in_batch, out += p->out_batch)
    for (oy = 0; oy < p->out_h; ++oy)
      for (ox = 0; ox < p->out_w; ++ox) {
        byoc_find_taps_s16(p, in, oy, ox, zeros, taps);
        pixel(&all, p->weights, p->requant.bias, out + oy * p->out_row + ox * p->out_col);
      }
}
