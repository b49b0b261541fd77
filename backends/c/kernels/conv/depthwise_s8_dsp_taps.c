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

/* Parameters of the loop over four channels, in the order of the offsets there. */
typedef struct fours_t {
  const int8_t* w;
  const int8_t* const* taps;
  int32_t count; /* of taps */
  int8_t* y;
  int32_t channels; /* a multiple of 4, > 0 */
  int32_t shift;
  const int32_t* at;
  const int32_t* record; /* of the loop's own: what of `at` comes next */
} fours_t;

/* A result of its sum. r0: the record, r3: the shift. */
#define BYOC_RESULT(sum)      \
  "ldrd r4, r5, [r0], #8\n\t" \
  "smmla " sum ", " sum       \
  ", r4, r5\n\t"              \
  "asr " sum ", " sum         \
  ", r3\n\t"                  \
  "ssat " sum ", #8, " sum "\n\t"

/* All channels of a pixel. */
static BYOC_NOINLINE void pixel(fours_t* f) {
  register fours_t* at __asm__("r0") = f;
  /* Inputs: r0: f; its members are those of fours_t, count and channels > 0.
     Outputs: none; results at y; f->record is used up.
     Clobbers: r0 to r6, r8 to r12, lr, flags; memory.
     Holds: r6 is f, r0 taps or records, r1 weights, r2 the first of the four channels, r3 the taps that are left;
     r4 and r5 are elements and weights, r11 and r12 those of channels 0 and 2; sums of channels 0, 2, 1 and 3 are
     in r8, r9, r10 and lr. Both loops begin at multiples of 4, where a branch to them takes least; r7 stays what it
     is, for it may be the frame pointer. */
  __asm__ volatile(
      ".balign 4\n\t"
      "mov r6, r0\n\t"
      "ldr r1, [r6]\n\t"
      "ldr r0, [r6, #24]\n\t"
      "movs r2, #0\n\t"
      "1:\n\t"
      "ldmia r0!, {r8, r9, r10, lr}\n\t"
      "str r0, [r6, #28]\n\t"
      "ldr r0, [r6, #4]\n\t"
      "ldr.w r3, [r6, #8]\n\t"
      "2:\n\t"
      "ldr r4, [r0], #4\n\t"
      "ldr r5, [r1], #4\n\t"
      "ldr r4, [r4, r2]\n\t"
      "sxtb16 r12, r5\n\t"
      "sxtb16 r5, r5, ror #8\n\t"
      "sxtb16 r11, r4\n\t"
      "sxtb16 r4, r4, ror #8\n\t"
      "smlabb r8, r11, r12, r8\n\t"
      "smlatt r9, r11, r12, r9\n\t"
      "smlabb r10, r4, r5, r10\n\t"
      "smlatt lr, r4, r5, lr\n\t"
      "subs r3, #1\n\t"
      "bne 2b\n\t"
      "ldr r0, [r6, #28]\n\t"
      "ldr r3, [r6, #20]\n\t"
      "adds r2, #4\n\t" BYOC_RESULT("r8") BYOC_RESULT("r10") BYOC_RESULT("r9") BYOC_RESULT("lr")
      "ldr r3, [r6, #12]\n\t"
      "ldr r4, [r6, #16]\n\t"
      "add r3, r3, r2\n\t"
      "cmp r2, r4\n\t"
      "strb r8, [r3, #-4]\n\t"
      "strb r10, [r3, #-3]\n\t"
      "strb r9, [r3, #-2]\n\t"
      "strb lr, [r3, #-1]\n\t"
      "bne 1b\n\t"
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
  f.channels = c->in_c;
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
