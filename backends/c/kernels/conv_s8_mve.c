/*
 * int8 convolution with MVE. Patches of up to 64 elements: the weights of a channel stay in vector registers while
 * pixels pass by, four at a time. Larger ones: four pixels by one channel at a time, 16 elements each.
 *
 * Weights: [output channel][patch element], as they are, readable up to a whole vector from the start of the last one.
 * Workspace, with `padded` a patch rounded up to 16: 32 * padded bytes up to 64 elements, and 5 * padded beyond; none
 * for patches of up to 64 elements that are whole vectors and lie in the image as they are (1x1).
 */
#include "byoc_mve.h"
#include "byoc_patch_s8.h"

#define BYOC_BATCH 32

/* Results of four sums of a channel to y + offsets, of the few with a scale of 1/2 or more. */
static BYOC_NOINLINE void store_rare(const byoc_requant_t* r, int32_t c, byoc_quad_t sums, int8_t* y,
                                     byoc_quad_t offsets) {
  int32_t i;
  for (i = 0; i < 4; ++i) y[offsets[i]] = (int8_t)byoc_requantise_any(r, c, sums[i]);
}

/* Pixels with the same distance between their patches and between their results. */
typedef struct run_t {
  const int8_t* x;
  int8_t* y;
  int32_t count, pitch; /* pixels; from patch to patch */
} run_t;

/* One pixel against the weights in w0 to w3; `sums` and `x1` hold its elements. */
#define BYOC_PIXEL_1(sum)         \
  "vldrb.u8 %q[sums], [%[x]]\n\t" \
  "vmladav.s8 %[" sum "], %q[w0], %q[sums]\n\t"
#define BYOC_PIXEL_2(sum)            \
  BYOC_PIXEL_1(sum)                  \
  "vldrb.u8 %q[x1], [%[x], #16]\n\t" \
  "vmladava.s8 %[" sum "], %q[w1], %q[x1]\n\t"
#define BYOC_PIXEL_3(sum)              \
  BYOC_PIXEL_2(sum)                    \
  "vldrb.u8 %q[sums], [%[x], #32]\n\t" \
  "vmladava.s8 %[" sum "], %q[w2], %q[sums]\n\t"
#define BYOC_PIXEL_4(sum)            \
  BYOC_PIXEL_3(sum)                  \
  "vldrb.u8 %q[x1], [%[x], #48]\n\t" \
  "vmladava.s8 %[" sum "], %q[w3], %q[x1]\n\t"
#define BYOC_NEXT "add %[x], %[x], %[pitch]\n\t"

/* Four pixels, one in each lane of the sums. */
#define BYOC_FOUR_PIXELS(pixel)                                                                                   \
  __asm__ volatile(pixel("a0") BYOC_NEXT pixel("a1") BYOC_NEXT pixel("a2") BYOC_NEXT pixel("a3") BYOC_NEXT        \
                   "vmov %q[sums][2], %q[sums][0], %[a0], %[a2]\n\t"                                              \
                   "vmov %q[sums][3], %q[sums][1], %[a1], %[a3]\n\t"                                              \
                   "vadd.i32 %q[sums], %q[sums], %[bias]\n\t"                                                     \
                   : [sums] "=&w"(sums), [x1] "=&w"(x1), [a0] "=&Te"(a0), [a1] "=&Te"(a1), [a2] "=&Te"(a2),       \
                     [a3] "=&Te"(a3), [x] "+r"(x)                                                                 \
                   : [w0] "w"(w0), [w1] "w"(w1), [w2] "w"(w2), [w3] "w"(w3), [pitch] "r"(pitch), [bias] "r"(bias) \
                   : "memory")

/* 16 weights, or the `n` there are with zeros behind them. */
static inline byoc_quad_t weights_of(const int8_t* w, int32_t n) {
  byoc_quad_t x;
  __asm__ volatile(
      "vctp.8 %[n]\n\t"
      "vpst\n\t"
      "vldrbt.u8 %q[x], [%[w]]"
      : [x] "=w"(x)
      : [n] "r"(n < 0 ? 0 : n), [w] "r"(w)
      : "memory");
  return x;
}

