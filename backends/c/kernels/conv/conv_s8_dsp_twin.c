/*
 * int8 convolution with the DSP extension: two pixels by four channels at a time. A half of a word of weights is
 * 256 * w1 + w0 of two channels, so that the same word gives SMLAD
 *   t = 256 * (sum of w1 * x) + (sum of w0 * x), as it is, and b = sum of w0 * x, of its low bytes,
 * and the sums are b and (t - b) / 256. The latter has 24 bits, and w1 may be -128 only where w0 is not below zero:
 * both have been looked at when the layer was given to this kernel. Results of a pixel lie next to each other.
 *
 * Weights: [group][four channels][depth / 4][elements 0 and 2, then 1 and 3][pair of channels][element][byte of the
 * half]; depth = patch elements rounded up to 4, filled up with zeros like the channels of the last four; 4-byte
 * aligned.
 * Workspace: two patches widened to int16, interleaved as [depth / 4][2][pixel] words, where the first word of a pixel
 * is its elements 0 and 2 of the four and the second 1 and 3, as SXTB16 makes them; then one patch of `depth` bytes if
 * in_c is no multiple of 4 or channels are not next to each other.
 *
 * With BYOC_BLOCK_PIXELS, an even number, for flash that takes long: the weights of four channels are copied into RAM
 * once for so many pixels. Channels of a group are a multiple of 4 then, and the workspace begins with 4 * depth bytes
 * for the weights and has such patches for all pixels of a block.
 */
#include "byoc_conv_twin_s8.h"

#define BYOC_PIXELS 2
#include "byoc_patch_dsp.h"

/* Parameters of the loop over four channels of two pixels, in the order of the stack there. */
typedef struct fours_t {
  const int8_t* w;
  const uint32_t* x;
  int32_t steps;     /* depth / 4 */
  const int32_t* at; /* byoc_conv_twin_s8_t::channels */
  int8_t *y0, *y1;   /* results of both pixels */
  int32_t count;     /* > 0 */
  int32_t shift;     /* of lines */
#if defined(BYOC_BLOCK_PIXELS)
  int32_t pitch; /* from the results of two pixels to those of the next two */
#endif
} fours_t;

/* Pairs of elements of both pixels with those of four channels, at these offsets, of which `last` is the last; then x
   and w are `bytes` on. Flags stay as they are. */
#if defined(BYOC_LOADS_APART)
/* Each 14 instructions, and as many cycles of a Cortex-M33, where nothing uses a load's result right away; 8 of a
   Cortex-M7, which issues each load and each SXTB16 beside an SMLAD. Loads are for the next pair; at the end r3 is
   where x ends, for r2 is the second word of weights. */
#define BYOC_AHEAD(last, load, behind) \
  ".ifne \\at-" last "\n\t" load       \
  "\n\t"                               \
  ".else\n\t" behind                   \
  "\n\t"                               \
  ".endif\n\t"
#define BYOC_PAIRS(offsets, last, bytes) \
  "ldr r5, [r1], #" bytes                                                                             \
  "\n\t"                                                                                              \
  "ldr r4, [r0, #4]\n\t"                                                                              \
  "ldr r3, [r0], #" bytes                                                                             \
  "\n\t"                                                                                              \
  ".irp at, " offsets ", " last                                                                       \
  "\n\t"                                                                                              \
  "smlad r8, r5, r3, r8\n\t"                                                                          \
  "ldr r2, [r1, #\\at+4-" bytes                                                                       \
  "]\n\t"                                                                                             \
  "smlad r9, r5, r4, r9\n\t"                                                                          \
  "sxtb16 r5, r5\n\t"                                                                                 \
  "smlad r12, r2, r3, r12\n\t"                                                                        \
  "smlad lr, r2, r4, lr\n\t"                                                                          \
  "sxtb16 r2, r2\n\t"                                                                                 \
  "smlad r6, r5, r3, r6\n\t"                                                                          \
  "smlad r7, r5, r4, r7\n\t" BYOC_AHEAD(last, "ldr r5, [r1, #\\at+8-" bytes "]", "")                  \
      "smlad r10, r2, r3, r10\n\t" BYOC_AHEAD(last, "ldr r3, [r0, #\\at+8-" bytes "]", "ldr r3, [sp, #32]") \
      "smlad r11, r2, r4, r11\n\t" BYOC_AHEAD(last, "ldr r4, [r0, #\\at+12-" bytes "]", "")           \
      ".endr\n\t"
#define BYOC_FIND_END          \
  "add r2, r2, r3, lsl #4\n\t" \
  "str r2, [sp, #32]\n\t"
