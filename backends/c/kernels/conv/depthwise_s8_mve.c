/*
 * int8 depthwise convolution with MVE: the plane of one input channel is copied out with its border of zero points,
 * band by band. The up to 16 elements under a filter come with one load by offsets and meet their weights in one
 * instruction; the sums of a band are requantised four at a time. Where the windows of four results next to each other
 * (two by two, or of one row or column) have at most 16 elements, they come with one load and meet the weights of each
 * result in one instruction.
 *
 * Weights: [output channel][kernel_h][kernel_w], as byoc_weight.h has them. in_c is the number of input channels, out_c
 * of output channels.
 * Needs: at most 16 taps, all within 255 bytes of the plane; 7 * in_col below 2^16. Of two channels to a plane, one in
 * its even and one in its odd bytes: one band, channels next to each other, an even number, one result of each; even
 * strides, and all within 127 elements. Workspace: (band_rows - 1) * stride_h + (kernel_h - 1) * dilation_h + 1 rows of
 * plane_w bytes, twice that with two channels, rounded up to 4; then an int32 for each result of a band, or a pair_t
 * for every two blocks that cover it, if that is more; and the same for a last band that has fewer rows.
 */
#include "byoc_depthwise_s8.h"
#include "byoc_mve.h"
#include "byoc_packed_mve.h"

/* Two blocks of four results. */
typedef struct pair_t {
  const int8_t* windows[2]; /* their elements in the plane */
  uint16_t places[8];       /* of results 0, 0, 1, 1 ... of the two, from where the band's results begin */
} pair_t;

/* The results of so many rows. */
typedef struct plan_t {
  int32_t rows, count; /* of pairs; 0: there are none */
  union {
    int32_t* sums;
    pair_t* pairs;
  } of;
} plan_t;

/* Rows of the image that are copied to the plane. */
typedef struct copy_t {
  int32_t from; /* the first, from where the channel begins */
  int8_t* to;
  int32_t rows, columns;
} copy_t;

typedef struct band_t {
  int8_t* plane;
  int32_t channels; /* of a plane: 1 or 2 */
  int32_t channel;  /* of these: 0 or 1 */
  copy_t copy;
  const plan_t* plan;
  uint8_t offsets[16];  /* of the taps in the plane */
  uint8_t elements[16]; /* of blocks: offsets of the elements under four results, */
  uint8_t taps[4][16];  /* which weight of each result meets an element, */
  uint16_t there[4];    /* and whether one does */
  uint16_t columns[8];  /* offsets of eight elements of a row of the image */
} band_t;

/* Sums of a band without the bias: 5 instructions each. */
static inline void sum_band(const byoc_depthwise_s8_t* p, const band_t* band, const int8_t* w) {
  const byoc_conv_s8_t* c = &p->conv;
  const int8_t *row = band->plane + band->channel, *x;
  int32_t* sums = band->plan->of.sums;
  int32_t rows = band->plan->rows, sum;
  /* Inputs: offsets: of the taps, at most 16; taps: their number; w; row: the plane; rows, width > 0; stride, down:
     bytes; sums.
     Outputs: sums: behind the last; row: behind the last row; rows: 0.
     Clobbers: x, sum, q0: offsets; q1: elements; q2: weights, zeros behind the last; p0, lr, flags; memory at sums.
     Holds: a sum is that of the products of all taps, without the bias: 5 instructions. */
  __asm__ volatile(
      "vldrb.u8 q0, [%[offsets]]\n\t"
      "vctp.8 %[taps]\n\t"
      "vpst\n\t"
      "vldrbt.u8 q2, [%[w]]\n\t"
      "1:\n\t"
      "mov %[x], %[row]\n\t"
      "dls lr, %[width]\n\t"
      "2:\n\t"
      "vldrb.u8 q1, [%[x], q0]\n\t"
      "vmladav.s8 %[sum], q1, q2\n\t"
      "add %[x], %[x], %[stride]\n\t"
      "str %[sum], [%[sums]], #4\n\t"
      "le lr, 2b\n\t"
      "add %[row], %[row], %[down]\n\t"
      "subs %[rows], %[rows], #1\n\t"
      "bne 1b\n\t"
      : [row] "+&r"(row), [x] "=&r"(x), [sums] "+&r"(sums), [rows] "+&r"(rows), [sum] "=&Te"(sum)
      : [offsets] "r"(band->offsets), [taps] "r"(c->kernel_h * c->kernel_w), [w] "r"(w), [width] "r"(c->out_w),
        [stride] "r"(band->channels * c->stride_w), [down] "r"(band->channels * c->stride_h * p->plane_w)
      : "q0", "q1", "q2", "lr", "cc", "memory");
}

