/*
 * int8 convolution with MVE. Patches of up to 64 elements: the weights of a channel stay in vector registers while
 * pixels pass by, eight at a time. Larger ones, and fewer than eight pixels: four pixels by two channels at a time, 16
 * elements each.
 *
 * Weights, in the first case: [output channel][patch element], as they are, readable up to 64 elements, whole vectors,
 * from the start of the last one. In the second, for each group, [channels / 2][elements / 16][2][16], filled up with
 * zeros.
 * Workspace, with `padded` a patch rounded up to 16: 32 * padded bytes in the first case, or none for 1x1 of whole
 * vectors where all pixels follow each other, with stride 1, and are not written over. In the second 5 * padded, or 4 *
 * padded for in_c channels next to each other, a multiple of 16; and before them 32 bytes for every two channels of a
 * group. Needs: 7 * out_col and 3 * out_col + out_chan below 2^16.
 *
 * With BYOC_WEIGHT_BITS of 4 or 2, weights are in the first case as byoc_weight.h has them; in the second a vector has
 * those of two or four, the first in its lowest bits, and a patch is rounded up to what two of these have of a channel.
 * Needs: patches below 2^17 elements.
 */
#include "byoc_mve.h"
#include "byoc_packed_mve.h"
#include "byoc_patch_s8.h"

#define BYOC_BATCH 32

/* At least eight pixels: patches of whole vectors one behind the other, results `col` apart. */
typedef struct run_t {
  const int8_t* x;
  int8_t* y;
  int32_t count, col;
  uint16_t offsets[8]; /* of results: pixels 0, 4, 1, 5 ... */
} run_t;

/* One pixel against the weights in w0 to w3; `sums` and `x1` hold its elements. */
#define BYOC_PIXEL_1(sum)              \
  "vldrb.u8 %q[sums], [%[x]], #16\n\t" \
  "vmladav.s8 %[" sum "], %q[w0], %q[sums]\n\t"
#define BYOC_PIXEL_2(sum)            \
  BYOC_PIXEL_1(sum)                  \
  "vldrb.u8 %q[x1], [%[x]], #16\n\t" \
  "vmladava.s8 %[" sum "], %q[w1], %q[x1]\n\t"
#define BYOC_PIXEL_3(sum)              \
  BYOC_PIXEL_2(sum)                    \
  "vldrb.u8 %q[sums], [%[x]], #16\n\t" \
  "vmladava.s8 %[" sum "], %q[w2], %q[sums]\n\t"
#define BYOC_PIXEL_4(sum)            \
  BYOC_PIXEL_3(sum)                  \
  "vldrb.u8 %q[x1], [%[x]], #16\n\t" \
  "vmladava.s8 %[" sum "], %q[w3], %q[x1]\n\t"

/* Four pixels, one in each lane of the sums. */
#define BYOC_FOUR_PIXELS(pixel) \
  pixel("a0") pixel("a1") pixel("a2") pixel("a3")   \
  "vmov %q[sums][2], %q[sums][0], %[a0], %[a2]\n\t" \
  "vmov %q[sums][3], %q[sums][1], %[a1], %[a3]\n\t" \
  "vadd.i32 %q[sums], %q[sums], %[bias]\n\t"

static inline byoc_quad_t load(const void* from) {
  byoc_quad_t x;
  __asm__ volatile("vldrb.u8 %q0, [%1]" : "=w"(x) : "r"(from) : "memory");
  return x;
}

