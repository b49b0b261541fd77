/*
 * int8 convolution with MVE: four pixels by two channels at a time, 16 elements each.
 *
 * Weights: for each group, [channels / 2][elements / 16][2][16], filled up with zeros.
 * Workspace: 32 bytes for every two channels of a group; then, with `padded` a patch rounded up to 16, 5 * padded
 * bytes, or 4 * padded for in_c channels next to each other, a multiple of 16. Needs: 3 * out_col + out_chan below
 * 2^16.
 *
 * BYOC_FEW_BLOCKS: patches of at most 64 elements have loops of their own, for a kilobyte of code. Above 4, with 16
 * bits: as many, for three more.
 *
 * With BYOC_WEIGHT_BITS of 4 or 2 a vector of weights has those of two or four, the first in its lowest bits, and a
 * patch is rounded up to what two of these have of a channel. Needs: patches below 2^17 elements.
 *
 * BYOC_ACTIVATION_BITS of 16: the same of int16 images, whose strides and channels are given in bytes, and 8 elements
 * at a time, so that patches are copied as they are; see byoc_conv_s16.h for how sums become results. Weights are
 * [channels / 2][elements / 8][2][8] then, and no operand has a zero point.
 */
#if !defined(BYOC_ACTIVATION_BITS)
#define BYOC_ACTIVATION_BITS 8
#endif
#include "byoc_mve.h"
#include "byoc_packed_mve.h"
#include "byoc_patch_mve.h"

/* What two channels are requantised with, in the order that it is loaded. */
typedef struct pair_t {
  int32_t bias[2], scale[2];
  int32_t shift[2];   /* with 16 bits the least and the largest result */
  int32_t zero, step; /* step: from a pair's results to the next one's */
} pair_t;

/* Which of the results of four pixels in two channels are stored: all, or those of the first channel. */
enum { BYOC_BOTH = 0xffff, BYOC_FIRST = 0x3333 };

/* Right behind the patches, for where there are more than four blocks. */
typedef struct turn_t {
  const int8_t* x;   /* the patches */
  int32_t n;         /* blocks behind the first */
  const pair_t* end; /* of the pairs */
} turn_t;

/* A group, of which four pixels are computed at a time. */
typedef struct group_t {
  const int8_t* w;
  pair_t* pairs;
  int8_t* patches; /* of the four pixels, interleaved by 16 elements */
  int32_t blocks;  /* of 16 elements */
  int32_t channels;
  uint16_t places[8]; /* of the results of pixels 0, 0, 1, 1 ... in an even and an odd channel */
} group_t;

static inline byoc_quad_t load(const void* from) {
  byoc_quad_t x;
  __asm__ volatile("vldrb.u8 %q0, [%1]" : "=w"(x) : "r"(from) : "memory");
  return x;
}

