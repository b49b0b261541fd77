/*
 * int8 convolution in little code, for any core: depthwise too, and products of rows with a matrix as 1x1 ones.
 *
 * Where each channel is a group, a pixel at a time: its taps one after the other, for all channels.
 * Weights: [tap][channel]. Workspace: an int32_t for each channel.
 *
 * Everywhere else several pixels by one channel at a time.
 *
 * Weights: with the DSP extension [output channel][depth], depth = patch elements rounded up to 4, filled up with
 * zeros, elements 0, 2, 1, 3 of every four; 4-byte aligned. Without, [output channel][patch element]. Workspace:
 * BYOC_PIXELS patches; with the DSP extension of `depth` int16_t each, interleaved as [depth / 2][pixel][2].
 *
 * With BYOC_WEIGHT_BITS of 4 or 2, weights are [tap][channel] as byoc_weight.h has them; with the DSP extension as
 * byoc_packed_dsp.h has them, depth rounded up to whole words; without, each channel begins at a byte.
 */
#include "byoc_channel.h"
#include "byoc_conv_s8.h"
#include "byoc_kernel.h"
#include "byoc_weight.h"

#if defined(__ARM_FEATURE_DSP)
#include "byoc_dsp.h"
#include "byoc_packed_dsp.h"
#define BYOC_PIXELS 4
typedef int16_t element_t;

/* The patch of pixel `i`, and from one of its elements to the next; `odd`: the first of them is an odd one. */
#define BYOC_PATCH(patches, i, n) ((patches) + 2 * (i))
#define BYOC_NEXT(odd) ((odd) ? 2 * BYOC_PIXELS - 1 : 1)

/* acc[0]: the bias; then the sums of all pixels. Returns the weights of the next channel. */
#if BYOC_WEIGHT_BITS < 8
#define BYOC_DEPTH(n) (BYOC_WEIGHT_WORDS(n) * 4)

#define BYOC_START(patches, n, start) byoc_packed_start((const byoc_pair_t*)(patches), BYOC_WEIGHT_WORDS(n), start)

static inline const int8_t* products(const int8_t* w, const element_t* patches, int32_t n, const int32_t* start,
                                     int32_t* acc) {
  return byoc_packed_products(w, patches, BYOC_WEIGHT_WORDS(n), start, acc);
}
#else
#define BYOC_DEPTH(n) (((n) + 3) & ~3)
#define BYOC_START(patches, n, start) ((void)(start))

