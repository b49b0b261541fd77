/*
 * int8 depthwise convolution with the DSP extension: the plane of one input channel is copied out as int16 with its
 * border of zero points, band by band, and read by each of its output channels two elements at a time.
 *
 * Weights: [output channel][kernel_h][kernel_w], as byoc_weight.h has them. in_c is the number of input channels, out_c
 * of output channels.
 * Workspace: (band_rows - 1) * stride_h + (kernel_h - 1) * dilation_h + 1 rows of plane_w int16; plane_w is even and
 * leaves two elements behind the last one that is read. Then, with BYOC_WEIGHT_BITS of 4 or 2, a byte for each tap.
 */
#include "byoc_depthwise_s8.h"
#include "byoc_dsp.h"
#include "byoc_requant_dsp.h"
#include "byoc_weight.h"

/* Results of one output channel from the rows of a plane. */
typedef struct rows_t {
  const int16_t* plane;
  int8_t* out;
  int32_t count;
} rows_t;

/* Weights of a 3x3 filter as pairs (0, 1) and (1, 2) of each row. */
typedef struct filter_t {
  uint32_t pairs[6];
} filter_t;

/* One row of the filter against the pairs (0, 1) and (2, 3) of a row of the plane gives to two results. */
#define BYOC_ROW(weights)              \
  "ldrd %[l], %[r], [%[w], #" weights  \
  "]\n\t"                              \
  "smlad %[a], %[x0], %[l], %[a]\n\t"  \
  "smlatb %[b], %[x0], %[l], %[b]\n\t" \
  "smlabt %[a], %[x1], %[r], %[a]\n\t" \
  "smlad %[b], %[x1], %[r], %[b]\n\t"

/* How a channel's sums become results: with packed weights its scale may be a large one. */
typedef struct scaling_t {
  byoc_channel_t channel;
#if BYOC_WEIGHT_BITS < 8
  byoc_large_t large;
#endif
} scaling_t;

/* `large` is known where this is compiled. */
static BYOC_INLINE int8_t result_of(const scaling_t* s, int32_t large, int32_t acc) {
#if BYOC_WEIGHT_BITS < 8
  if (large) return (int8_t)byoc_requantise_large(s->large, acc);
#endif
  (void)large;
  return (int8_t)byoc_requantise_dsp(s->channel, acc);
}

/* Undilated, stride 1. */
static BYOC_INLINE void rows_of_plain(const byoc_depthwise_s8_t* p, rows_t rows, const filter_t* filter, int32_t bias,
                                      const scaling_t* scaling, int32_t large) {
  const scaling_t s = *scaling;
  const byoc_conv_s8_t* c = &p->conv;
  const int32_t down = p->plane_w * 2, pitch = c->out_col, width = c->out_w, out_row = c->out_row;
  for (; rows.count > 0; --rows.count, rows.plane += p->plane_w, rows.out += out_row) {
    const int16_t* x = rows.plane;
    int8_t *out = rows.out, *const last = rows.out + width * pitch;
    for (; out != last; x += 2) {
      const int16_t* row = x;
      int32_t a = bias, b = bias;
      uint32_t x0, x1, l, r;
      /* Inputs: row: the first of three rows of the plane, down bytes apart, 4-byte aligned; w: filter_t; a, b: the
         bias.
         Outputs: a, b: the sums of two results; row: the last row.
         Clobbers: x0, x1: four elements of a row; l, r: the pairs (0, 1) and (1, 2) of a row of the filter; memory
         is read.
         Holds: a += e0 * f0 + e1 * f1 + e2 * f2, b += e1 * f0 + e2 * f1 + e3 * f2 for each row. */
      __asm__ volatile(
          "ldrd %[x0], %[x1], [%[row]]\n\t" BYOC_ROW("0")
          "add %[row], %[row], %[down]\n\t"
          "ldrd %[x0], %[x1], [%[row]]\n\t" BYOC_ROW("8")
          "add %[row], %[row], %[down]\n\t"
          "ldrd %[x0], %[x1], [%[row]]\n\t" BYOC_ROW("16")
          : [a] "+&r"(a), [b] "+&r"(b), [row] "+&r"(row), [x0] "=&r"(x0), [x1] "=&r"(x1), [l] "=&r"(l), [r] "=&r"(r)
          : [w] "r"(filter), [down] "r"(down)
          : "memory");
      *out = result_of(&s, large, a);
      out += pitch;
      if (out == last) break;
      *out = result_of(&s, large, b);
      out += pitch;
    }
  }
}