/* The pairs of a group, which may end with half of one. Returns whether a channel of it has a scale of 1/2 or more. */
static int32_t prepare(const byoc_conv_s8_t* p, int32_t first, pair_t* pairs) {
  /* A copy, which what is stored cannot change. */
  const byoc_requant_t r = p->requant;
  const int32_t step = 2 * p->out_chan, last = p->out_c - 1;
  int32_t c, i, rare = 0;
  BYOC_ROLLED
  for (c = 0; c <= last; c += 2, ++pairs) {
    for (i = 0; i < 2; ++i) {
      const int32_t at = first + (c + i <= last ? c + i : c);
      pairs->bias[i] = r.bias[at];
#if BYOC_ACTIVATION_BITS == 16
      pairs->scale[i] = ((const int32_t*)r.scale)[at];
      pairs->shift[i] = i ? r.max : r.min;
#else
      const byoc_channel_mve_t channel = byoc_channel_mve(&r, at);
      pairs->scale[i] = channel.scale;
      pairs->shift[i] = channel.shift;
      rare |= channel.shift >= 0;
#endif
    }
    pairs->zero = r.zero;
    pairs->step = step;
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
#elif BYOC_ACTIVATION_BITS == 16
#define BYOC_TAKE                \
  "vldrb.s16 q0, [%[w]], #8\n\t" \
  "vldrb.s16 q1, [%[w]], #8\n\t"
#define BYOC_TAKE_MORE BYOC_TAKE
#define BYOC_TAKEN
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

/* The weights of two channels for a block, in bytes, and how products are summed up. */
#if BYOC_ACTIVATION_BITS == 16
#define BYOC_PAIR_BYTES 16
#define BYOC_WEIGHTS_AT "+&l" /* loads that widen take low registers only */
#define BYOC_MULTIPLY "vmladav.s16"
#define BYOC_ACCUMULATE "vmladava.s16"
#else
#define BYOC_PAIR_BYTES (32 / BYOC_WEIGHTS_PER_BYTE)
#define BYOC_WEIGHTS_AT "+&r"
#define BYOC_MULTIPLY "vmladav.s8"
#define BYOC_ACCUMULATE "vmladava.s8"
#endif

/* 16 elements of each of four pixels with those of two channels: 14 instructions for 128 products, 15 with 4 bits, 16
   with 2. Sums take every even register that there is, the link register too. */
#define BYOC_PRODUCTS(take, multiply, at0, at1, at2, at3)                  \
  take "vldrb.u8 q2, [%[x]" at0 "\n\t" multiply " r0, q0, q2\n\t" multiply \
       " r8, q1, q2\n\t"                                                   \
       "vldrb.u8 q3, [%[x]" at1 "\n\t" multiply " r2, q0, q3\n\t" multiply \
       " r10, q1, q3\n\t"                                                  \
       "vldrb.u8 q2, [%[x]" at2 "\n\t" multiply " r4, q0, q2\n\t" multiply \
       " r12, q1, q2\n\t"                                                  \
       "vldrb.u8 q3, [%[x]" at3 "\n\t" multiply " r6, q0, q3\n\t" multiply " lr, q1, q3\n\t"
#define BYOC_BLOCK(take, multiply) BYOC_PRODUCTS(take, multiply, "], #16", "], #16", "], #16", "], #16")

/* Two quads of sums to the results of both channels in turns, where p0 says. */
#if BYOC_ACTIVATION_BITS == 16
#define BYOC_NARROWED           \
  "vqrdmulh.s32 q2, q0, r4\n\t" \
  "vqrdmulh.s32 q3, q1, r6\n\t" \
  "vdup.16 q0, r8\n\t"          \
  "vqmovnb.s32 q2, q2\n\t"      \
  "vdup.16 q1, r10\n\t"         \
  "vqmovnt.s32 q2, q3\n\t"      \
  "vmax.s16 q2, q2, q0\n\t"     \
  "vmin.s16 q2, q2, q1\n\t"     \
  "vpst\n\t"                    \
  "vstrht.16 q2, [%[y], %q[places]]\n\t"
#else
#define BYOC_NARROWED                         \
  BYOC_SCALE_QUAD_BY("q2", "q0", "r4", "r8")  \
  BYOC_SCALE_QUAD_BY("q3", "q1", "r6", "r10") \
  "vqmovnb.s32 q2, q2\n\t"                    \
  "vqmovnt.s32 q2, q3\n\t"                    \
  "vqadd.s16 q2, q2, r12\n\t"                 \
  "vqmovnb.s16 q2, q2\n\t"                    \
  "vpst\n\t"                                  \
  "vstrbt.16 q2, [%[y], %q[places]]\n\t"
#endif

/* Sums to results, stored where p0 says; behind it y is that of the next pair. */
#define BYOC_RESULTS                                        \
  "vmov q0[2], q0[0], r0, r4\n\t"                           \
  "vmov q0[3], q0[1], r2, r6\n\t"                           \
  "vmov q1[2], q1[0], r8, r12\n\t"                          \
  "vmov q1[3], q1[1], r10, lr\n\t" BYOC_TAKEN               \
  "ldmia %[pairs]!, {r0, r2, r4, r6, r8, r10, r12, lr}\n\t" \
  "vadd.i32 q0, q0, r0\n\t"                                 \
  "vadd.i32 q1, q1, r2\n\t" BYOC_NARROWED "add %[y], %[y], lr\n\t"

#define BYOC_SUMS \
  "r0", "r2", "r4", "r6", "r8", "r10", "r12", "lr", "q0", "q1", "q2", "q3", BYOC_TAKEN_FROM "cc", "memory"

/* All channels of a group for four pixels: whole pairs, then half of one. Compilers that keep a frame pointer have five
   registers left. `first` sets x. */
#define BYOC_PIXELS(name, first, loop)                                                                     \
  static BYOC_NOINLINE void name(const group_t* g, int8_t* y) {                                            \
    const byoc_quad_t places = load(g->places);                                                            \
    const int8_t *w = g->w, *x;                                                                            \
    const pair_t* pairs = g->pairs;                                                                        \
    int32_t half;                                                                                          \
    for (half = 0; half < 2; ++half) {                                                                     \
      const int32_t start[2] = {half ? g->channels & 1 : g->channels >> 1, half ? BYOC_FIRST : BYOC_BOTH}; \
      const int32_t* n = start;                                                                            \
      if (!start[0]) continue;                                                                             \
      first;                                                                                               \
      __asm__ volatile(                                                                                    \
          "ldrd %[n], r0, [%[n]]\n\t"                                                                      \
          "vmsr p0, r0\n\t"                                                                                \
          "1:\n\t" loop "bne 1b\n\t"                                                                       \
          : [w] BYOC_WEIGHTS_AT(w), [pairs] "+&r"(pairs), [y] "+&r"(y), [n] "+&r"(n), [x] "+&r"(x)         \
          : [places] "w"(places)                                                                           \
          : BYOC_SUMS);                                                                                    \
    }                                                                                                      \
  }

#if defined(BYOC_FEW_BLOCKS)
/* At most four blocks: x is 120 elements behind their start, so that all of them are in reach. */
#define BYOC_FEW(name, products) \
  BYOC_PIXELS(name, x = g->patches + 120, products BYOC_RESULTS "subs %[n], %[n], #1\n\t")
#define BYOC_FIRST_BLOCK BYOC_PRODUCTS(BYOC_TAKE, BYOC_MULTIPLY, ", #-120]", ", #-104]", ", #-88]", ", #-72]")
#define BYOC_SECOND_BLOCK BYOC_PRODUCTS(BYOC_TAKE_MORE, BYOC_ACCUMULATE, ", #-56]", ", #-40]", ", #-24]", ", #-8]")
#define BYOC_THIRD_BLOCK BYOC_PRODUCTS(BYOC_TAKE, BYOC_ACCUMULATE, ", #8]", ", #24]", ", #40]", ", #56]")
#define BYOC_FOURTH_BLOCK BYOC_PRODUCTS(BYOC_TAKE_MORE, BYOC_ACCUMULATE, ", #72]", ", #88]", ", #104]", ", #120]")

#if BYOC_WEIGHT_BITS != 2
BYOC_FEW(pixels_16, BYOC_FIRST_BLOCK)
BYOC_FEW(pixels_48, BYOC_FIRST_BLOCK BYOC_SECOND_BLOCK BYOC_THIRD_BLOCK)
#endif
BYOC_FEW(pixels_32, BYOC_FIRST_BLOCK BYOC_SECOND_BLOCK)
BYOC_FEW(pixels_64, BYOC_FIRST_BLOCK BYOC_SECOND_BLOCK BYOC_THIRD_BLOCK BYOC_FOURTH_BLOCK)

#if BYOC_FEW_BLOCKS > 4
/* Twice as many by words, which reach as far. */
#define BYOC_BY_WORDS(at0, at1, at2, at3)                                                          \
  BYOC_TAKE "vldrw.u32 q2, [%[x], #" at0 "]\n\t" BYOC_ACCUMULATE " r0, q0, q2\n\t" BYOC_ACCUMULATE \
            " r8, q1, q2\n\t"                                                                      \
            "vldrw.u32 q3, [%[x], #" at1 "]\n\t" BYOC_ACCUMULATE " r2, q0, q3\n\t" BYOC_ACCUMULATE \
            " r10, q1, q3\n\t"                                                                     \
            "vldrw.u32 q2, [%[x], #" at2 "]\n\t" BYOC_ACCUMULATE " r4, q0, q2\n\t" BYOC_ACCUMULATE \
            " r12, q1, q2\n\t"                                                                     \
            "vldrw.u32 q3, [%[x], #" at3 "]\n\t" BYOC_ACCUMULATE " r6, q0, q3\n\t" BYOC_ACCUMULATE " lr, q1, q3\n\t"
#define BYOC_FOUR_BLOCKS BYOC_FIRST_BLOCK BYOC_SECOND_BLOCK BYOC_THIRD_BLOCK BYOC_FOURTH_BLOCK
#define BYOC_FIFTH_BLOCK BYOC_BY_WORDS("136", "152", "168", "184")
#define BYOC_SIXTH_BLOCK BYOC_BY_WORDS("200", "216", "232", "248")
#define BYOC_SEVENTH_BLOCK BYOC_BY_WORDS("264", "280", "296", "312")
#define BYOC_EIGHTH_BLOCK BYOC_BY_WORDS("328", "344", "360", "376")
BYOC_FEW(pixels_80, BYOC_FOUR_BLOCKS BYOC_FIFTH_BLOCK)
BYOC_FEW(pixels_96, BYOC_FOUR_BLOCKS BYOC_FIFTH_BLOCK BYOC_SIXTH_BLOCK)
BYOC_FEW(pixels_112, BYOC_FOUR_BLOCKS BYOC_FIFTH_BLOCK BYOC_SIXTH_BLOCK BYOC_SEVENTH_BLOCK)
BYOC_FEW(pixels_128, BYOC_FOUR_BLOCKS BYOC_FIFTH_BLOCK BYOC_SIXTH_BLOCK BYOC_SEVENTH_BLOCK BYOC_EIGHTH_BLOCK)
#endif

#endif

/* Any number: x is at a turn_t, and comes back there at the end of the patches. */
static const int8_t* begin_turn(const group_t* g, const pair_t* end) {
  turn_t* const turn = (turn_t*)(g->patches + 64 * g->blocks);
  turn->x = g->patches;
  turn->n = g->blocks - 1;
  turn->end = end;
  return (const int8_t*)turn;
}

/* The vector instructions leave the flags alone: an odd number of blocks begins in the middle. */
BYOC_PIXELS(pixels_many, x = begin_turn(g, pairs + start[0]),
            "ldrd %[x], %[n], [%[x]]\n\t"
            "lsrs %[n], %[n], #1\n\t" BYOC_BLOCK(BYOC_TAKE, BYOC_MULTIPLY)
            "adc %[n], %[n], #0\n\t"
            "bcs 3f\n\t"
            "beq 4f\n\t"
            "2:\n\t" BYOC_BLOCK(BYOC_TAKE, BYOC_ACCUMULATE)
            "3:\n\t" BYOC_BLOCK(BYOC_TAKE_MORE, BYOC_ACCUMULATE)
            "subs %[n], %[n], #1\n\t"
            "bne 2b\n\t"
            "4:\n\t" BYOC_RESULTS
            "ldr r0, [%[x], #8]\n\t"
            "cmp %[pairs], r0\n\t")

static void pixels(const group_t* g, int8_t* y) {
#if defined(BYOC_FEW_BLOCKS)
  switch (g->blocks) {
#if BYOC_WEIGHT_BITS != 2
    case 1: pixels_16(g, y); return;
    case 3: pixels_48(g, y); return;
#endif
    case 2: pixels_32(g, y); return;
    case 4: pixels_64(g, y); return;
#if BYOC_FEW_BLOCKS > 4
    case 5: pixels_80(g, y); return;
    case 6: pixels_96(g, y); return;
    case 7: pixels_112(g, y); return;
    case 8: pixels_128(g, y); return;
#endif
    default: break;
  }
#endif
  pixels_many(g, y);
}

#if BYOC_ACTIVATION_BITS == 8
/* The results of the few channels with a scale of 1/2 or more once more. */
static BYOC_NOINLINE void rare_pixels(const byoc_conv_s8_t* p, const group_t* g, int32_t first, int8_t* y) {
  int32_t c, pixel, i, k;
  BYOC_ROLLED
  for (c = 0; c < g->channels; ++c) {
    if (g->pairs[c >> 1].shift[c & 1] < 0) continue;
    BYOC_ROLLED
    for (pixel = 0; pixel < 4; ++pixel) {
      const int8_t* x = g->patches + 16 * pixel;
      int32_t sum = p->requant.bias[first + c], vector = (c >> 1) * 2 * g->blocks + (c & 1);
      BYOC_ROLLED
      for (i = g->blocks; i > 0; --i, vector += 2, x += 64) {
        const uint8_t* row = (const uint8_t*)g->w + vector / BYOC_WEIGHTS_PER_BYTE * 16;
        BYOC_ROLLED
        for (k = 0; k < 16; ++k)
          sum = (int32_t)((uint32_t)sum + (uint32_t)(byoc_weight_of(row[k], vector % BYOC_WEIGHTS_PER_BYTE) * x[k]));
      }
      y[(c >> 1) * 2 * p->out_chan + g->places[2 * pixel + (c & 1)]] =
          (int8_t)byoc_requantise_any(&p->requant, first + c, sum);
    }
  }
}

#endif

static void group_image(const byoc_conv_s8_t* p, const int8_t* in, int8_t* out, int32_t first, int8_t* workspace) {
  const int32_t halves = (p->out_c + 1) >> 1, count = p->out_h * p->out_w;
  const int32_t blocks = BYOC_BLOCKS(p->kernel_h * p->kernel_w * p->in_c);
  group_t g;
  patches_t t;
  int32_t done, rare, i;
  g.w = p->weights + (size_t)(first / p->out_c * halves) * (size_t)(BYOC_PAIR_BYTES * blocks);
  g.pairs = (pair_t*)workspace;
  g.patches = (int8_t*)(g.pairs + halves);
  g.blocks = blocks;
  g.channels = p->out_c;
  BYOC_ROLLED
  for (i = 0; i < 8; ++i) g.places[i] = (uint16_t)((i >> 1) * p->out_col + (i & 1) * p->out_chan);
  rare = prepare(p, first, g.pairs);
  (void)rare;
  t.in = in;
  t.whole = p->in_chan == 1 && (p->in_c & 15) == 0;
  t.joined = t.whole && p->dilation_w == 1 && p->in_col == p->in_c;
  t.staged = g.patches + 64 * blocks + sizeof(turn_t);
  t.reach = (reach_t*)t.staged;
  t.vectors = t.whole ? 0 : plan_reach(p, t.reach);
  t.right = p->in_w - 1 - (p->kernel_w - 1) * p->dilation_w;
  t.bottom = p->in_h - 1 - (p->kernel_h - 1) * p->dilation_h;
  t.oy = t.ox = 0;
  t.y = -p->pad_top;
  t.x = -p->pad_left;
  for (done = 0; done < count; done += 4, out += 4 * p->out_col) {
    const int32_t last = t.x + 3 * p->stride_w;
    if (t.joined && t.ox + 3 < p->out_w && t.x >= 0 && last <= t.right && t.y >= 0 && t.y <= t.bottom) {
      interleave_four(in + t.y * p->in_row + t.x * p->in_col, p->stride_w * p->in_col, p->kernel_h,
                      p->dilation_h * p->in_row, p->kernel_w * p->in_c >> 4, g.patches);
      go_on(p, &t, 4);
    } else {
      for (i = 0; i < 4; ++i) {
        next_patch(p, &t, g.patches + 16 * i);
        if (done + i + 1 < count) {
          go_on(p, &t, 1);
        } else if (i < 3) {
          /* Pixels that are not there repeat the last one that is. */
          g.places[2 * i + 2] = g.places[2 * i];
          g.places[2 * i + 3] = g.places[2 * i + 1];
        }
      }
    }
    pixels(&g, out);
#if BYOC_ACTIVATION_BITS == 8
    if (rare) rare_pixels(p, &g, first, out);
#endif
  }
}

void BYOC_SYMBOL(const byoc_conv_s8_t* p, const int8_t* in, int8_t* out, void* workspace) {
  int8_t* start = out;
  int32_t b, g;
  for (b = 0; b < p->batch; ++b, in += p->in_batch, out += p->out_batch)
    for (g = 0; g < p->groups; ++g)
      group_image(p, in + g * p->in_c * p->in_chan, out + g * p->out_c * p->out_chan, g * p->out_c, (int8_t*)workspace);
#if BYOC_ACTIVATION_BITS == 8
  byoc_narrow_mve(p->requant.min, p->requant.max, start, p->batch * p->out_batch);
#else
  (void)start;
#endif
}