#define BYOC_COUNT_AGAIN "ldr r2, [sp, #4]\n\t"
#define BYOC_COUNT_BITS "2"
#define BYOC_COUNT_DOWN "cmp r0, r3\n\t"
#else
/* Each 14 instructions, 16 cycles of a Cortex-M4, where loads that follow each other take a cycle. r2 counts. */
#define BYOC_PAIRS(offsets, last, bytes) \
  ".irp at, " offsets ", " last          \
  "\n\t"                                 \
  ".ifeq \\at\n\t"                       \
  "ldr r3, [r0], #" bytes                \
  "\n\t"                                 \
  "ldr r4, [r0, #4-" bytes               \
  "]\n\t"                                \
  "ldr r5, [r1], #" bytes                \
  "\n\t"                                 \
  ".else\n\t"                            \
  "ldr r3, [r0, #\\at-" bytes            \
  "]\n\t"                                \
  "ldr r4, [r0, #\\at+4-" bytes          \
  "]\n\t"                                \
  "ldr r5, [r1, #\\at-" bytes            \
  "]\n\t"                                \
  ".endif\n\t"                           \
  "smlad r8, r5, r3, r8\n\t"             \
  "smlad r9, r5, r4, r9\n\t"             \
  "sxtb16 r5, r5\n\t"                    \
  "smlad r6, r5, r3, r6\n\t"             \
  "smlad r7, r5, r4, r7\n\t"             \
  "ldr r5, [r1, #\\at+4-" bytes          \
  "]\n\t"                                \
  "smlad r12, r5, r3, r12\n\t"           \
  "smlad lr, r5, r4, lr\n\t"             \
  "sxtb16 r5, r5\n\t"                    \
  "smlad r10, r5, r3, r10\n\t"           \
  "smlad r11, r5, r4, r11\n\t"           \
  ".endr\n\t"
#define BYOC_FIND_END
#define BYOC_COUNT_AGAIN
#define BYOC_COUNT_BITS "1"
#define BYOC_COUNT_DOWN "subs r2, r2, #1\n\t"
#endif

/* What a turn of the loop has of its own, and what comes next: pixels with the same four channels, or channels of the
   same pixels. */
#if defined(BYOC_BLOCK_PIXELS)
#define BYOC_KEEP_WEIGHTS
#define BYOC_WEIGHTS_AGAIN
#define BYOC_BEGIN        \
  "ldr r0, [r0, #32]\n\t" \
  "str r1, [sp, #28]\n\t" \
  "str r0, [sp, #32]\n\t"
#define BYOC_BEGIN_TURN "ldr r1, [sp, #28]\n\t"
#define BYOC_END_SUMS "str r0, [sp]\n\t"
#define BYOC_NEXT         \
  "ldr r1, [sp, #32]\n\t" \
  "add r2, r2, r1\n\t"    \
  "add r0, r0, r1\n\t"    \
  "str r2, [sp, #16]\n\t" \
  "str r0, [sp, #12]\n\t"
#else
#define BYOC_KEEP_WEIGHTS "str r1, [sp, #28]\n\t"
#define BYOC_WEIGHTS_AGAIN "ldr r1, [sp, #28]\n\t"
#define BYOC_BEGIN BYOC_FIND_END
#define BYOC_BEGIN_TURN
#define BYOC_END_SUMS
#define BYOC_NEXT         \
  "adds r2, #4\n\t"       \
  "adds r0, #4\n\t"       \
  "str r2, [sp, #16]\n\t" \
  "str r0, [sp, #12]\n\t" \
  "str r5, [sp, #8]\n\t"
#endif

/* r4: the shift; a, b: the sums of one channel of both pixels. */
#if defined(BYOC_REQUANT_LINE)
#define BYOC_RECORD 12 /* words of four channels */
#define BYOC_BEGIN_RESULTS "ldr r4, [sp, #24]\n\t"
#define BYOC_RESULTS(a, b)    \
  "ldrd r2, r3, [r5], #8\n\t" \
  "smmla " a ", " a           \
  ", r2, r3\n\t"              \
  "smmla " b ", " b           \
  ", r2, r3\n\t"              \
  "asr " a ", " a             \
  ", r4\n\t"                  \
  "asr " b ", " b             \
  ", r4\n\t"                  \
  "ssat " a ", #8, " a        \
  "\n\t"                      \
  "ssat " b ", #8, " b "\n\t"
#define BYOC_END_RESULTS
#else
#define BYOC_RECORD 16

