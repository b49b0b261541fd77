/*
 * int8 convolution with MVE. Patches of up to 64 elements: the weights of a channel stay in vector registers while
 * pixels pass by, eight at a time. Larger ones, and fewer than eight pixels or ones whose results are too far apart for
 * 16-bit offsets (7 * out_col of 2^16 or more): four pixels by two channels at a time, 16 elements each.
 *
 * Weights, in the first case: [output channel][patch element], as they are, readable up to 64 elements, whole vectors,
 * from the start of the last one. In the second, for each group, [channels / 2][elements / 16][2][16], filled up with
 * zeros.
 * Workspace, with `padded` a patch rounded up to 16: 32 * padded bytes in the first case, or none for 1x1 of whole
 * vectors where all pixels follow each other, with stride 1. In the second 5 * padded, or 4 * padded for in_c channels
 * next to each other, a multiple of 16.
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
          : [sums] "=&w"(sums), [x1] "=&w"(x1), [even] "=&w"(even), [a0] "+Te"(a0), [a1] "=&Te"(a1),                   \
            [a2] "=&Te"(a2), [a3] "=&Te"(a3), [x] "+r"(x), [y] "+r"(y)                                                 \
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
  const int8_t* w = p->weights + (size_t)first * (size_t)n;
  int8_t* y = run->y;
  int32_t c;
  for (c = first; c < end; ++c, w += n, y += out_chan) {
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

/* 16 elements of each of four pixels with those of two channels: 14 instructions for 128 products. */
#define BYOC_BLOCK(multiply)                                                           \
  "vldrb.u8 %q[sums0], [%[w]], #16\n\t"                                                \
  "vldrb.u8 %q[sums1], [%[w]], #16\n\t"                                                \
  "vldrb.u8 %q[x0], [%[x]], #16\n\t" multiply " %[a0], %q[sums0], %q[x0]\n\t" multiply \
  " %[b0], %q[sums1], %q[x0]\n\t"                                                      \
  "vldrb.u8 %q[x1], [%[x]], #16\n\t" multiply " %[a1], %q[sums0], %q[x1]\n\t" multiply \
  " %[b1], %q[sums1], %q[x1]\n\t"                                                      \
  "vldrb.u8 %q[x0], [%[x]], #16\n\t" multiply " %[a2], %q[sums0], %q[x0]\n\t" multiply \
  " %[b2], %q[sums1], %q[x0]\n\t"                                                      \
  "vldrb.u8 %q[x1], [%[x]], #16\n\t" multiply " %[a3], %q[sums0], %q[x1]\n\t" multiply " %[b3], %q[sums1], %q[x1]\n\t"

/*
 * The sums of four pixels with each of two channels over `blocks` + 1 times 16 elements, and the weights behind.
 * They take every even register that there is, the link register too.
 */
static inline const int8_t* dot_blocks(const int8_t* w, const int8_t* x, int32_t blocks, byoc_quad_t* first,
                                       byoc_quad_t* second) {
  byoc_quad_t sums0, sums1, x0, x1;
  int32_t a0, a1, a2, a3, b0, b1, b2, b3;
  /* The vector instructions leave the flags alone: an odd number of blocks starts in the middle. */
  __asm__ volatile(
      "lsrs %[n], %[n], #1\n\t"
      BYOC_BLOCK("vmladav.s8")
      "adc %[n], %[n], #0\n\t"
      "bcs 2f\n\t"
      "beq 3f\n\t"
      "1:\n\t" BYOC_BLOCK("vmladava.s8")
      "2:\n\t" BYOC_BLOCK("vmladava.s8")
      "subs %[n], %[n], #1\n\t"
      "bne 1b\n\t"
      "3:\n\t"
      "vmov %q[sums0][2], %q[sums0][0], %[a0], %[a2]\n\t"
      "vmov %q[sums0][3], %q[sums0][1], %[a1], %[a3]\n\t"
      "vmov %q[sums1][2], %q[sums1][0], %[b0], %[b2]\n\t"
      "vmov %q[sums1][3], %q[sums1][1], %[b1], %[b3]\n\t"
      : [sums0] "=&w"(sums0), [sums1] "=&w"(sums1), [x0] "=&w"(x0), [x1] "=&w"(x1), [a0] "=&Te"(a0), [a1] "=&Te"(a1),
        [a2] "=&Te"(a2), [a3] "=&Te"(a3), [b0] "=&Te"(b0), [b1] "=&Te"(b1), [b2] "=&Te"(b2), [b3] "=&Te"(b3),
        [w] "+r"(w), [x] "+r"(x), [n] "+r"(blocks)
      :
      : "cc", "memory");
  *first = sums0;
  *second = sums1;
  return w;
}

/* Results of four sums without the bias. */
static inline void store_sums(const byoc_requant_t* r, int32_t c, byoc_quad_t sums, byoc_quad_t offsets, int8_t* y) {
  const byoc_channel_mve_t channel = byoc_channel_mve(r, c);
  __asm__("vadd.i32 %q0, %q0, %1" : "+w"(sums) : "r"(r->bias[c]));
  if (channel.shift < 0) {
    byoc_store_quad(byoc_requantise_quad(sums, channel, r->zero), y, offsets);
  } else {
    store_rare(r, c, sums, y, offsets);
  }
}

