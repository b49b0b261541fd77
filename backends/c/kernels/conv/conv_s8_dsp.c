/*
 * int8 convolution with the DSP extension: four pixels by one channel at a time.
 *
 * Weights: [output channel][depth], depth = patch elements rounded up to 4, filled up with zeros; 4-byte aligned. With
 * BYOC_WEIGHT_BITS of 4 or 2 as byoc_packed_dsp.h has them, depth rounded up to whole words.
 * Workspace: four patches widened to int16, interleaved as [depth / 4][2][pixel] words, where the first word of a pixel
 * is its elements 0 and 2 of the four and the second 1 and 3, as SXTB16 makes them; then one patch of `depth` bytes if
 * in_c is no multiple of 4 or channels are not next to each other.
 */
#include "byoc_packed_dsp.h"
#include "byoc_requant_dsp.h"

#define BYOC_PIXELS 4
#include "byoc_patch_dsp.h"

/* Four elements of each of four pixels with four weights: 13 instructions for 16 products. */
#define BYOC_STEP                     \
  "ldr %[w0], [%[w]], #4\n\t"         \
  "sxtb16 %[w1], %[w0]\n\t"           \
  "ldmia %[x]!, {r2, r3, r4, r5}\n\t" \
  "smlad %[a0], %[w1], r2, %[a0]\n\t" \
  "smlad %[a1], %[w1], r3, %[a1]\n\t" \
  "smlad %[a2], %[w1], r4, %[a2]\n\t" \
  "smlad %[a3], %[w1], r5, %[a3]\n\t" \
  "sxtb16 %[w0], %[w0], ror #8\n\t"   \
  "ldmia %[x]!, {r2, r3, r4, r5}\n\t" \
  "smlad %[a0], %[w0], r2, %[a0]\n\t" \
  "smlad %[a1], %[w0], r3, %[a1]\n\t" \
  "smlad %[a2], %[w0], r4, %[a2]\n\t" \
  "smlad %[a3], %[w0], r5, %[a3]\n\t"

#if BYOC_WEIGHT_BITS < 8
/* Bytes of the weights of a channel. */
#define BYOC_ROW(steps) ((size_t)(steps) * 4 * BYOC_WEIGHT_BITS / 8)

#define BYOC_START(patches, steps, start) byoc_packed_start(patches, BYOC_WEIGHT_WORDS(4 * (steps)), start)

static inline const int8_t* products(const int8_t* w, const uint32_t* patches, int32_t steps, const int32_t* start,
                                     int32_t* acc) {
  return byoc_packed_products(w, patches, BYOC_WEIGHT_WORDS(4 * steps), start, acc);
}
#else
#define BYOC_ROW(steps) ((size_t)(steps) * 4)
#define BYOC_START(patches, steps, start) ((void)(start))

/* One channel of four pixels. acc[0]: the bias; then all four sums. Returns the weights of the next one. */
static inline const int8_t* products(const int8_t* w, const uint32_t* patches, int32_t steps, const int32_t* start,
                                     int32_t* acc) {
  const uint32_t* x = patches;
  int32_t a0 = acc[0], a1 = a0, a2 = a0, a3 = a0, n = steps;
  uint32_t w0, w1;
  (void)start;
  /* Inputs: w: weights; x: patches, as byoc_patch_dsp.h has them; n: steps > 0; a0 to a3: the bias.
     Outputs: a0 to a3: the sums of four pixels; w: the weights of the next channel; x behind the patches; n: 0.
     Clobbers: r2 to r5: a word of each pixel; w0, w1, flags; memory is read.
     Holds: a<i> += four weights * four elements of pixel i, two steps a turn. BYOC_STEP leaves the flags alone, so
     those of lsrs serve both branches. */
  __asm__ volatile(
      "lsrs %[n], %[n], #1\n\t"
      "bcc 1f\n\t" BYOC_STEP
      "1:\n\t"
      "beq 4f\n\t"
      "3:\n\t" BYOC_STEP BYOC_STEP
      "subs %[n], %[n], #1\n\t"
      "bne 3b\n\t"
      "4:\n\t"
      : [a0] "+r"(a0), [a1] "+r"(a1), [a2] "+r"(a2), [a3] "+r"(a3), [w] "+r"(w), [x] "+r"(x), [n] "+r"(n),
        [w0] "=&r"(w0), [w1] "=&r"(w1)
      :
      : "r2", "r3", "r4", "r5", "cc", "memory");
  acc[0] = a0;
  acc[1] = a1;
  acc[2] = a2;
  acc[3] = a3;
  return w;
}
#endif