/* One channel, for eight pixels at a time; the last eight may repeat some of those before. */
#define BYOC_CHANNEL(name, pixel, vectors)                                                                               \
  static BYOC_NOINLINE void name(const run_t* run, const int8_t* w, int32_t bias, byoc_channel_mve_t channel,            \
                                 int32_t zero, int8_t* y) {                                                              \
    const byoc_quad_t w0 = load(w), w1 = (vectors) > 1 ? load(w + 16) : w0, w2 = (vectors) > 2 ? load(w + 32) : w0;      \
    const byoc_quad_t w3 = (vectors) > 3 ? load(w + 48) : w0, offsets = load(run->offsets);                              \
    const int32_t step = 8 * run->col;                                                                                   \
    const int8_t* x = run->x;                                                                                            \
    int32_t n = run->count >> 3, rest = run->count & 7, a0, a1, a2, a3;                                                  \
    for (;;) {                                                                                                           \
      byoc_quad_t sums, x1, even;                                                                                        \
      a0 = n;                                                                                                            \
      __asm__ volatile(                                                                                                \
          "dls lr, %[a0]\n\t"                                                                                          \
          "1:\n\t" BYOC_FOUR_PIXELS(pixel) BYOC_SCALE_QUAD("even", "sums") BYOC_FOUR_PIXELS(pixel)                     \
              BYOC_SCALE_QUAD("x1", "sums")                                                                            \
          "vqmovnb.s32 %q[even], %q[even]\n\t"                                                                         \
          "vqmovnt.s32 %q[even], %q[x1]\n\t"                                                                           \
          "vqadd.s16 %q[even], %q[even], %[zero]\n\t"                                                                  \
          "vqmovnb.s16 %q[even], %q[even]\n\t"                                                                         \
          "vstrb.16 %q[even], [%[y], %q[offsets]]\n\t"                                                                 \
          "add %[y], %[y], %[step]\n\t"                                                                                \
          "le lr, 1b\n\t"                                                                                              \
          : [sums] "=&w"(sums), [x1] "=&w"(x1), [even] "=&w"(even), [a0] "+&Te"(a0), [a1] "=&Te"(a1),                   \
            [a2] "=&Te"(a2), [a3] "=&Te"(a3), [x] "+&r"(x), [y] "+&r"(y)                                                 \
          : [w0] "w"(w0), [w1] "w"(w1), [w2] "w"(w2), [w3] "w"(w3), [offsets] "w"(offsets), [bias] "r"(bias),          \
            [scale] "r"(channel.scale), [shift] "r"(channel.shift), [zero] "r"(zero), [step] "r"(step)                 \
          : "lr", "cc", "memory"); \
      if (!rest) break;                                                                                                  \
      x -= (8 - rest) * 16 * (vectors);                                                                                  \
      y -= (8 - rest) * run->col;                                                                                        \
      n = 1;                                                                                                             \
      rest = 0;                                                                                                          \
    }                                                                                                                    \
  }

BYOC_CHANNEL(channel_16, BYOC_PIXEL_1, 1)
BYOC_CHANNEL(channel_32, BYOC_PIXEL_2, 2)
BYOC_CHANNEL(channel_48, BYOC_PIXEL_3, 3)
BYOC_CHANNEL(channel_64, BYOC_PIXEL_4, 4)

/* One of the few channels with a scale of 1/2 or more. */
static BYOC_NOINLINE void channel_rare(const byoc_requant_t* r, const run_t* run, int32_t c, const int8_t* w, int32_t n,
                                       int8_t* y) {
  const int8_t* x = run->x;
  int32_t count = run->count, k;
  for (; count > 0; --count, x += (n + 15) & ~15, y += run->col) {
    int32_t sum = r->bias[c];
    for (k = 0; k < n; ++k) sum = (int32_t)((uint32_t)sum + (uint32_t)(w[k] * x[k]));
    *y = (int8_t)byoc_requantise_any(r, c, sum);
  }
}

/* All channels of a group. */
static void small_run(const byoc_conv_s8_t* p, int32_t first, const run_t* run) {
  /* A copy, which the stores of results cannot change. */
  const byoc_requant_t r = p->requant;
  const int32_t n = p->kernel_h * p->kernel_w * p->in_c, end = first + p->out_c, out_chan = p->out_chan;
  int8_t *y = run->y, unpacked[64];
  int32_t c, at = first * n;
  for (c = first; c < end; ++c, at += n, y += out_chan) {
    const int8_t* w = byoc_weights_mve(p->weights, at, n, unpacked);
    const byoc_channel_mve_t channel = byoc_channel_mve(&r, c);
    const int32_t bias = r.bias[c];
    if (channel.shift >= 0) {
      channel_rare(&p->requant, run, c, w, n, y);
    } else if (n <= 16) {
      channel_16(run, w, bias, channel, r.zero, y);
    } else if (n <= 32) {
      channel_32(run, w, bias, channel, r.zero, y);
    } else if (n <= 48) {
      channel_48(run, w, bias, channel, r.zero, y);
    } else {
      channel_64(run, w, bias, channel, r.zero, y);
    }
  }
}