/* As byoc_requantise_dsp does, the second result beside the first, in registers of x and w. */
#define BYOC_BEGIN_RESULTS BYOC_KEEP_WEIGHTS
#define BYOC_RESULTS(a, b)      \
  "ldmia r5!, {r2, r3, r4}\n\t" \
  "and r1, " a                  \
  ", #0x80000000\n\t"           \
  "add r0, r3, " a              \
  ", asr #31\n\t"               \
  "orr r1, r1, #0x40000000\n\t" \
  "smlal r1, r0, " a            \
  ", r2\n\t"                    \
  "and r1, " b                  \
  ", #0x80000000\n\t"           \
  "asr " a                      \
  ", r0, r4\n\t"                \
  "add r0, r3, " b              \
  ", asr #31\n\t"               \
  "orr r1, r1, #0x40000000\n\t" \
  "smlal r1, r0, " b            \
  ", r2\n\t"                    \
  "ssat " a ", #8, " a          \
  "\n\t"                        \
  "asr " b                      \
  ", r0, r4\n\t"                \
  "ssat " b ", #8, " b "\n\t"
#define BYOC_END_RESULTS BYOC_WEIGHTS_AGAIN
#endif

/* A function that is all assembly, prologue and epilogue included: its loop takes all registers but sp, r7 too, which
   compilers do not give away where it is the frame pointer. What -fstack-usage says of it is 0. */
#if defined(__clang__)
#define BYOC_NAKED __attribute__((naked, noinline))
#else
#define BYOC_NAKED __attribute__((naked, noinline, noclone, noipa))
#endif

/* Where its caller's registers are, for debuggers. With some options Clang has no frame description for them to go
   into, and nothing says so. */
#if defined(__GCC_HAVE_DWARF2_CFI_ASM) && !defined(__clang__)
#define BYOC_FRAME(directives) directives "\n\t"
#else
#define BYOC_FRAME(directives)
#endif

/* Fours of channels, one after the other; of a block, two pixels after the other. */
static BYOC_NAKED void fours(__attribute__((unused)) const fours_t* f) {
  /* Inputs: r0: f, whose members are those of fours_t.
     Outputs: none; results at y0 and y1, the results of `count` turns.
     Clobbers: r0 to r3, r12, flags, as of any call; memory. r4 to r11 and lr are restored.
     Holds: r0 is x, r1 w, r2 the steps that are left, r3 to r5 elements and weights; b of the first pair is in r6,
     r7, t in r8, r9, of the second in r10, r11 and r12, lr. From sp on: x, steps, at, y0, y1, count and shift, then
     two words of the loop's own: 72 bytes with the registers. A sum is b, or (t - b) / 256 with its own bias. Flags of
     lsrs serve both branches. */
  __asm__ volatile(
      "push {r4, r5, r6, r7, r8, r9, r10, r11, lr}\n\t"
      BYOC_FRAME(".cfi_def_cfa_offset 36\n\t.cfi_offset r4, -36\n\t.cfi_offset r5, -32\n\t.cfi_offset r6, -28\n\t"
                 ".cfi_offset r7, -24\n\t.cfi_offset r8, -20\n\t.cfi_offset r9, -16\n\t.cfi_offset r10, -12\n\t"
                 ".cfi_offset r11, -8\n\t.cfi_offset lr, -4")
      "sub sp, #36\n\t"
      BYOC_FRAME(".cfi_def_cfa_offset 72")
      "ldmia r0, {r1, r2, r3, r4, r5, r6, r7, r8}\n\t"
      "stmia sp, {r2, r3, r4, r5, r6, r7, r8}\n\t" BYOC_BEGIN
      "1:\n\t" BYOC_BEGIN_TURN
      "ldr r5, [sp, #8]\n\t"
      "ldr r0, [sp]\n\t"
      "ldr r2, [sp, #4]\n\t"
      "ldmia r5!, {r6, r10}\n\t"
      "mov r7, r6\n\t"
      "mov r8, r6\n\t"
      "mov r9, r6\n\t"
      "mov r11, r10\n\t"
      "mov r12, r10\n\t"
      "mov lr, r10\n\t"
      "lsrs r2, r2, #1\n\t"
      "bcc 2f\n\t" BYOC_PAIRS("0", "8", "16")
      "2:\n\t"
      "beq 4f\n\t"
#if !defined(__OPTIMIZE_SIZE__)
      BYOC_COUNT_AGAIN
      "lsrs r2, r2, #" BYOC_COUNT_BITS "\n\t"
      "bcc 2f\n\t" BYOC_PAIRS("0, 8, 16", "24", "32")
      "2:\n\t"
      "beq 4f\n\t"
      "3:\n\t" BYOC_PAIRS("0, 8, 16, 24, 32, 40, 48", "56", "64")
#else
      "3:\n\t" BYOC_PAIRS("0, 8, 16", "24", "32")
#endif
      BYOC_COUNT_DOWN
      "bne 3b\n\t"
      "4:\n\t" BYOC_END_SUMS
      "ldr r5, [sp, #8]\n\t"
      "sub r8, r8, r6\n\t"
      "ldr r2, [r5, #8]\n\t"
      "ldr r3, [r5, #12]\n\t"
      "adds r5, #16\n\t"
      "sub r9, r9, r7\n\t"
      "sub r12, r12, r10\n\t"
      "sub lr, lr, r11\n\t"
      "add r8, r2, r8, asr #8\n\t"
      "add r9, r2, r9, asr #8\n\t"
      "add r12, r3, r12, asr #8\n\t"
      "add lr, r3, lr, asr #8\n\t" BYOC_BEGIN_RESULTS BYOC_RESULTS("r6", "r7") BYOC_RESULTS("r8", "r9")
          BYOC_RESULTS("r10", "r11") BYOC_RESULTS("r12", "lr") BYOC_END_RESULTS
      "ldr r2, [sp, #16]\n\t"
      "ldr r0, [sp, #12]\n\t"
      "ldr r3, [sp, #20]\n\t"
      "strb r7, [r2]\n\t"
      "strb r9, [r2, #1]\n\t"
      "strb r11, [r2, #2]\n\t"
      "strb lr, [r2, #3]\n\t"
      "strb r6, [r0]\n\t"
      "strb r8, [r0, #1]\n\t"
      "strb r10, [r0, #2]\n\t"
      "strb r12, [r0, #3]\n\t" BYOC_NEXT
      "subs r3, #1\n\t"
      "str r3, [sp, #20]\n\t"
      "bne 1b\n\t"
      "add sp, #36\n\t"
      BYOC_FRAME(".cfi_def_cfa_offset 36")
      "pop {r4, r5, r6, r7, r8, r9, r10, r11, pc}\n\t");
}