/* Results of n sums, `col` apart. */
static inline void store_band(int32_t* sums, int32_t n, int32_t bias, byoc_channel_mve_t channel, int32_t zero,
                              int8_t* out, int32_t col) {
  const byoc_quad_t offsets = byoc_quad(0, col, 2 * col, 3 * col);
  for (; n > 3; n -= 4, sums += 4, out += 4 * col) {
    byoc_quad_t x;
    __asm__ volatile("vldrw.u32 %q0, [%1]\n\tvadd.i32 %q0, %q0, %2" : "=w"(x) : "r"(sums), "r"(bias) : "memory");
    byoc_store_quad(byoc_requantise_quad(x, channel, zero), out, offsets);
  }
  if (n > 0) {
    /* Results that are not there repeat the first one. */
    const byoc_quad_t x = byoc_quad(sums[0], sums[n > 1 ? 1 : 0], sums[n > 2 ? 2 : 0], sums[0]) + bias;
    byoc_store_quad(byoc_requantise_quad(x, channel, zero), out, byoc_quad(0, n > 1 ? col : 0, n > 2 ? 2 * col : 0, 0));
  }
}

/* Of the plane, rows of the image from y on, `count` of them: which are copied where. */
static copy_t plan_copy(const byoc_depthwise_s8_t* p, const band_t* band, int32_t y, int32_t count) {
  const byoc_conv_s8_t* c = &p->conv;
  const int32_t above = y < 0 ? -y : 0, below = y + count - c->in_h > 0 ? y + count - c->in_h : 0;
  copy_t copy;
  copy.from = (y + above) * c->in_row;
  copy.to = band->plane + band->channels * (above * p->plane_w + c->pad_left);
  copy.rows = count - above - below;
  copy.columns = c->in_w < p->plane_w - c->pad_left ? c->in_w : p->plane_w - c->pad_left;
  return copy;
}

/* Rows of one channel, or of two.
   Inputs: in, plane: rows, in_row and down apart; count > 0 rows; inside > 0 elements; offsets: of eight elements;
   step: to the next eight.
   Outputs: in, plane: behind the last row; count: 0.
   Clobbers: from, to, q0, q1: offsets; lr, flags; memory at plane.
   Holds: `load` takes eight elements from `from`, `store` puts them at `to` and moves it; the last vector is
   predicated by LETP. */
#define BYOC_COPY(load, store)                                                                         \
  __asm__ volatile(                                                                                    \
      "vldrh.u16 q1, [%[offsets]]\n\t"                                                                 \
      "1:\n\t"                                                                                         \
      "mov %[from], %[in]\n\t"                                                                         \
      "mov %[to], %[plane]\n\t"                                                                        \
      "dlstp.16 lr, %[inside]\n\t"                                                                     \
      "2:\n\t" load                                                                                    \
      "\n\t"                                                                                           \
      "add %[from], %[from], %[step]\n\t" store                                                        \
      "\n\t"                                                                                           \
      "letp lr, 2b\n\t"                                                                                \
      "add %[in], %[in], %[in_row]\n\t"                                                                \
      "add %[plane], %[plane], %[down]\n\t"                                                            \
      "subs %[count], %[count], #1\n\t"                                                                \
      "bne 1b\n\t"                                                                                     \
      : [in] "+&r"(in), [plane] "+&r"(plane), [count] "+&r"(count), [from] "=&r"(from), [to] "=&l"(to) \
      : [offsets] "r"(band->columns), [inside] "r"(band->copy.columns), [step] "r"(8 * c->in_col),     \
        [in_row] "r"(c->in_row), [down] "r"(band->channels * p->plane_w)                               \
      : "q0", "q1", "lr", "cc", "memory")