/* What two channels are requantised with, in the order that it is loaded. */
typedef struct pair_t {
  int32_t bias[2], scale[2], shift[2], zero;
  int32_t mask; /* of results that are stored, two bits each */
} pair_t;

/* The pairs of a group, which may end with half of one. Returns whether a channel of it has a scale of 1/2 or more. */
static int32_t prepare(const byoc_conv_s8_t* p, int32_t first, pair_t* pairs) {
  const byoc_requant_t* r = &p->requant;
  const int32_t end = first + p->out_c;
  int32_t c, i, rare = 0;
  for (c = first; c < end; c += 2, ++pairs) {
    for (i = 0; i < 2; ++i) {
      const int32_t at = c + i < end ? c + i : c;
      const byoc_channel_mve_t channel = byoc_channel_mve(r, at);
      pairs->bias[i] = r->bias[at];
      pairs->scale[i] = channel.scale;
      pairs->shift[i] = channel.shift;
      rare |= channel.shift >= 0;
    }
    pairs->zero = r->zero;
    pairs->mask = c + 1 < end ? 0xffff : 0x3333;
  }
  return rare;
}

/* The weights of two channels for 16 elements: those of 4 bits 16 times as large in the first channel, whose sums are
   made smaller at the end; those of 2 bits for twice 16 elements. */
#if BYOC_WEIGHT_BITS == 4
#define BYOC_TAKE                \
  "vldrb.u8 q1, [%[w]], #16\n\t" \
  "vshl.i8 q0, q1, #4\n\t"       \
  "vshr.s8 q1, q1, #4\n\t"
#define BYOC_TAKE_MORE BYOC_TAKE
#define BYOC_TAKEN "vshr.s32 q0, q0, #4\n\t"
#elif BYOC_WEIGHT_BITS == 2
#define BYOC_TAKE                \
  "vldrb.u8 q4, [%[w]], #16\n\t" \
  "vshl.i8 q0, q4, #6\n\t"       \
  "vshl.i8 q1, q4, #4\n\t"       \
  "vshr.s8 q0, q0, #6\n\t"       \
  "vshr.s8 q1, q1, #6\n\t"
#define BYOC_TAKE_MORE     \
  "vshl.i8 q0, q4, #2\n\t" \
  "vshr.s8 q1, q4, #6\n\t" \
  "vshr.s8 q0, q0, #6\n\t"
#define BYOC_TAKEN
#define BYOC_TAKEN_FROM "q4",
#else
#define BYOC_TAKE                \
  "vldrb.u8 q0, [%[w]], #16\n\t" \
  "vldrb.u8 q1, [%[w]], #16\n\t"
#define BYOC_TAKE_MORE BYOC_TAKE
#define BYOC_TAKEN
#endif

#if !defined(BYOC_TAKEN_FROM)
#define BYOC_TAKEN_FROM
#endif

/* Of n elements, with 2 bits an even number. */
#define BYOC_BLOCKS(n) (BYOC_WEIGHT_BITS == 2 ? ((n) + 31) >> 5 << 1 : ((n) + 15) >> 4)

/* 16 elements of each of four pixels with those of two channels: 14 instructions for 128 products, 15 with 4 bits, 16
   with 2. */