/* Undilated, stride 2 and more. */
static BYOC_INLINE void rows_of_strided(const byoc_depthwise_s8_t* p, rows_t rows, const filter_t* filter, int32_t bias,
                                        const scaling_t* scaling, int32_t large) {
  const scaling_t s = *scaling;
  const byoc_conv_s8_t* c = &p->conv;
  const filter_t f = *filter;
  const int32_t down = p->plane_w, pitch = c->out_col, stride = c->stride_w, width = c->out_w, out_row = c->out_row;
  const int32_t down_out = c->stride_h * p->plane_w;
  for (; rows.count > 0; --rows.count, rows.plane += down_out, rows.out += out_row) {
    const int16_t* x = rows.plane;
    int8_t *out = rows.out, *const last = rows.out + width * pitch;
    for (; out != last; out += pitch, x += stride) {
      byoc_pair_t x0[2], x1[2], x2[2];
      int32_t a;
      memcpy(x0, x, sizeof x0);
      memcpy(x1, x + down, sizeof x1);
      memcpy(x2, x + 2 * down, sizeof x2);
      a = byoc_smlabt(x0[1], f.pairs[1], byoc_smlad(x0[0], f.pairs[0], bias));
      a = byoc_smlabt(x1[1], f.pairs[3], byoc_smlad(x1[0], f.pairs[2], a));
      a = byoc_smlabt(x2[1], f.pairs[5], byoc_smlad(x2[0], f.pairs[4], a));
      *out = result_of(&s, large, a);
    }
  }
}

/* Out of line, which leaves them the registers. */
#define BYOC_ROWS(name, rows_of, large)                                                                           \
  static BYOC_NOINLINE void name(const byoc_depthwise_s8_t* p, rows_t rows, const filter_t* filter, int32_t bias, \
                                 const scaling_t* scaling) {                                                      \
    rows_of(p, rows, filter, bias, scaling, large);                                                               \
  }

BYOC_ROWS(rows_of_3x3, rows_of_plain, 0)
BYOC_ROWS(rows_of_3x3_strided, rows_of_strided, 0)
#if BYOC_WEIGHT_BITS < 8
BYOC_ROWS(rows_of_3x3_large, rows_of_plain, 1)
BYOC_ROWS(rows_of_3x3_strided_large, rows_of_strided, 1)
#endif

/* What rows_by_line goes by; its order is that of the offsets there. */
typedef struct lines_t {
  const int16_t* x;
  int8_t* out;
  int32_t down; /* bytes from one row of the plane to the next */
  int32_t bias, scale, start, shift;
  int8_t* last; /* behind the results of the row */
  int32_t pitch, out_row, count;
  uint32_t pairs[6];
} lines_t;

/* One row of the filter against the pairs (0, 1) and (2, 3) of a row of the plane, in r3 and r4, gives to two results.
 */
#define BYOC_LEFT_OF(left) \
  "smlad r5, r3, " left    \
  ", r5\n\t"               \
  "smlatb r6, r3, " left ", r6\n\t"
#define BYOC_RIGHT_OF(right) \
  "smlabt r5, r4, " right    \
  ", r5\n\t"                 \
  "smlad r6, r4, " right ", r6\n\t"