/* One channel for fours of pixels, `col` apart in the results. */
#define BYOC_CHANNEL(name, pixel, vectors)                                                                  \
  static BYOC_NOINLINE void name(const byoc_requant_t* r, int32_t c, const int8_t* w, int32_t n, run_t run, \
                                 int32_t col) {                                                             \
    const byoc_channel_mve_t channel = byoc_channel_mve(r, c);                                              \
    const byoc_quad_t w0 = weights_of(w, n), w1 = (vectors) > 1 ? weights_of(w + 16, n - 16) : w0;          \
    const byoc_quad_t w2 = (vectors) > 2 ? weights_of(w + 32, n - 32) : w0;                                 \
    const byoc_quad_t w3 = (vectors) > 3 ? weights_of(w + 48, n - 48) : w0;                                 \
    const byoc_quad_t offsets = byoc_quad(0, col, 2 * col, 3 * col);                                        \
    const int8_t* x = run.x;                                                                                \
    int8_t* y = run.y;                                                                                      \
    const int32_t bias = r->bias[c], zero = r->zero, pitch = run.pitch, step = 4 * col;                     \
    int32_t fours = run.count, a0, a1, a2, a3;                                                              \
    byoc_quad_t sums, x1;                                                                                   \
    if (channel.shift < 0) {                                                                                \
      for (; fours > 0; --fours, y += step) {                                                               \
        BYOC_FOUR_PIXELS(pixel);                                                                            \
        byoc_store_quad(byoc_requantise_quad(sums, channel, zero), y, offsets);                             \
      }                                                                                                     \
    } else {                                                                                                \
      for (; fours > 0; --fours, y += step) {                                                               \
        BYOC_FOUR_PIXELS(pixel);                                                                            \
        store_rare(r, c, sums, y, offsets);                                                                 \
      }                                                                                                     \
    }                                                                                                       \
  }

BYOC_CHANNEL(channel_16, BYOC_PIXEL_1, 1)
BYOC_CHANNEL(channel_32, BYOC_PIXEL_2, 2)
BYOC_CHANNEL(channel_48, BYOC_PIXEL_3, 3)
BYOC_CHANNEL(channel_64, BYOC_PIXEL_4, 4)

/* All channels of a group; run.count: fours of pixels. */
static void fours(const byoc_conv_s8_t* p, int32_t first, run_t run, int32_t col) {
  const int32_t n = p->kernel_h * p->kernel_w * p->in_c, end = first + p->out_c, out_chan = p->out_chan;
  const int8_t* w = p->weights + (size_t)first * (size_t)n;
  int32_t c;
  for (c = first; c < end; ++c, w += n, run.y += out_chan) {
    if (n <= 16) {
      channel_16(&p->requant, c, w, n, run, col);
    } else if (n <= 32) {
      channel_32(&p->requant, c, w, n, run, col);
    } else if (n <= 48) {
      channel_48(&p->requant, c, w, n, run, col);
    } else {
      channel_64(&p->requant, c, w, n, run, col);
    }
  }
}

static void small_run(const byoc_conv_s8_t* p, int32_t first, run_t run) {
  const int32_t col = p->out_col, rest = run.count & 3;
  run_t last = run;
  if (run.count > 3) {
    run.count >>= 2;
    fours(p, first, run, col);
    if (!rest) return;
    /* The last four, some of them once more. */
    last.x += (last.count - 4) * last.pitch;
    last.y += (last.count - 4) * col;
    last.count = 1;
    fours(p, first, last, col);
  } else {
    for (; run.count > 0; --run.count, run.x += run.pitch, run.y += col) {
      last.x = run.x;
      last.y = run.y;
      last.count = 1;
      last.pitch = 0;
      fours(p, first, last, 0);
    }
  }
}

/* Four pixels with one channel: `blocks` + 1 times 16 elements of each, one behind the other. */
static inline byoc_quad_t dot_blocks(const int8_t* w, const int8_t* x, int32_t blocks, int32_t bias) {
  byoc_quad_t sums;
  int32_t a0, a1, a2, a3;
  __asm__ volatile(
      "dls lr, %[n]\n\t"
      "vldrb.u8 q0, [%[w]], #16\n\t"
      "vldrb.u8 q1, [%[x]], #16\n\t"
      "vmladav.s8 %[a0], q0, q1\n\t"
      "vldrb.u8 q2, [%[x]], #16\n\t"
      "vmladav.s8 %[a1], q0, q2\n\t"
      "vldrb.u8 q1, [%[x]], #16\n\t"
      "vmladav.s8 %[a2], q0, q1\n\t"
      "vldrb.u8 q2, [%[x]], #16\n\t"
      "vmladav.s8 %[a3], q0, q2\n\t"
      "1:\n\t"
      "vldrb.u8 q0, [%[w]], #16\n\t"
      "vldrb.u8 q1, [%[x]], #16\n\t"
      "vmladava.s8 %[a0], q0, q1\n\t"
      "vldrb.u8 q2, [%[x]], #16\n\t"
      "vmladava.s8 %[a1], q0, q2\n\t"
      "vldrb.u8 q1, [%[x]], #16\n\t"
      "vmladava.s8 %[a2], q0, q1\n\t"
      "vldrb.u8 q2, [%[x]], #16\n\t"
      "vmladava.s8 %[a3], q0, q2\n\t"
      "le lr, 1b\n\t"
      "vmov %q[sums][2], %q[sums][0], %[a0], %[a2]\n\t"
      "vmov %q[sums][3], %q[sums][1], %[a1], %[a3]\n\t"
      "vadd.i32 %q[sums], %q[sums], %[bias]\n\t"
      : [sums] "=&w"(sums), [a0] "=&Te"(a0), [a1] "=&Te"(a1), [a2] "=&Te"(a2), [a3] "=&Te"(a3), [w] "+r"(w), [x] "+r"(x)
      : [n] "r"(blocks), [bias] "r"(bias)
      : "q0", "q1", "q2", "lr", "cc", "memory");
  return sums;
}