static inline void copy_plane(const byoc_depthwise_s8_t* p, const band_t* band, const int8_t* in) {
  const byoc_conv_s8_t* c = &p->conv;
  int8_t *plane = band->copy.to, *to;
  int32_t count = band->copy.rows;
  const int8_t* from;
  if (count <= 0 || band->copy.columns <= 0) return;
  in += band->copy.from;
  if (band->channels == 1) {
    BYOC_COPY("vldrb.u16 q0, [%[from], q1]", "vstrb.16 q0, [%[to]], #8");
  } else {
    BYOC_COPY("vldrh.u16 q0, [%[from], q1]", "vstrh.16 q0, [%[to]], #16");
  }
}

/* The weights of one of four results where its elements come to lie, zeros between them. */
static inline byoc_quad_t block_weights(const band_t* band, int32_t result, const int8_t* w) {
  byoc_quad_t x, taps;
  __asm__ volatile(
      "vldrb.u8 %q[taps], [%[offsets]]\n\t"
      "vmsr p0, %[there]\n\t"
      "vpst\n\t"
      "vldrbt.u8 %q[x], [%[w], %q[taps]]"
      : [x] "=&w"(x), [taps] "=&w"(taps)
      : [offsets] "r"(band->taps[result]), [there] "r"((uint32_t)band->there[result]), [w] "r"(w)
      : "memory");
  return x;
}

/* The sums of four results, one in each lane. */
#define BYOC_BLOCK(from)                            \
  "vldrb.u8 %q[window], [" from                     \
  ", %q[lanes]]\n\t"                                \
  "vmladav.s8 %[a0], %q[window], %q[w0]\n\t"        \
  "vmladav.s8 %[a1], %q[window], %q[w2]\n\t"        \
  "vmladav.s8 %[a2], %q[window], %q[w1]\n\t"        \
  "vmov %q[sums][2], %q[sums][0], %[a0], %[a1]\n\t" \
  "vmladav.s8 %[a0], %q[window], %q[w3]\n\t"        \
  "vmov %q[sums][3], %q[sums][1], %[a2], %[a0]\n\t" \
  "vadd.i32 %q[sums], %q[sums], %[bias]\n\t"

/* All results of a band of one channel by pairs of blocks: 30 instructions for eight results, or 28. `scale`: how sums
   are scaled. */
#define BYOC_BAND(name, scale_quad)                                                                                  \
  static BYOC_NOINLINE void name(const band_t* band, const int8_t* w, int32_t bias, byoc_channel_mve_t channel,      \
                                 int32_t zero, int8_t* out) {                                                        \
    const byoc_quad_t w0 = block_weights(band, 0, w), w1 = block_weights(band, 1, w);                                \
    const byoc_quad_t w2 = block_weights(band, 2, w), w3 = block_weights(band, 3, w);                                \
    const pair_t* pair = band->plan->of.pairs;                                                                       \
    byoc_quad_t lanes, window, sums, first;                                                                          \
    int32_t a0 = band->plan->count, a1, a2, second;                                                                  \
    /* Inputs: pair: count pairs of windows, where each has its two addresses and eight places; elements, channel:   \
       offsets of a window; w0 to w3: weights of four results; a0: the count > 0; bias, scale, shift, zero, out.     \
       Outputs: pair: behind the last.                                                                               \
       Clobbers: a0 to a2, second, lanes, window, sums, first, lr, flags; memory at out.                             \
       Holds: eight results a turn: four sums of a window each, scaled, narrowed to bytes and stored at their places \
       from out on. */                                                                                               \
    __asm__ volatile( \
        "vldrb.u8 %q[lanes], [%[elements]]\n\t" \
        "vadd.i8 %q[lanes], %q[lanes], %[channel]\n\t" \
        "dls lr, %[a0]\n\t" \
        "1:\n\t" \
        "ldrd %[a0], %[second], [%[pair]], #8\n\t" BYOC_BLOCK("%[a0]") scale_quad("first", "sums") \
            BYOC_BLOCK("%[second]") scale_quad("window", "sums") \
        "vqmovnb.s32 %q[first], %q[first]\n\t" \
        "vqmovnt.s32 %q[first], %q[window]\n\t" \
        "vldrh.u16 %q[window], [%[pair]], #16\n\t" \
        "vqadd.s16 %q[first], %q[first], %[zero]\n\t" \
        "vqmovnb.s16 %q[first], %q[first]\n\t" \
        "vstrb.16 %q[first], [%[out], %q[window]]\n\t" \
        "le lr, 1b\n\t" \
        : [pair] "+&r"(pair), [a0] "+&Te"(a0), [a1] "=&Te"(a1), [a2] "=&Te"(a2), [second] "=&r"(second), \
          [lanes] "=&w"(lanes), [window] "=&w"(window), [sums] "=&w"(sums), [first] "=&w"(first) \
        : [elements] "r"(band->elements), [channel] "r"(band->channel), [w0] "w"(w0), [w1] "w"(w1), [w2] "w"(w2), [w3] "w"(w3), [bias] "r"(bias), \
          [scale] "r"(channel.scale), [shift] "r"(channel.shift), [zero] "r"(zero), [out] "r"(out) \
        : "lr", "cc", "memory");                                                                                              \
  }