/* Rows of results by their line: two results in 52 cycles of a Cortex-M4. */
static BYOC_NOINLINE void rows_by_line(lines_t* rows) {
  register lines_t* at __asm__("r0") = rows;
  /* Inputs: r0: rows; its members are those of lines_t, count > 0.
     Outputs: none; results at `out`; x, out, last and count of rows are used up.
     Clobbers: r0 to r6, r8 to r12, lr, flags; memory.
     Holds: r2 is rows, lr down, r0 the plane, r1 the results; r5 and r6 are sums, r8 to r12 the filter but for its
     last pair, for which no register is left; r7 stays what it is, for it may be the frame pointer. A result is
     start + sum * scale / 2^32, shifted down and saturated. */
  __asm__ volatile(
      "mov r2, r0\n\t"
      "add r3, r2, #44\n\t"
      "ldmia r3, {r8, r9, r10, r11, r12}\n\t"
      "ldr lr, [r2, #8]\n\t"
      "1:\n\t"
      "ldr r0, [r2]\n\t"
      "ldr r1, [r2, #4]\n\t"
      "2:\n\t"
      "ldr r5, [r2, #12]\n\t"
      "ldr r3, [r0]\n\t"
      "ldr r4, [r0, #4]\n\t"
      "mov r6, r5\n\t"
      "add r0, r0, lr\n\t" BYOC_LEFT_OF("r8") BYOC_RIGHT_OF("r9")
      "ldrd r3, r4, [r0]\n\t"
      "add r0, r0, lr\n\t" BYOC_LEFT_OF("r10") BYOC_RIGHT_OF("r11")
      "ldrd r3, r4, [r0]\n\t"
      "sub r0, r0, lr\n\t" BYOC_LEFT_OF("r12")
      "ldr r3, [r2, #64]\n\t"
      "sub r0, r0, lr\n\t" BYOC_RIGHT_OF("r3")
      "ldrd r3, r4, [r2, #16]\n\t"
      "adds r0, #4\n\t"
      "smmla r5, r5, r3, r4\n\t"
      "smmla r6, r6, r3, r4\n\t"
      "ldrd r3, r4, [r2, #24]\n\t"
      "asrs r5, r3\n\t"
      "asrs r6, r3\n\t"
      "ldr r3, [r2, #32]\n\t"
      "ssat r5, #8, r5\n\t"
      "ssat r6, #8, r6\n\t"
      "strb r5, [r1]\n\t"
      "add r1, r1, r3\n\t"
      "cmp r1, r4\n\t"
      "beq 3f\n\t"
      "strb r6, [r1]\n\t"
      "add r1, r1, r3\n\t"
      "cmp r1, r4\n\t"
      "bne 2b\n\t"
      "3:\n\t"
      "ldr r0, [r2]\n\t"
      "ldr r1, [r2, #4]\n\t"
      "ldr r3, [r2, #36]\n\t"
      "ldr r5, [r2, #40]\n\t"
      "add r0, r0, lr\n\t"
      "add r1, r1, r3\n\t"
      "add r4, r4, r3\n\t"
      "str r0, [r2]\n\t"
      "str r1, [r2, #4]\n\t"
      "str r4, [r2, #28]\n\t"
      "subs r5, #1\n\t"
      "str r5, [r2, #40]\n\t"
      "bne 1b\n\t"
      : "+r"(at)
      :
      : "r1", "r2", "r3", "r4", "r5", "r6", "r8", "r9", "r10", "r11", "r12", "lr", "cc", "memory");
}

static void rows_of_3x3_line(const byoc_depthwise_s8_t* p, rows_t rows, const filter_t* filter, int32_t channel) {
  const byoc_conv_s8_t* c = &p->conv;
  const int32_t* line = (const int32_t*)c->requant.scale + 2 * channel;
  lines_t l;
  l.x = rows.plane;
  l.out = rows.out;
  l.down = 2 * p->plane_w;
  l.bias = c->requant.bias[channel];
  l.scale = line[0];
  l.start = line[1];
  l.shift = p->form;
  l.pitch = c->out_col;
  l.last = rows.out + c->out_w * c->out_col;
  l.out_row = c->out_row;
  l.count = rows.count;
  memcpy(l.pairs, filter->pairs, sizeof l.pairs);
  rows_by_line(&l);
}

static __attribute__((noinline)) void rows_of_any(const byoc_depthwise_s8_t* p, rows_t rows, const int8_t* v,
                                                  int32_t at, byoc_channel_t channel) {
  const byoc_conv_s8_t* c = &p->conv;
  const int32_t down = c->dilation_h * p->plane_w, step = c->dilation_w;
  int32_t ox, ky, kx;
  for (; rows.count > 0; --rows.count, rows.plane += c->stride_h * p->plane_w, rows.out += c->out_row) {
    int8_t* out = rows.out;
    for (ox = 0; ox < c->out_w; ++ox, out += c->out_col) {
      const int16_t* row = rows.plane + ox * c->stride_w;
      const int8_t* w = v;
      int32_t acc = c->requant.bias[at];
      for (ky = c->kernel_h; ky > 0; --ky, row += down) {
        const int16_t* x = row;
        BYOC_ROLLED
        for (kx = c->kernel_w; kx > 0; --kx, x += step) acc = (int32_t)((uint32_t)acc + (uint32_t)(*w++ * *x));
      }
      *out = (int8_t)(channel.shift ? byoc_requantise_dsp(channel, acc) : byoc_requantise_any(&c->requant, at, acc));
    }
  }
}