/* All channels of a group for four pixels, whose patches are interleaved by 16 elements. */
static BYOC_NOINLINE void large_pixels(const byoc_conv_s8_t* p, int32_t first, const int8_t* x, byoc_quad_t offsets,
                                       int8_t* y) {
  /* A copy, which the stores of results cannot change. */
  const byoc_requant_t r = p->requant;
  const int32_t n = p->kernel_h * p->kernel_w * p->in_c, end = first + p->out_c, out_chan = p->out_chan;
  const int32_t blocks = (n - 1) >> 4;
  const int8_t* w = p->weights + (size_t)first * (size_t)n;
  int32_t c;
  for (c = first; c < end; ++c, w += n, y += out_chan) {
    const byoc_channel_mve_t channel = byoc_channel_mve(&r, c);
    const byoc_quad_t sums = dot_blocks(w, x, blocks, r.bias[c]);
    if (channel.shift < 0) {
      byoc_store_quad(byoc_requantise_quad(sums, channel, r.zero), y, offsets);
    } else {
      store_rare(&p->requant, c, sums, y, offsets);
    }
  }
}

static inline void interleave(const int8_t* from, int32_t blocks, int8_t* to) {
  __asm__ volatile(
      "dls lr, %[n]\n\t"
      "1:\n\t"
      "vldrb.u8 q0, [%[from]], #16\n\t"
      "vstrb.8 q0, [%[to]], #64\n\t"
      "le lr, 1b\n\t"
      : [to] "+r"(to), [from] "+r"(from)
      : [n] "r"(blocks)
      : "q0", "lr", "cc", "memory");
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
      : [to] "+r"(to), [from] "+r"(from), [rows] "+r"(rows), [x] "=&r"(x), [y] "=&r"(y)
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

/* Patches of up to 64 elements. */
static void small_image(const byoc_conv_s8_t* p, const int8_t* in, int8_t* out, int32_t first, int8_t* patches) {
  const int32_t n = p->kernel_h * p->kernel_w * p->in_c;
  run_t run;
  int32_t oy, ox;
  run.y = out;
  if (byoc_patch_in_place(p) && (n & 15) == 0) {
    const int32_t down = p->stride_h * p->in_row;
    run.x = in;
    run.count = p->out_w;
    run.pitch = p->stride_w * p->in_col;
    if (down == p->out_w * run.pitch && p->out_row == p->out_w * p->out_col) {
      run.count *= p->out_h;
      small_run(p, first, run);
      return;
    }
    for (oy = p->out_h; oy > 0; --oy, run.x += down, run.y += p->out_row) small_run(p, first, run);
    return;
  }
  run.x = patches;
  run.count = 0;
  run.pitch = (n + 15) & ~15;
  /* What is behind a patch is multiplied by zero. */
  for (oy = 0; oy < p->out_h; ++oy) {
    for (ox = 0; ox < p->out_w; ++ox) {
      take_patch(p, in, oy, ox, patches + run.count * run.pitch);
      if (++run.count < BYOC_BATCH) continue;
      small_run(p, first, run);
      run.y += BYOC_BATCH * p->out_col;
      run.count = 0;
    }
  }
  if (run.count) small_run(p, first, run);
}

static void large_image(const byoc_conv_s8_t* p, const int8_t* in, int8_t* out, int32_t first, int8_t* patches) {
  const int32_t n = p->kernel_h * p->kernel_w * p->in_c, blocks = (n + 15) >> 4;
  int8_t* const patch = patches + 64 * blocks;
  byoc_quad_t offsets;
  int32_t oy, ox, i, held = 0;
  for (i = 0; i < 4; ++i) offsets[i] = i * p->out_col;
  for (i = n; i < 16 * blocks; ++i) patch[i] = 0;
  for (oy = 0; oy < p->out_h; ++oy) {
    for (ox = 0; ox < p->out_w; ++ox) {
      take_patch(p, in, oy, ox, patch);
      interleave(patch, blocks, patches + 16 * held);
      if (++held < 4) continue;
      large_pixels(p, first, patches, offsets, out);
      out += 4 * p->out_col;
      held = 0;
    }
  }
  if (!held) return;
  /* Pixels that are not there repeat the last one that is. */
  for (i = held; i < 4; ++i) {
    interleave(patch, blocks, patches + 16 * i);
    offsets[i] = (held - 1) * p->out_col;
  }
  large_pixels(p, first, patches, offsets, out);
}

void BYOC_SYMBOL(const byoc_conv_s8_t* p, const int8_t* in, int8_t* out, void* workspace) {
  const int32_t small = p->kernel_h * p->kernel_w * p->in_c <= 64;
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