#define BYOC_BLOCK(take, multiply)                                        \
  take "vldrb.u8 q2, [%[x]], #16\n\t" multiply " r0, q0, q2\n\t" multiply \
       " r8, q1, q2\n\t"                                                  \
       "vldrb.u8 q3, [%[x]], #16\n\t" multiply " r2, q0, q3\n\t" multiply \
       " r10, q1, q3\n\t"                                                 \
       "vldrb.u8 q2, [%[x]], #16\n\t" multiply " r4, q0, q2\n\t" multiply \
       " r12, q1, q2\n\t"                                                 \
       "vldrb.u8 q3, [%[x]], #16\n\t" multiply " r6, q0, q3\n\t" multiply " lr, q1, q3\n\t"

/*
 * All channels of a group for four pixels, whose patches are interleaved by 16 elements. Sums take every even register
 * that there is, the link register too. offsets: of the results of pixels 0, 0, 1, 1 ... in an even and an odd channel.
 */
static BYOC_NOINLINE void large_pixels(const byoc_conv_s8_t* p, const int8_t* w, const int8_t* patches,
                                       const pair_t* pairs, const uint16_t* offsets, int8_t* y) {
  const int32_t blocks = BYOC_BLOCKS(p->kernel_h * p->kernel_w * p->in_c) - 1, step = 2 * p->out_chan;
  const pair_t* const end = pairs + ((p->out_c + 1) >> 1);
  const byoc_quad_t places = load(offsets);
  for (; pairs != end; y += step) {
    const int8_t* x = patches;
    int32_t n = blocks;
    /* The vector instructions leave the flags alone: an odd number of blocks starts in the middle. */
    __asm__ volatile(
        "lsrs %[n], %[n], #1\n\t" BYOC_BLOCK(BYOC_TAKE, "vmladav.s8")
        "adc %[n], %[n], #0\n\t"
        "bcs 2f\n\t"
        "beq 3f\n\t"
        "1:\n\t" BYOC_BLOCK(BYOC_TAKE, "vmladava.s8")
        "2:\n\t" BYOC_BLOCK(BYOC_TAKE_MORE, "vmladava.s8")
        "subs %[n], %[n], #1\n\t"
        "bne 1b\n\t"
        "3:\n\t"
        "vmov q0[2], q0[0], r0, r4\n\t"
        "vmov q0[3], q0[1], r2, r6\n\t"
        "vmov q1[2], q1[0], r8, r12\n\t"
        "vmov q1[3], q1[1], r10, lr\n\t" BYOC_TAKEN
        "ldmia %[pairs]!, {r0, r2, r4, r6, r8, r10, r12, lr}\n\t"
        "vadd.i32 q0, q0, r0\n\t"
        "vadd.i32 q1, q1, r2\n\t"
        BYOC_SCALE_QUAD_BY("q2", "q0", "r4", "r8") BYOC_SCALE_QUAD_BY("q3", "q1", "r6", "r10")
        "vmsr p0, lr\n\t"
        "vqmovnb.s32 q2, q2\n\t"
        "vqmovnt.s32 q2, q3\n\t"
        "vqadd.s16 q2, q2, r12\n\t"
        "vqmovnb.s16 q2, q2\n\t"
        "vpst\n\t"
        "vstrbt.16 q2, [%[y], %q[places]]\n\t"
        : [w] "+&r"(w), [x] "+&r"(x), [n] "+&r"(n), [pairs] "+&r"(pairs)
        : [y] "r"(y), [places] "w"(places)
        : "r0", "r2", "r4", "r6", "r8", "r10", "r12", "lr", "q0", "q1", "q2", "q3", BYOC_TAKEN_FROM "cc", "memory");
  }
}