/*
 * All channels of a group for the `count` pixels in the workspace; y: the first one. The results of pixels that are not
 * there go where that of the first one goes, before it.
 */
static void pixels(const byoc_conv_s8_t* p, int32_t first, int32_t steps, const uint32_t* patches, int8_t* y,
                   int32_t count) {
  const int8_t* w = (const int8_t*)p->weights + (size_t)first * BYOC_ROW(steps);
  /* A copy, which the stores of results cannot change. */
  const byoc_requant_t r = p->requant;
  const int32_t y1 = count > 1 ? p->out_col : 0, y2 = count > 2 ? 2 * p->out_col : 0;
  const int32_t y3 = count > 3 ? 3 * p->out_col : 0;
  const int32_t end = first + p->out_c, out_chan = p->out_chan;
  int32_t c, start[4];
  BYOC_START(patches, steps, start);
  for (c = first; c < end; ++c, y += out_chan) {
    int32_t acc[4];
    byoc_channel_t channel;
    acc[0] = r.bias[c];
    w = products(w, patches, steps, start, acc);
    channel = byoc_channel_dsp(&r, c);
    if (channel.shift) {
      y[y3] = (int8_t)byoc_requantise_dsp(channel, acc[3]);
      y[y2] = (int8_t)byoc_requantise_dsp(channel, acc[2]);
      y[y1] = (int8_t)byoc_requantise_dsp(channel, acc[1]);
      y[0] = (int8_t)byoc_requantise_dsp(channel, acc[0]);
#if BYOC_WEIGHT_BITS < 8
    } else if (byoc_large_dsp(&r, c).left >= 0) {
      const byoc_large_t large = byoc_large_dsp(&r, c);
      y[y3] = (int8_t)byoc_requantise_large(large, acc[3]);
      y[y2] = (int8_t)byoc_requantise_large(large, acc[2]);
      y[y1] = (int8_t)byoc_requantise_large(large, acc[1]);
      y[0] = (int8_t)byoc_requantise_large(large, acc[0]);
#endif
    } else {
      y[y3] = (int8_t)byoc_requantise_any(&p->requant, c, acc[3]);
      y[y2] = (int8_t)byoc_requantise_any(&p->requant, c, acc[2]);
      y[y1] = (int8_t)byoc_requantise_any(&p->requant, c, acc[1]);
      y[0] = (int8_t)byoc_requantise_any(&p->requant, c, acc[0]);
    }
  }
}

static void image(const byoc_conv_s8_t* p, const int8_t* in, int8_t* out, int32_t first, uint32_t* patches) {
  const int32_t n = p->kernel_h * p->kernel_w * p->in_c;
#if BYOC_WEIGHT_BITS < 8
  const int32_t steps = BYOC_WEIGHT_WORDS(n) * (BYOC_WEIGHTS_PER_WORD / 4);
#else
  const int32_t steps = (n + 3) >> 2;
#endif
  const int32_t wide = p->in_chan == 1 && (p->in_c & 3) == 0;
  int8_t* bytes = (int8_t*)(patches + 8 * steps);
  int32_t oy, ox, held = 0;
  for (oy = 0; oy < p->out_h; ++oy) {
    for (ox = 0; ox < p->out_w; ++ox) {
      if (wide) {
        byoc_gather_wide(p, in, oy, ox, patches + held);
      } else {
        byoc_gather_s8(p, in, oy, ox, bytes);
        byoc_widen(bytes, steps, patches + held);
      }
      if (++held < 4) continue;
      pixels(p, first, steps, patches, out, 4);
      out += 4 * p->out_col;
      held = 0;
    }
  }
  if (held) pixels(p, first, steps, patches, out, held);
}

void BYOC_SYMBOL(const byoc_conv_s8_t* p, const int8_t* in, int8_t* out, void* workspace) {
  int32_t b, g;
  byoc_requant_t const* r = &p->requant;
  int8_t* start = out;
  for (b = 0; b < p->batch; ++b, in += p->in_batch, out += p->out_batch)
    for (g = 0; g < p->groups; ++g)
      image(p, in + g * p->in_c * p->in_chan, out + g * p->out_c * p->out_chan, g * p->out_c, (uint32_t*)workspace);
  byoc_narrow(r, start, p->batch * p->out_batch);
}