/* All channels of a group for four pixels, whose patches are interleaved by 16 elements. */
static BYOC_NOINLINE void large_pixels(const byoc_conv_s8_t* p, int32_t first, const int8_t* x, byoc_quad_t offsets,
                                       int8_t* y) {
  /* A copy, which the stores of results cannot change. */
  const byoc_requant_t r = p->requant;
  const int32_t n = p->kernel_h * p->kernel_w * p->in_c, end = first + p->out_c, out_chan = p->out_chan;
  const int32_t blocks = (n - 1) >> 4;
  const int8_t* w = p->weights + (size_t)(first / p->out_c * ((p->out_c + 1) >> 1)) * (size_t)(32 * (blocks + 1));
  int32_t c;
  for (c = first; c < end; c += 2, y += 2 * out_chan) {
    byoc_quad_t a, b;
    w = dot_blocks(w, x, blocks, &a, &b);
    store_sums(&r, c, a, offsets, y);
    if (c + 1 < end) store_sums(&r, c + 1, b, offsets, y + out_chan);
  }
}

/* `blocks` > 0 times 16 elements to 64 bytes apart, and where the next go. */
static inline int8_t* interleave(const int8_t* from, int32_t blocks, int8_t* to) {
  __asm__ volatile(
      "dls lr, %[n]\n\t"
      "1:\n\t"
      "vldrb.u8 q0, [%[from]], #16\n\t"
      "vstrb.8 q0, [%[to]], #64\n\t"
      "le lr, 1b\n\t"
      : [to] "+r"(to), [from] "+r"(from)
      : [n] "r"(blocks)
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
      : [to] "+r"(to)
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

/* True if the patches of all pixels lie in the image as they are, whole vectors one behind the other. */
static int32_t in_place(const byoc_conv_s8_t* p) {
  return byoc_patch_in_place(p) && (p->in_c & 15) == 0 && p->stride_h == 1 && p->stride_w == 1 &&
         p->in_col == p->in_c && p->out_w == p->in_w && p->in_row == p->in_w * p->in_c;
}

/* Patches of up to 64 elements. */
static void small_image(const byoc_conv_s8_t* p, const int8_t* in, int8_t* out, int32_t first, int8_t* patches) {
  const int32_t n = p->kernel_h * p->kernel_w * p->in_c, pitch = (n + 15) & ~15;
  int32_t left = p->out_h * p->out_w, oy = 0, ox = 0, i;
  run_t run;
  run.y = out;
  run.col = p->out_col;
  for (i = 0; i < 8; ++i) run.offsets[i] = (uint16_t)((i >> 1 | (i & 1) << 2) * p->out_col);
  if (in_place(p)) {
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
    for (i = 0; i < run.count; ++i) {
      take_patch(p, in, oy, ox, patches + i * pitch);
      if (++ox < p->out_w) continue;
      ox = 0;
      ++oy;
    }
    small_run(p, first, &run);
  }
}

/* A patch whose taps are whole blocks, from the image itself. */
static void gather_blocks(const byoc_conv_s8_t* p, const int8_t* in, int32_t oy, int32_t ox, int8_t* to) {
  const int32_t blocks = p->in_c >> 4, row = p->kernel_w * blocks, left = ox * p->stride_w - p->pad_left;
  const int32_t joined = p->dilation_w == 1 && p->in_col == p->in_c && left >= 0 && left + p->kernel_w <= p->in_w;
  int32_t ky, kx, y = oy * p->stride_h - p->pad_top;
  for (ky = p->kernel_h; ky > 0; --ky, y += p->dilation_h) {
    if (y < 0 || y >= p->in_h) {
      to = interleave_zero(p->in_zero, row, to);
    } else if (joined) {
      to = interleave(in + y * p->in_row + left * p->in_col, row, to);
    } else {
      int32_t x = left;
      for (kx = p->kernel_w; kx > 0; --kx, x += p->dilation_w)
        to = x < 0 || x >= p->in_w ? interleave_zero(p->in_zero, blocks, to)
                                   : interleave(in + y * p->in_row + x * p->in_col, blocks, to);
    }
  }
}

static void large_image(const byoc_conv_s8_t* p, const int8_t* in, int8_t* out, int32_t first, int8_t* patches) {
  const int32_t n = p->kernel_h * p->kernel_w * p->in_c, blocks = (n + 15) >> 4, count = p->out_h * p->out_w;
  const int32_t whole = p->in_chan == 1 && (p->in_c & 15) == 0;
  int8_t* const patch = patches + 64 * blocks;
  byoc_quad_t offsets;
  int32_t oy = 0, ox = 0, done, held, i;
  for (i = 0; i < 4; ++i) offsets[i] = i * p->out_col;
  /* What is behind a patch is multiplied by zero. */
  for (done = 0; done < count; done += 4, out += 4 * p->out_col) {
    for (held = 0; held < 4; ++held) {
      if (whole) {
        gather_blocks(p, in, oy, ox, patches + 16 * held);
      } else {
        take_patch(p, in, oy, ox, patch);
        interleave(patch, blocks, patches + 16 * held);
      }
      /* Pixels that are not there repeat the last one that is. */
      if (done + held + 1 >= count) {
        offsets[held < 3 ? held + 1 : 3] = (count - 1 - done) * p->out_col;
      } else if (++ox == p->out_w) {
        ox = 0;
        ++oy;
      }
    }
    large_pixels(p, first, patches, offsets, out);
  }
}

void BYOC_SYMBOL(const byoc_conv_s8_t* p, const int8_t* in, int8_t* out, void* workspace) {
  const int32_t small =
      p->kernel_h * p->kernel_w * p->in_c <= 64 && p->out_h * p->out_w >= 8 && 7 * p->out_col <= 65535;
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