/* The results of the few channels with a scale of 1/2 or more once more. */
static BYOC_NOINLINE void large_rare(const byoc_conv_s8_t* p, int32_t first, const int8_t* w, const int8_t* patches,
                                     const pair_t* pairs, const uint16_t* offsets, int8_t* y) {
  const int32_t blocks = BYOC_BLOCKS(p->kernel_h * p->kernel_w * p->in_c);
  int32_t c, pixel, i, k;
  for (c = 0; c < p->out_c; ++c) {
    if (pairs[c >> 1].shift[c & 1] < 0) continue;
    for (pixel = 0; pixel < 4; ++pixel) {
      const int8_t* x = patches + 16 * pixel;
      int32_t sum = p->requant.bias[first + c], vector = (c >> 1) * 2 * blocks + (c & 1);
      for (i = blocks; i > 0; --i, vector += 2, x += 64) {
        const uint8_t* row = (const uint8_t*)w + vector / BYOC_WEIGHTS_PER_BYTE * 16;
        for (k = 0; k < 16; ++k)
          sum = (int32_t)((uint32_t)sum + (uint32_t)(byoc_weight_of(row[k], vector % BYOC_WEIGHTS_PER_BYTE) * x[k]));
      }
      y[(c >> 1) * 2 * p->out_chan + offsets[2 * pixel + (c & 1)]] =
          (int8_t)byoc_requantise_any(&p->requant, first + c, sum);
    }
  }
}

/* `rows` > 0 times `blocks` > 0 times 16 elements, rows `down` apart, to 64 bytes apart, and where the next go. */
static inline int8_t* interleave(const int8_t* from, int32_t rows, int32_t down, int32_t blocks, int8_t* to) {
  const int8_t* x;
  __asm__ volatile(
      "1:\n\t"
      "mov %[x], %[from]\n\t"
      "dls lr, %[n]\n\t"
      "2:\n\t"
      "vldrb.u8 q0, [%[x]], #16\n\t"
      "vstrb.8 q0, [%[to]], #64\n\t"
      "le lr, 2b\n\t"
      "add %[from], %[from], %[down]\n\t"
      "subs %[rows], %[rows], #1\n\t"
      "bne 1b\n\t"
      : [to] "+&r"(to), [from] "+&r"(from), [rows] "+&r"(rows), [x] "=&r"(x)
      : [n] "r"(blocks), [down] "r"(down)
      : "q0", "lr", "cc", "memory");
  return to;
}

static inline int8_t* interleave_zero(int32_t zero, int32_t blocks, int8_t* to) {
  __asm__ volatile(
      "vdup.8 q0, %[zero]\n\t"
      "dls lr, %[n]\n\t"
      "1:\n\t"
      "vstrb.8 q0, [%[to]], #64\n\t"
      "le lr, 1b\n\t"
      : [to] "+&r"(to)
      : [n] "r"(blocks), [zero] "r"(zero)
      : "q0", "lr", "cc", "memory");
  return to;
}

/* `rows` > 0 times n > 0 bytes, from `from_row` apart to `to_row` apart. */
static inline void copy_rows(int8_t* to, const int8_t* from, int32_t n, int32_t rows, int32_t to_row,
                             int32_t from_row) {
  const int8_t* x;
  int8_t* y;
  __asm__ volatile(
      "1:\n\t"
      "mov %[x], %[from]\n\t"
      "mov %[y], %[to]\n\t"
      "dlstp.8 lr, %[n]\n\t"
      "2:\n\t"
      "vldrb.u8 q0, [%[x]], #16\n\t"
      "vstrb.8 q0, [%[y]], #16\n\t"
      "letp lr, 2b\n\t"
      "add %[from], %[from], %[from_row]\n\t"
      "add %[to], %[to], %[to_row]\n\t"
      "subs %[rows], %[rows], #1\n\t"
      "bne 1b\n\t"
      : [to] "+&r"(to), [from] "+&r"(from), [rows] "+&r"(rows), [x] "=&r"(x), [y] "=&r"(y)
      : [n] "r"(n), [to_row] "r"(to_row), [from_row] "r"(from_row)
      : "q0", "lr", "cc", "memory");
}

