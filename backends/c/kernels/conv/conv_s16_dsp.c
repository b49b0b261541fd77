/*
 * int16 convolution with int8 weights and the DSP extension: two pixels by two channels at a time.
 *
 * Weights: for each channel its patch, rounded up to 4, every four as 0, 2, 1, 3; 4-byte aligned.
 * Workspace: two patches, rounded up like that; none where a patch is the pixel's channels in the image.
 *
 * BYOC_REQUANT_WIDE: sums have 64 bits, of parts that fit in 32.
 */
#include "byoc_conv_s16.h"
#include "byoc_dsp.h"

/* Two int16 at any address of one. */
typedef uint32_t __attribute__((may_alias, aligned(2))) elements_t;

#if defined(BYOC_REQUANT_WIDE)
typedef byoc_conv_s16_t params_t;
typedef int64_t sum_t;
#else
typedef byoc_conv_s8_t params_t;
typedef int32_t sum_t;
#endif

/* Adds the products of n elements, a multiple of 4, of one or two pixels in two channels. sum: [channel][pixel]. */
static BYOC_INLINE void add_products(const int8_t* w0, const int8_t* w1, const int16_t* x0, const int16_t* x1,
                                     int32_t n, int32_t pixels, int32_t* sum) {
  const byoc_pair_t *v0 = (const byoc_pair_t*)w0, *v1 = (const byoc_pair_t*)w1;
  const elements_t *p0 = (const elements_t*)x0, *p1 = (const elements_t*)x1;
  int32_t a = sum[0], b = sum[1], c = sum[2], d = sum[3];
  for (; n > 0; n -= 4, ++v0, ++v1, p0 += 2, p1 += 2) {
    const uint32_t first = byoc_sxtb16(*v0), behind = byoc_sxtb16_odd(*v0);
    const uint32_t second = byoc_sxtb16(*v1), after = byoc_sxtb16_odd(*v1);
    a = byoc_smlad(first, p0[0], a);
    c = byoc_smlad(second, p0[0], c);
    a = byoc_smlad(behind, p0[1], a);
    c = byoc_smlad(after, p0[1], c);
    if (pixels == 1) continue;
    b = byoc_smlad(first, p1[0], b);
    d = byoc_smlad(second, p1[0], d);
    b = byoc_smlad(behind, p1[1], b);
    d = byoc_smlad(after, p1[1], d);
  }
  sum[0] = a;
  sum[1] = b;
  sum[2] = c;
  sum[3] = d;
}

#if defined(BYOC_REQUANT_WIDE)
static BYOC_INLINE void sum_up(const params_t* p, const int8_t* w0, const int8_t* w1, const int16_t* x0,
                               const int16_t* x1, int32_t n, int32_t pixels, int64_t* sum) {
  int32_t i, k;
  for (k = 0; k < n; k += p->span) {
    int32_t part[4] = {0, 0, 0, 0};
    add_products(w0 + k, w1 + k, x0 + k, x1 + k, n - k < p->span ? n - k : p->span, pixels, part);
    for (i = 0; i < 4; ++i) sum[i] += part[i];
  }
}
static inline int64_t start(const params_t* p, int32_t channel) { return p->bias[channel]; }
static inline int16_t result(const byoc_requant_t* r, int32_t channel, int64_t sum) {
  return (int16_t)byoc_requantise_wide(r, channel, (uint64_t)sum);
}
#define BYOC_CONV(p) (&(p)->conv)
#else
static BYOC_INLINE void sum_up(const params_t* p, const int8_t* w0, const int8_t* w1, const int16_t* x0,
                               const int16_t* x1, int32_t n, int32_t pixels, int32_t* sum) {
  (void)p;
  add_products(w0, w1, x0, x1, n, pixels, sum);
}
static inline int32_t start(const params_t* p, int32_t channel) { return p->requant.bias[channel]; }
static inline int16_t result(const byoc_requant_t* r, int32_t channel, int32_t sum) {
  return (int16_t)byoc_clamp(byoc_smmulr(sum, ((const int32_t*)r->scale)[channel]), r->min, r->max);
}
#define BYOC_CONV(p) (p)
#endif