#if defined(BYOC_BLOCK_PIXELS)
/* 16 bytes a step, eight words at a time. Flags stay as they are. */
static BYOC_NOINLINE void copy_weights(const int8_t* from, int32_t steps, uint32_t* to) {
  /* Inputs: from: 16 * n bytes, 4-byte aligned; n: steps > 0; to.
     Outputs: from, to: behind what was copied; n: 0.
     Clobbers: r3 to r6, r8 to r10, r12, flags; memory at to.
     Holds: 16 bytes of an odd step first, then 32 bytes a turn. Copies leave the flags alone, so those of lsrs
     serve both branches. */
  __asm__ volatile(
      "lsrs %[n], %[n], #1\n\t"
      "bcc 1f\n\t"
      "ldmia %[from]!, {r3, r4, r5, r6}\n\t"
      "stmia %[to]!, {r3, r4, r5, r6}\n\t"
      "1:\n\t"
      "beq 3f\n\t"
      "2:\n\t"
      "ldmia %[from]!, {r3, r4, r5, r6, r8, r9, r10, r12}\n\t"
      "stmia %[to]!, {r3, r4, r5, r6, r8, r9, r10, r12}\n\t"
      "subs %[n], %[n], #1\n\t"
      "bne 2b\n\t"
      "3:\n\t"
      : [from] "+r"(from), [n] "+r"(steps), [to] "+r"(to)
      :
      : "r3", "r4", "r5", "r6", "r8", "r9", "r10", "r12", "cc", "memory");
}

/* All channels of a group for the first `count` pixels of a block, whose results start at y. Beside the last of an odd
   count stands its own: what is written for it is written first, and then over. */
static void pixels(const byoc_conv_twin_s8_t* p, const int8_t* w, const int32_t* channels, int32_t steps,
                   uint32_t* workspace, int8_t* y, int32_t count) {
  const int32_t pitch = p->conv.out_col;
  uint32_t* const patches = workspace + 4 * steps;
  fours_t f;
  int32_t left;
  f.w = (const int8_t*)workspace;
  f.steps = steps;
  f.at = channels;
  f.shift = p->shift;
  f.pitch = 2 * pitch;
  for (left = p->conv.out_c; left > 0; left -= 4, w += 16 * steps, f.at += BYOC_RECORD, y += 4) {
    copy_weights(w, steps, workspace);
    f.x = patches;
    f.y0 = y;
    f.y1 = y + pitch;
    f.count = count >> 1;
    if (f.count) fours(&f);
    if (count & 1) {
      f.x = patches + (count >> 1) * 4 * steps;
      f.y0 = f.y1 = y + (count - 1) * pitch;
      f.count = 1;
      fours(&f);
    }
  }
}

