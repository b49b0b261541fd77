/*
 * int8 depthwise convolution with the DSP extension, pixel by pixel, from the image as it lies: four channels at a time
 * through all taps, whatever the window. For layers of many channels and few pixels, of which nothing is copied.
 *
 * One output channel for each input channel, their number a multiple of 4, channels next to each other in both images.
 * Weights: [four channels][tap][channel]; 4-byte aligned. Sums become results by lines.
 * Workspace: a pointer for each tap, then a pixel of zero points.
 */
#include "byoc_conv_twin_s8.h"
#include "byoc_dsp.h"

/* What the loop over four channels goes by. */
typedef struct fours_t {
  const int8_t* w;
  const int8_t* const* taps;
  int32_t count; /* of taps */
  const int32_t* at;
  int8_t* y;
  int32_t fours;
  int32_t shift;
} fours_t;

/* A result of its sum. r3: the shift. */
#define BYOC_RESULT(sum)      \
  "ldrd r4, r5, [lr], #8\n\t" \
  "smmla " sum ", " sum       \
  ", r4, r5\n\t"              \
  "asr " sum ", " sum         \
  ", r3\n\t"                  \
  "ssat " sum ", #8, " sum "\n\t"

/* All channels of a pixel. */
static BYOC_NOINLINE void pixel(const fours_t* f) {
  register const fours_t* at __asm__("r0") = f;
  /* r0: taps, r1: weights, r2: the first of the four channels, r3: taps left, r4 and r5: elements and weights, and r11
     and r12 of them those of channels 0 and 2; sums of channels 0, 2, 1 and 3 in r6, r8, r9, r10; lr: records. The
     stack has taps, count, y, fours and shift. */
  __asm__ volatile(
      "ldmia r0, {r1, r2, r3, r4, r5, r6, r8}\n\t"
      "sub sp, #4\n\t"
      "push {r2, r3, r5, r6, r8}\n\t"
      "mov lr, r4\n\t"
      "mov r2, #0\n\t"
      "1:\n\t"
      "ldmia lr!, {r6, r8, r9, r10}\n\t"
      "ldr r0, [sp]\n\t"
      "ldr r3, [sp, #4]\n\t"
      "2:\n\t"
      "ldr r4, [r0], #4\n\t"
      "ldr r5, [r1], #4\n\t"
      "ldr r4, [r4, r2]\n\t"
      "sxtb16 r12, r5\n\t"
      "sxtb16 r5, r5, ror #8\n\t"
      "sxtb16 r11, r4\n\t"
      "sxtb16 r4, r4, ror #8\n\t"
      "smlabb r6, r11, r12, r6\n\t"
      "smlatt r8, r11, r12, r8\n\t"
      "smlabb r9, r4, r5, r9\n\t"
      "smlatt r10, r4, r5, r10\n\t"
      "subs r3, #1\n\t"
      "bne 2b\n\t"
      "ldr r3, [sp, #16]\n\t"
      "adds r2, #4\n\t" BYOC_RESULT("r6") BYOC_RESULT("r9") BYOC_RESULT("r8") BYOC_RESULT("r10")
      "ldr r0, [sp, #8]\n\t"
      "ldr r4, [sp, #12]\n\t"
      "strb r6, [r0]\n\t"
      "strb r9, [r0, #1]\n\t"
      "strb r8, [r0, #2]\n\t"
      "strb r10, [r0, #3]\n\t"
      "adds r0, #4\n\t"
      "str r0, [sp, #8]\n\t"
      "subs r4, #1\n\t"
      "str r4, [sp, #12]\n\t"
      "bne 1b\n\t"
      "add sp, #24\n\t"
      : "+r"(at)
      :
      : "r1", "r2", "r3", "r4", "r5", "r6", "r8", "r9", "r10", "r11", "r12", "lr", "cc", "memory");
}

static void find_taps(const byoc_conv_s8_t* c, const int8_t* in, int32_t oy, int32_t ox, const int8_t* zeros,
                      const int8_t** taps) {
  const int32_t left = ox * c->stride_w - c->pad_left;
  int32_t ky, kx, y = oy * c->stride_h - c->pad_top;
  for (ky = c->kernel_h; ky > 0; --ky, y += c->dilation_h) {
    const int32_t outside = y < 0 || y >= c->in_h;
    int32_t x = left;
    BYOC_ROLLED
    for (kx = c->kernel_w; kx > 0; --kx, x += c->dilation_w)
      *taps++ = outside || x < 0 || x >= c->in_w ? zeros : in + y * c->in_row + x * c->in_col;
  }
}

void BYOC_SYMBOL(const byoc_conv_twin_s8_t* p, const int8_t* in, int8_t* out, void* workspace) {
  const byoc_conv_s8_t* c = &p->conv;
  const int8_t** const taps = (const int8_t**)workspace;
  const int32_t count = c->kernel_h * c->kernel_w;
  int8_t* const zeros = (int8_t*)(taps + count);
  int8_t* const start = out;
  int32_t b, oy, ox;
  fours_t f;
  memset(zeros, c->in_zero, (size_t)c->in_c);
  f.w = c->weights;
  f.taps = taps;
  f.count = count;
  f.at = p->channels;
  f.fours = c->in_c >> 2;
  f.shift = p->shift;
  for (b = 0; b < c->batch; ++b, in += c->in_batch, out += c->out_batch)
    for (oy = 0; oy < c->out_h; ++oy)
      for (ox = 0; ox < c->out_w; ++ox) {
        find_taps(c, in, oy, ox, zeros, taps);
        f.y = out + oy * c->out_row + ox * c->out_col;
        pixel(&f);
      }
  byoc_narrow(&c->requant, start, c->batch * c->out_batch);
}