BYOC_BAND(block_band, BYOC_SCALE_QUAD)
#if defined(BYOC_SCALE_QUAD_UP)
BYOC_BAND(block_band_up, BYOC_SCALE_QUAD_UP)
#else
#define block_band_up block_band
#endif

static void one_by_one(const byoc_depthwise_s8_t* p, const band_t* band, int32_t bias, byoc_channel_mve_t channel,
                       int32_t at, int8_t* out) {
  const byoc_conv_s8_t* c = &p->conv;
  const int32_t joined = c->out_row == c->out_w * c->out_col, n = joined ? band->plan->rows * c->out_w : c->out_w;
  int32_t* sums = band->plan->of.sums;
  int32_t rows = joined ? 1 : band->plan->rows, i;
  for (; rows > 0; --rows, sums += n, out += c->out_row) {
    if (channel.shift < 0) {
      store_band(sums, n, bias, channel, c->requant.zero, out, c->out_col);
    } else {
      for (i = 0; i < n; ++i)
        out[i * c->out_col] =
            (int8_t)byoc_requantise_any(&c->requant, at, (int32_t)((uint32_t)sums[i] + (uint32_t)bias));
    }
  }
}

/* Which elements four results have under them in the plane, and which weights of each these meet. */
static void plan_block(const byoc_depthwise_s8_t* p, band_t* band) {
  const byoc_conv_s8_t* c = &p->conv;
  const int32_t width = p->form & 7, window_w = c->kernel_w + (width - 1) * c->stride_w;
  const int32_t count = (c->kernel_h + (4 / width - 1) * c->stride_h) * window_w;
  int32_t i, result;
  BYOC_ROLLED
  for (i = 0; i < count; ++i) {
    const int32_t y = i / window_w, x = i % window_w;
    band->elements[i] = (uint8_t)(band->channels * (y * p->plane_w + x));
    BYOC_ROLLED
    for (result = 0; result < 4; ++result) {
      const int32_t ky = y - result / width * c->stride_h, kx = x - result % width * c->stride_w;
      if (ky < 0 || ky >= c->kernel_h || kx < 0 || kx >= c->kernel_w) continue;
      band->taps[result][i] = (uint8_t)(ky * c->kernel_w + kx);
      band->there[result] = (uint16_t)(band->there[result] | 1u << i);
    }
  }
}

/* Pairs of blocks for all results of a band, which overlap where it ends. */
static BYOC_NOINLINE void plan_pairs(const byoc_depthwise_s8_t* p, const band_t* band, plan_t* plan) {
  const byoc_conv_s8_t* c = &p->conv;
  const int32_t width = p->form & 7, height = width ? 4 / width : 0;
  const int32_t last_y = plan->rows - height, last_x = c->out_w - width;
  const int32_t second = width > 1 ? c->out_col : c->out_row, third = width == 2 ? c->out_row : 2 * second;
  int32_t y = 0, x = 0, at = 0, i;
  plan->count = 0;
  if (!width || last_y < 0) return;
  for (;;) {
    pair_t* pair = plan->of.pairs + plan->count;
    const int32_t to = y * c->out_row + x * c->out_col;
    pair->windows[at] = band->plane + band->channels * (y * c->stride_h * p->plane_w + x * c->stride_w);
    for (i = 0; i < 4; ++i) pair->places[2 * i + at] = (uint16_t)(to + (i >> 1) * third + (i & 1) * second);
    plan->count += at;
    at ^= 1;
    if (x < last_x) {
      x = x + width < last_x ? x + width : last_x;
    } else if (y < last_y) {
      x = 0;
      y = y + height < last_y ? y + height : last_y;
    } else if (!at) {
      return;
    }
  }
}