static void image(const byoc_conv_twin_s8_t* p, const int8_t* in, int8_t* out, const int8_t* weights,
                  const int32_t* channels, uint32_t* workspace) {
  const byoc_conv_s8_t* c = &p->conv;
  const int32_t steps = (c->kernel_h * c->kernel_w * c->in_c + 3) >> 2;
  const int32_t wide = c->in_chan == 1 && (c->in_c & 3) == 0;
  int8_t* bytes = (int8_t*)(workspace + (4 + 2 * BYOC_BLOCK_PIXELS) * steps);
  int32_t oy, ox, held = 0;
  for (oy = 0; oy < c->out_h; ++oy) {
    for (ox = 0; ox < c->out_w; ++ox) {
      uint32_t* to = workspace + 4 * ((held >> 1) + 1) * steps + (held & 1);
      if (wide) {
        byoc_gather_wide(c, in, oy, ox, to);
      } else {
        byoc_gather_s8(c, in, oy, ox, bytes);
        byoc_widen(bytes, steps, to);
      }
      if (++held == BYOC_BLOCK_PIXELS) {
        pixels(p, weights, channels, steps, workspace, out, held);
        out += held * c->out_col;
        held = 0;
      }
    }
  }
  if (held) pixels(p, weights, channels, steps, workspace, out, held);
}
#else
/* All channels of a group for the two pixels in the workspace; y: the results of the first one, `pitch` before those of
   the second. Without a second pixel pitch is 0: what stands for its results is written first, and then over. */
static void pixels(const byoc_conv_twin_s8_t* p, const int8_t* w, const int32_t* channels, int32_t steps,
                   const uint32_t* patches, int8_t* y, int32_t pitch) {
  const int32_t whole = p->conv.out_c >> 2, rest = p->conv.out_c & 3;
  fours_t f;
  f.w = w;
  f.x = patches;
  f.steps = steps;
  f.at = channels;
  f.y0 = y;
  f.y1 = y + pitch;
  f.count = whole;
  f.shift = p->shift;
  if (whole) fours(&f);
  if (rest) {
    int8_t last[8];
    f.w = w + 16 * (size_t)(whole * steps);
    f.at = channels + BYOC_RECORD * whole;
    f.y0 = last;
    f.y1 = last + 4;
    f.count = 1;
    fours(&f);
    y += 4 * whole;
    memcpy(y + pitch, last + 4, (size_t)rest);
    memcpy(y, last, (size_t)rest);
  }
}

static void image(const byoc_conv_twin_s8_t* p, const int8_t* in, int8_t* out, const int8_t* weights,
                  const int32_t* channels, uint32_t* patches) {
  const byoc_conv_s8_t* c = &p->conv;
  const int32_t steps = (c->kernel_h * c->kernel_w * c->in_c + 3) >> 2;
  const int32_t wide = c->in_chan == 1 && (c->in_c & 3) == 0;
  int8_t* bytes = (int8_t*)(patches + 4 * steps);
  int32_t oy, ox, held = 0;
  for (oy = 0; oy < c->out_h; ++oy) {
    for (ox = 0; ox < c->out_w; ++ox) {
      if (wide) {
        byoc_gather_wide(c, in, oy, ox, patches + held);
      } else {
        byoc_gather_s8(c, in, oy, ox, bytes);
        byoc_widen(bytes, steps, patches + held);
      }
      if (!(held ^= 1)) {
        pixels(p, weights, channels, steps, patches, out, c->out_col);
        out += 2 * c->out_col;
      }
    }
  }
  if (held) pixels(p, weights, channels, steps, patches, out, 0);
}
#endif

void BYOC_SYMBOL(const byoc_conv_twin_s8_t* p, const int8_t* in, int8_t* out, void* workspace) {
  const byoc_conv_s8_t* c = &p->conv;
  const int32_t fours_of_group = (c->out_c + 3) >> 2;
  const size_t size = 16 * (size_t)(fours_of_group * ((c->kernel_h * c->kernel_w * c->in_c + 3) >> 2));
  int8_t* const start = out;
  int32_t b, g;
  for (b = 0; b < c->batch; ++b, in += c->in_batch, out += c->out_batch)
    for (g = 0; g < c->groups; ++g)
      image(p, in + g * c->in_c * c->in_chan, out + g * c->out_c, c->weights + (size_t)g * size,
            p->channels + g * fours_of_group * BYOC_RECORD, (uint32_t*)workspace);
  byoc_narrow(&c->requant, start, c->batch * c->out_batch);
}