static inline const int8_t* products(const int8_t* w, const element_t* patches, int32_t n, const int32_t* start,
                                     int32_t* acc) {
  const element_t* x = patches;
  int32_t a0 = acc[0], a1 = a0, a2 = a0, a3 = a0;
  uint32_t w0, w1;
  (void)start;
  n = (n + 3) >> 2;
  /* Inputs: w: weights; x: patches of four pixels, [step][2][pixel] words; n: steps > 0; a0 to a3: the bias.
     Outputs: a0 to a3: the sums of four pixels; w: the weights of the next channel; x behind the patches; n: 0.
     Clobbers: r2 to r5: a word of each pixel; w0, w1, flags; memory is read.
     Holds: a<i> += four weights * four elements of pixel i: 16 products a turn. */
  __asm__ volatile(
      "1:\n\t"
      "ldr %[w0], [%[w]], #4\n\t"
      "ldmia %[x]!, {r2, r3, r4, r5}\n\t"
      "sxtb16 %[w1], %[w0]\n\t"
      "smlad %[a0], %[w1], r2, %[a0]\n\t"
      "smlad %[a1], %[w1], r3, %[a1]\n\t"
      "smlad %[a2], %[w1], r4, %[a2]\n\t"
      "smlad %[a3], %[w1], r5, %[a3]\n\t"
      "ldmia %[x]!, {r2, r3, r4, r5}\n\t"
      "sxtb16 %[w0], %[w0], ror #8\n\t"
      "smlad %[a0], %[w0], r2, %[a0]\n\t"
      "smlad %[a1], %[w0], r3, %[a1]\n\t"
      "smlad %[a2], %[w0], r4, %[a2]\n\t"
      "smlad %[a3], %[w0], r5, %[a3]\n\t"
      "subs %[n], %[n], #1\n\t"
      "bne 1b\n\t"
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
#else
#define BYOC_PIXELS 2
#define BYOC_DEPTH(n) BYOC_WEIGHT_BYTES(n)
typedef int8_t element_t;
#define BYOC_PATCH(patches, i, n) ((patches) + (i) * (n))
#define BYOC_NEXT(odd) 1
#define BYOC_START(patches, n, start) ((void)(start))

static inline const int8_t* products(const int8_t* w, const element_t* x, int32_t n, const int32_t* start,
                                     int32_t* acc) {
  const int8_t* at = w;
  uint32_t a0 = (uint32_t)acc[0], a1 = a0;
  int32_t k, taken = 0;
  (void)start;
  for (k = n; k > 0; --k, ++x) {
    const int32_t weight = byoc_weight_next(&at, &taken);
    a0 += (uint32_t)(weight * x[0]);
    a1 += (uint32_t)(weight * x[n]);
  }
  acc[0] = (int32_t)a0;
  acc[1] = (int32_t)a1;
  return BYOC_WEIGHT_BITS == 8 ? at : w + BYOC_DEPTH(n);
}
#endif

/* All channels of a group for the first `count` patches, whose results go to y[0], y[1] ... */
static void channels(const byoc_conv_s8_t* p, int32_t first, int32_t n, const element_t* patches, int8_t** y,
                     int32_t count) {
  const byoc_requant_t* const r = &p->requant;
  const int8_t* w = p->weights + (size_t)first * (size_t)BYOC_DEPTH(n);
  int32_t c, i, at, start[BYOC_PIXELS];
  BYOC_START(patches, n, start);
  for (c = 0, at = 0; c < p->out_c; ++c, at += p->out_chan) {
    int32_t acc[BYOC_PIXELS];
    const byoc_channel_t channel = byoc_channel(r, first + c);
    acc[0] = r->bias[first + c];
    w = products(w, patches, n, start, acc);
    for (i = 0; i < count; ++i) y[i][at] = byoc_result(r, channel, first + c, (uint32_t)acc[i]);
  }
}

static inline int is_depthwise(const byoc_conv_s8_t* p) { return p->in_c == 1 && p->out_c == 1 && p->groups > 1; }

/* The first channel at a place of the image; null outside of it. */
static inline const int8_t* pixel_at(const byoc_conv_s8_t* p, const int8_t* in, int32_t y, int32_t x) {
  return (uint32_t)y < (uint32_t)p->in_h && (uint32_t)x < (uint32_t)p->in_w ? in + y * p->in_row + x * p->in_col : NULL;
}

static BYOC_NOINLINE void gather(const byoc_conv_s8_t* p, const int8_t* in, int32_t oy, int32_t ox, element_t* to) {
  int32_t ky, kx, c, odd = 0, y = oy * p->stride_h - p->pad_top;
  for (ky = 0; ky < p->kernel_h; ++ky, y += p->dilation_h) {
    int32_t x = ox * p->stride_w - p->pad_left;
    for (kx = 0; kx < p->kernel_w; ++kx, x += p->dilation_w) {
      const int8_t* from = pixel_at(p, in, y, x);
      const int8_t zero = (int8_t)p->in_zero;
      const int32_t step = from ? p->in_chan : 0;
      if (!from) from = &zero;
      for (c = p->in_c; c > 0; --c, from += step, to += BYOC_NEXT(odd), odd ^= 1) *to = *from;
    }
  }
}

/* A pixel of all groups, which are of one channel. */
static BYOC_NOINLINE void depthwise(const byoc_conv_s8_t* p, const int8_t* in, int32_t oy, int32_t ox, int8_t* out,
                                    uint32_t* sums) {
  const byoc_requant_t* const r = &p->requant;
  const int32_t n = p->groups;
  const int8_t* w = p->weights;
  int32_t ky, kx, c, taken = 0, y = oy * p->stride_h - p->pad_top;
  memcpy(sums, r->bias, (size_t)n * sizeof *sums);
  for (ky = 0; ky < p->kernel_h; ++ky, y += p->dilation_h) {
    int32_t x = ox * p->stride_w - p->pad_left;
    for (kx = 0; kx < p->kernel_w; ++kx, x += p->dilation_w) {
      const int8_t* from = pixel_at(p, in, y, x);
      const int32_t step = from ? p->in_chan : 0;
      const int8_t zero = (int8_t)p->in_zero;
      if (!from) from = &zero;
      for (c = 0; c < n; ++c, from += step) sums[c] += (uint32_t)(*from * byoc_weight_next(&w, &taken));
    }
  }
  for (c = 0; c < n; ++c, out += p->out_chan) *out = byoc_result(r, byoc_channel(r, c), c, sums[c]);
}

static void image(const byoc_conv_s8_t* p, const int8_t* in, int8_t* out, int32_t first, void* workspace) {
  const int32_t n = p->kernel_h * p->kernel_w * p->in_c;
  element_t* const patches = (element_t*)workspace;
  int8_t* y[BYOC_PIXELS];
  int32_t oy, ox, held = 0;
  for (oy = 0; oy < p->out_h; ++oy) {
    for (ox = 0; ox < p->out_w; ++ox) {
      y[held] = out + oy * p->out_row + ox * p->out_col;
      if (is_depthwise(p)) {
        depthwise(p, in, oy, ox, y[0], (uint32_t*)workspace);
        continue;
      }
      gather(p, in, oy, ox, BYOC_PATCH(patches, held, n));
      if (++held < BYOC_PIXELS) continue;
      channels(p, first, n, patches, y, held);
      held = 0;
    }
  }
  if (held) channels(p, first, n, patches, y, held);
}

void BYOC_SYMBOL(const byoc_conv_s8_t* p, const int8_t* in, int8_t* out, void* workspace) {
  int8_t* const start = out;
  const int32_t groups = is_depthwise(p) ? 1 : p->groups;
  int32_t b, g;
  for (b = 0; b < p->batch; ++b, in += p->in_batch, out += p->out_batch)
    for (g = 0; g < groups; ++g)
      image(p, in + g * p->in_c * p->in_chan, out + g * p->out_c * p->out_chan, g * p->out_c, workspace);
  byoc_finish(&p->requant, start, p->batch * p->out_batch);
}