/* Like byoc_gather_s8, of channels that are next to each other. */
static void gather(const byoc_conv_s8_t* p, const int8_t* in, int32_t oy, int32_t ox, int8_t* patch) {
  const int32_t row = p->kernel_w * p->in_c, down = p->dilation_h;
  int32_t x = ox * p->stride_w - p->pad_left, y = oy * p->stride_h - p->pad_top, rows = p->kernel_h, kx;
  if (x < 0 || y < 0 || x + (p->kernel_w - 1) * p->dilation_w >= p->in_w || y + (rows - 1) * down >= p->in_h)
    byoc_fill_mve(patch, p->in_zero, row * rows);
  for (; rows > 0 && y < 0; --rows, y += down) patch += row;
  for (; rows > 0 && y + (rows - 1) * down >= p->in_h; --rows) {
  }
  if (rows == 0) return;
  in += y * p->in_row;
  if (p->dilation_w == 1 && p->in_col == p->in_c) {
    const int32_t from = x < 0 ? 0 : x, to = x + p->kernel_w < p->in_w ? x + p->kernel_w : p->in_w;
    if (from < to)
      copy_rows(patch + (from - x) * p->in_c, in + from * p->in_col, (to - from) * p->in_c, rows, row,
                down * p->in_row);
    return;
  }
  for (kx = p->kernel_w; kx > 0; --kx, x += p->dilation_w, patch += p->in_c)
    if (x >= 0 && x < p->in_w) copy_rows(patch, in + x * p->in_col, p->in_c, rows, row, down * p->in_row);
}

static void take_patch(const byoc_conv_s8_t* p, const int8_t* in, int32_t oy, int32_t ox, int8_t* patch) {
  if (p->in_chan == 1) {
    gather(p, in, oy, ox, patch);
  } else {
    byoc_gather_s8(p, in, oy, ox, patch);
  }
}

/* True if the patches of all pixels lie in the image as they are, whole vectors one behind the other. */
static int32_t in_place(const byoc_conv_s8_t* p) {
  return byoc_patch_in_place(p) && (p->in_c & 15) == 0 && p->stride_h == 1 && p->stride_w == 1 &&
         p->in_col == p->in_c && p->out_w == p->in_w && p->in_row == p->in_w * p->in_c;
}

/* Patches of up to 64 elements. */
static void small_image(const byoc_conv_s8_t* p, const int8_t* in, int8_t* out, int32_t first, int8_t* patches) {
  const int32_t n = p->kernel_h * p->kernel_w * p->in_c, pitch = (n + 15) & ~15;
  const int32_t in_line = in_place(p);
  int32_t left = p->out_h * p->out_w, oy = 0, ox = 0, i;
  run_t run;
  run.y = out;
  run.col = p->out_col;
  for (i = 0; i < 8; ++i) run.offsets[i] = (uint16_t)((i >> 1 | (i & 1) << 2) * p->out_col);
  if (in_line && !byoc_overwrites(p, in, out)) {
    run.x = in;
    run.count = left;
    small_run(p, first, &run);
    return;
  }
  /* What is behind a patch is zero, as its weights are those of the next channel. */
  byoc_fill_mve(patches, 0, BYOC_BATCH * pitch);
  run.x = patches;
  for (; left > 0; left -= run.count, run.y += run.count * p->out_col) {
    /* Never fewer than eight at the end. */
    run.count = left >= BYOC_BATCH + 8 ? BYOC_BATCH : left > BYOC_BATCH ? BYOC_BATCH - 8 : left;
    if (in_line) {
      copy_rows(patches, in, run.count * pitch, 1, 0, 0);
      in += run.count * pitch;
    }
    for (i = 0; i < run.count && !in_line; ++i) {
      take_patch(p, in, oy, ox, patches + i * pitch);
      if (++ox < p->out_w) continue;
      ox = 0;
      ++oy;
    }
    small_run(p, first, &run);
  }
}

/* A patch whose taps are whole blocks, from the image itself, one by one. */
static void gather_blocks(const byoc_conv_s8_t* p, const int8_t* in, int32_t oy, int32_t ox, int8_t* to) {
  const int32_t blocks = p->in_c >> 4, row = p->kernel_w * blocks, left = ox * p->stride_w - p->pad_left;
  int32_t y = oy * p->stride_h - p->pad_top, ky, kx;
  for (ky = p->kernel_h; ky > 0; --ky, y += p->dilation_h) {
    if (y < 0 || y >= p->in_h) {
      to = interleave_zero(p->in_zero, row, to);
    } else {
      int32_t x = left;
      for (kx = p->kernel_w; kx > 0; --kx, x += p->dilation_w)
        to = x < 0 || x >= p->in_w ? interleave_zero(p->in_zero, blocks, to)
                                   : interleave(in + y * p->in_row + x * p->in_col, 1, 0, blocks, to);
    }
  }
}