/* Rows of the image from y on, `count` of them; the border of the plane holds the zero point already if `bordered`. */
static void copy_plane(const byoc_depthwise_s8_t* p, const int8_t* in, int32_t y, int32_t count, int16_t* plane,
                       int32_t bordered) {
  const byoc_conv_s8_t* c = &p->conv;
  const int32_t inside = c->in_w < p->plane_w - c->pad_left ? c->in_w : p->plane_w - c->pad_left;
  const int32_t col = c->in_col;
  int32_t n;
  if (!bordered) {
    byoc_pair_t* word = (byoc_pair_t*)plane;
    const uint32_t zero = byoc_pack(c->in_zero, c->in_zero);
    BYOC_ROLLED
    for (n = count * p->plane_w / 2; n > 0; --n) *word++ = zero;
  }
  plane += c->pad_left;
  for (; count > 0; --count, ++y, plane += p->plane_w) {
    const int8_t* from = in + y * c->in_row;
    int16_t* to = plane;
    if (y < 0 || y >= c->in_h) continue;
    for (n = inside; n > 3; n -= 4, from += 4 * col, to += 4) {
      const int16_t x0 = from[0], x1 = from[col], x2 = from[2 * col], x3 = from[3 * col];
      to[0] = x0;
      to[1] = x1;
      to[2] = x2;
      to[3] = x3;
    }
    BYOC_ROLLED
    for (; n > 0; --n, from += col) *to++ = *from;
  }
}

static filter_t filter_of(const int8_t* v) {
  filter_t f;
  int32_t i;
  for (i = 0; i < 3; ++i) {
    f.pairs[2 * i] = byoc_pack(v[3 * i], v[3 * i + 1]);
    f.pairs[2 * i + 1] = byoc_pack(v[3 * i + 1], v[3 * i + 2]);
  }
  return f;
}

static void channel_image(const byoc_depthwise_s8_t* p, const int8_t* in, int8_t* out, int32_t input, int16_t* plane,
                          int32_t bordered) {
  const byoc_conv_s8_t* c = &p->conv;
  const int32_t multiplier = c->out_c / c->in_c, taps = c->kernel_h * c->kernel_w;
  const int32_t reach = (c->kernel_h - 1) * c->dilation_h + 1;
  const int32_t is_3x3 = c->kernel_h == 3 && c->kernel_w == 3 && c->dilation_h == 1 && c->dilation_w == 1;
  int8_t* const unpacked = (int8_t*)(plane + ((p->band_rows - 1) * c->stride_h + reach) * p->plane_w);
  int32_t top, at;
  for (top = 0; top < c->out_h; top += p->band_rows) {
    rows_t rows;
    rows.plane = plane;
    rows.out = out + top * c->out_row;
    rows.count = c->out_h - top < p->band_rows ? c->out_h - top : p->band_rows;
    copy_plane(p, in, top * c->stride_h - c->pad_top, (rows.count - 1) * c->stride_h + reach, plane, bordered);
    for (at = input * multiplier; at < (input + 1) * multiplier; ++at, rows.out += c->out_chan) {
      scaling_t scaling;
      int32_t large = 0;
      const int8_t* v = byoc_weights(c->weights, at * taps, taps, unpacked);
      if (p->form) {
        const filter_t f = filter_of(v);
        rows_of_3x3_line(p, rows, &f, at);
        continue;
      }
      scaling.channel = byoc_channel_dsp(&c->requant, at);
#if BYOC_WEIGHT_BITS < 8
      scaling.large = byoc_large_dsp(&c->requant, at);
      large = !scaling.channel.shift && scaling.large.left >= 0;
#endif
      if (is_3x3 && (scaling.channel.shift || large)) {
        const int32_t plain = c->stride_h == 1 && c->stride_w == 1, bias = c->requant.bias[at];
        const filter_t f = filter_of(v);
#if BYOC_WEIGHT_BITS < 8
        if (large) {
          (plain ? rows_of_3x3_large : rows_of_3x3_strided_large)(p, rows, &f, bias, &scaling);
          continue;
        }
#endif
        (plain ? rows_of_3x3 : rows_of_3x3_strided)(p, rows, &f, bias, &scaling);
      } else {
        rows_of_any(p, rows, v, at, scaling.channel);
      }
    }
  }
}

void BYOC_SYMBOL(const byoc_depthwise_s8_t* p, const int8_t* in, int8_t* out, void* workspace) {
  const byoc_conv_s8_t* c = &p->conv;
  const int32_t multiplier = c->out_c / c->in_c;
  int8_t* start = out;
  int32_t b, g;
  for (b = 0; b < c->batch; ++b, in += c->in_batch, out += c->out_batch)
    for (g = 0; g < c->in_c; ++g)
      /* Where one plane is the whole image, its border lasts from one channel to the next. */
      channel_image(p, in + g * c->in_chan, out + g * multiplier * c->out_chan, g, (int16_t*)workspace,
                    (b || g) && p->band_rows >= c->out_h);
  byoc_narrow(&c->requant, start, c->batch * c->out_batch);
}