/* A band by its sums, which are written over the pairs. */
static BYOC_NOINLINE void rare_band(const byoc_depthwise_s8_t* p, const band_t* band, plan_t* plan, const int8_t* w,
                                    byoc_channel_mve_t channel, int32_t at, int8_t* out) {
  sum_band(p, band, w);
  one_by_one(p, band, p->conv.requant.bias[at], channel, at, out);
  plan_pairs(p, band, plan);
}

static void channel_image(const byoc_depthwise_s8_t* p, band_t* band, plan_t* plans, const int8_t* in, int8_t* out,
                          int32_t input, int32_t bordered) {
  const byoc_conv_s8_t* c = &p->conv;
  const int32_t multiplier = c->out_c / c->in_c, reach = (c->kernel_h - 1) * c->dilation_h + 1;
  const int32_t taps = c->kernel_h * c->kernel_w;
  int8_t unpacked[16];
  int32_t top, at;
  for (top = 0; top < c->out_h; top += p->band_rows) {
    plan_t* const plan = plans + (c->out_h - top < p->band_rows);
    int8_t* to = out + top * c->out_row;
    band->plan = plan;
    if (!bordered) {
      const int32_t rows = (plan->rows - 1) * c->stride_h + reach;
      byoc_fill_mve(band->plane, c->in_zero, band->channels * rows * p->plane_w);
      band->copy = plan_copy(p, band, top * c->stride_h - c->pad_top, rows);
    }
    band->channel = input & (band->channels - 1);
    if (!band->channel) copy_plane(p, band, in);
    for (at = input * multiplier; at < (input + 1) * multiplier; ++at, to += c->out_chan) {
      const byoc_channel_mve_t channel = byoc_channel_mve(&c->requant, at);
      const int8_t* w = byoc_weights_mve(c->weights, at * taps, taps, unpacked);
      if (channel.shift >= 0 || !plan->count) {
        rare_band(p, band, plan, w, channel, at, to);
      } else if (byoc_is_up(&c->requant)) {
        block_band_up(band, w, c->requant.bias[at], channel, c->requant.zero, to);
      } else {
        block_band(band, w, c->requant.bias[at], channel, c->requant.zero, to);
      }
    }
  }
}

void BYOC_SYMBOL(const byoc_depthwise_s8_t* p, const int8_t* in, int8_t* out, void* workspace) {
  const byoc_conv_s8_t* c = &p->conv;
  const int32_t multiplier = c->out_c / c->in_c;
  const int32_t plane_rows = (p->band_rows - 1) * c->stride_h + (c->kernel_h - 1) * c->dilation_h + 1;
  int8_t* start = out;
  plan_t plans[2];
  band_t band;
  int32_t b, g, i;
  memset(&band, 0, sizeof band);
  band.plane = (int8_t*)workspace;
  band.channels = (p->form & 8) && ((uintptr_t)in & 1) == 0 ? 2 : 1;
  BYOC_ROLLED
  for (i = 0; i < c->kernel_h * c->kernel_w; ++i)
    band.offsets[i] =
        (uint8_t)(band.channels * (i / c->kernel_w * c->dilation_h * p->plane_w + i % c->kernel_w * c->dilation_w));
  BYOC_ROLLED
  for (i = 0; i < 8; ++i) band.columns[i] = (uint16_t)(i * c->in_col);
  if (p->form & 7) plan_block(p, &band);
  plans[0].rows = p->band_rows;
  plans[0].of.sums = (int32_t*)workspace + ((band.channels * plane_rows * p->plane_w + 3) >> 2);
  plan_pairs(p, &band, plans);
  plans[1].rows = c->out_h % p->band_rows;
  plans[1].of.sums = plans[0].of.sums + p->band_rows * c->out_w;
  if (plans[1].of.pairs < plans[0].of.pairs + plans[0].count) plans[1].of.pairs = plans[0].of.pairs + plans[0].count;
  plan_pairs(p, &band, plans + 1);
  for (b = 0; b < c->batch; ++b, in += c->in_batch, out += c->out_batch)
    for (g = 0; g < c->in_c; ++g)
      /* Where one plane is the whole image, its border lasts from one channel to the next. */
      channel_image(p, &band, plans, in + g * c->in_chan, out + g * multiplier * c->out_chan, g,
                    (b || g) && p->band_rows >= c->out_h);
  byoc_narrow_mve(c->requant.min, c->requant.max, start, c->batch * c->out_batch);
}