/* All channels of a group, from `first` on, for one or two pixels, to y0 and y1. */
static BYOC_INLINE void channels(const params_t* p, const int8_t* w, int32_t first, const int16_t* x0,
                                 const int16_t* x1, int32_t n, int32_t pixels, int16_t* y0, int16_t* y1) {
  const byoc_conv_s8_t* c = BYOC_CONV(p);
  int32_t left = c->out_c, channel = first;
  for (; left > 0; left -= 2, channel += 2, w += 2 * n, y0 += 2 * c->out_chan, y1 += 2 * c->out_chan) {
    const int32_t more = left > 1; /* else the last one twice */
    const sum_t a = start(p, channel), b = start(p, channel + more);
    sum_t sum[4] = {a, a, b, b};
    sum_up(p, w, w + more * n, x0, x1, n, pixels, sum);
    y0[0] = result(&c->requant, channel, sum[0]);
    if (pixels == 2) y1[0] = result(&c->requant, channel, sum[1]);
    if (!more) return;
    y0[c->out_chan] = result(&c->requant, channel + 1, sum[2]);
    if (pixels == 2) y1[c->out_chan] = result(&c->requant, channel + 1, sum[3]);
  }
}

static BYOC_NOINLINE void one_pixel(const params_t* p, const int8_t* w, int32_t first, const int16_t* x, int32_t n,
                                    int16_t* y) {
  channels(p, w, first, x, x, n, 1, y, y);
}
static BYOC_NOINLINE void two_pixels(const params_t* p, const int8_t* w, int32_t first, const int16_t* const* x,
                                     int32_t n, int16_t* const* y) {
  channels(p, w, first, x[0], x[1], n, 2, y[0], y[1]);
}

static int16_t* copy(const int16_t* from, int32_t n, int32_t step, int16_t* to) {
  for (; n > 0; --n, from += step) *to++ = *from;
  return to;
}

static int16_t* fill(int32_t n, int16_t* to) {
  for (; n > 0; --n) *to++ = 0;
  return to;
}

/* The patch of a pixel to `to`, with zeros up to n. */
static void gather(const byoc_conv_s8_t* p, const int16_t* in, int32_t oy, int32_t ox, int32_t n, int16_t* to) {
  const int32_t left = ox * p->stride_w - p->pad_left, row = p->kernel_w * p->in_c;
  const int32_t joined =
      p->dilation_w == 1 && left >= 0 && left + p->kernel_w <= p->in_w && p->in_chan == 1 && p->in_col == p->in_c;
  const int16_t* const end = to + n;
  int32_t ky, kx, y = oy * p->stride_h - p->pad_top;
  for (ky = p->kernel_h; ky > 0; --ky, y += p->dilation_h) {
    int32_t x = left;
    if (y < 0 || y >= p->in_h) {
      to = fill(row, to);
    } else if (joined) {
      to = copy(in + y * p->in_row + x * p->in_col, row, 1, to);
    } else {
      for (kx = p->kernel_w; kx > 0; --kx, x += p->dilation_w)
        to = x < 0 || x >= p->in_w ? fill(p->in_c, to)
                                   : copy(in + y * p->in_row + x * p->in_col, p->in_c, p->in_chan, to);
    }
  }
  fill((int32_t)(end - to), to);
}

static void group_image(const params_t* p, const int16_t* in, int16_t* out, const int8_t* w, int32_t first, int32_t n,
                        int16_t* workspace) {
  const byoc_conv_s8_t* c = BYOC_CONV(p);
  const int32_t count = c->out_h * c->out_w;
  const int16_t* x[2];
  int16_t* y[2];
  int32_t done, oy = 0, ox = 0;
  for (done = 0; done < count; ++done) {
    const int32_t at = done & 1;
    y[at] = out + (byoc_offset_t)oy * c->out_row + (byoc_offset_t)ox * c->out_col;
    if (workspace) {
      gather(c, in, oy, ox, n, workspace + at * n);
      x[at] = workspace + at * n;
    } else {
      x[at] = in + (byoc_offset_t)oy * c->stride_h * c->in_row + (byoc_offset_t)ox * c->stride_w * c->in_col;
    }
    if (at) {
      two_pixels(p, w, first, x, n, y);
    } else if (done + 1 == count) {
      one_pixel(p, w, first, x[0], n, y[0]);
    }
    if (++ox == c->out_w) {
      ox = 0;
      ++oy;
    }
  }
}

void BYOC_SYMBOL(const params_t* p, const int16_t* in, int16_t* out, void* workspace) {
  const byoc_conv_s8_t* c = BYOC_CONV(p);
  const int32_t n = (c->kernel_h * c->kernel_w * c->in_c + 3) & ~3;
  int32_t b, g;
  for (b = 0; b < c->batch; ++b, in += c->in_batch, out += c->out_batch)
    for (g = 0; g < c->groups; ++g)
      group_image(p, in + (byoc_offset_t)g * c->in_c * c->in_chan, out + (byoc_offset_t)g * c->out_c * c->out_chan,
                  c->weights + (byoc_offset_t)g * c->out_c * n, g * c->out_c, n, (int16_t*)workspace);
}