static void large_image(const byoc_conv_s8_t* p, const int8_t* in, int8_t* out, int32_t first, int8_t* workspace) {
  const int32_t n = p->kernel_h * p->kernel_w * p->in_c, blocks = BYOC_BLOCKS(n), count = p->out_h * p->out_w;
  const int32_t whole = p->in_chan == 1 && (p->in_c & 15) == 0, halves = (p->out_c + 1) >> 1;
  const int32_t row = p->kernel_w * p->in_c >> 4, down = p->dilation_h * p->in_row, left = -p->pad_left;
  /* Where the last windows without border begin. */
  const int32_t right = p->in_w - p->kernel_w, bottom = p->in_h - 1 - (p->kernel_h - 1) * p->dilation_h;
  const int32_t joined = whole && p->dilation_w == 1 && p->in_col == p->in_c;
  const int8_t* w = p->weights + (size_t)(first / p->out_c * halves) * (size_t)(32 * blocks / BYOC_WEIGHTS_PER_BYTE);
  pair_t* const pairs = (pair_t*)workspace;
  int8_t *const patches = (int8_t*)(pairs + halves), *const patch = patches + 64 * blocks;
  const int32_t rare = prepare(p, first, pairs);
  uint16_t offsets[8];
  int32_t oy = 0, ox = 0, x = left, y = -p->pad_top, done, held, i;
  for (i = 0; i < 8; ++i) offsets[i] = (uint16_t)((i >> 1) * p->out_col + (i & 1) * p->out_chan);
  /* What is behind a patch is multiplied by zero. */
  for (done = 0; done < count; done += 4, out += 4 * p->out_col) {
    for (held = 0; held < 4; ++held) {
      if (joined && x >= 0 && x <= right && y >= 0 && y <= bottom) {
        interleave(in + y * p->in_row + x * p->in_col, p->kernel_h, down, row, patches + 16 * held);
      } else if (whole) {
        gather_blocks(p, in, oy, ox, patches + 16 * held);
      } else {
        take_patch(p, in, oy, ox, patch);
        interleave(patch, 1, 0, blocks, patches + 16 * held);
      }
      if (done + held + 1 < count) {
        x += p->stride_w;
        if (++ox < p->out_w) continue;
        ox = 0;
        x = left;
        ++oy;
        y += p->stride_h;
      } else if (held < 3) {
        /* Pixels that are not there repeat the last one that is. */
        offsets[2 * held + 2] = offsets[2 * held];
        offsets[2 * held + 3] = offsets[2 * held + 1];
      }
    }
    large_pixels(p, w, patches, pairs, offsets, out);
    if (rare) large_rare(p, first, w, patches, pairs, offsets, out);
  }
}

void BYOC_SYMBOL(const byoc_conv_s8_t* p, const int8_t* in, int8_t* out, void* workspace) {
  const int32_t small = p->kernel_h * p->kernel_w * p->in_c <= 64 && p->out_h * p->out_w >= 8;
  int8_t *start = out, *patches = (int8_t*)workspace;
  int32_t b, g;
  for (b = 0; b < p->batch; ++b, in += p->in_batch, out += p->out_batch) {
    for (g = 0; g < p->groups; ++g) {
      const int8_t* x = in + g * p->in_c * p->in_chan;
      int8_t* y = out + g * p->out_c * p->out_chan;
      if (small) {
        small_image(p, x, y, g * p->out_c, patches);
      } else {
        large_image(p, x, y, g * p->out_c, patches);
      }
    }
  }
  byoc_narrow_mve(p->requant.min, p->requant.max, start, p->batch * p->out_batch);
}
