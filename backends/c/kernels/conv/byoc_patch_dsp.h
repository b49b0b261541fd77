/* Patches of an int8 image with the DSP extension, widened to int16: BYOC_PIXELS of them, which a kernel defines,
   interleaved as [depth / 4][2][pixel] words. The first word of a pixel is its elements 0 and 2 of the four, the second
   1 and 3, as SXTB16 makes them. */
#ifndef BYOC_PATCH_DSP_H
#define BYOC_PATCH_DSP_H

#include "byoc_dsp.h"
#include "byoc_patch_s8.h"

#define BYOC_QUOTE_(x) #x
#define BYOC_QUOTE(x) BYOC_QUOTE_(x)

/* A word of four elements, which is the n-th of several. */
#define BYOC_WIDEN(word, n) \
  "sxtb16 %[pair], %[" word "]\n\t"                                          \
  "sxtb16 %[" word "], %[" word "], ror #8\n\t"                              \
  "str %[pair], [%[to], #" n "*8*" BYOC_QUOTE(BYOC_PIXELS) "]\n\t"           \
  "str %[" word "], [%[to], #(" n "*2+1)*4*" BYOC_QUOTE(BYOC_PIXELS) "]\n\t"

/* steps > 0. Loads stand next to each other and need not be aligned, as those of LDM must; no use is right behind one.
 */
static BYOC_NOINLINE uint32_t* byoc_widen(const int8_t* from, int32_t steps, uint32_t* to) {
  uint32_t a, b, c, d, pair;
  /* Inputs: from: 4 * steps bytes, not aligned; steps > 0; to: room for 2 * steps words, BYOC_PIXELS apart.
     Outputs: to: where the next step goes; from: behind the bytes; steps: 0.
     Clobbers: a to d: words of four elements; pair; flags; memory.
     Holds: each word gives its elements 0 and 2, then 1 and 3, as pairs of int16; four words a turn, the rest one
     by one. */
  __asm__ volatile(
#if !defined(__OPTIMIZE_SIZE__)
      "subs %[steps], #4\n\t"
      "blt 2f\n\t"
      "1:\n\t"
      "ldr %[b], [%[from], #4]\n\t"
      "ldr %[c], [%[from], #8]\n\t"
      "ldr %[d], [%[from], #12]\n\t"
      "ldr %[a], [%[from]], #16\n\t" BYOC_WIDEN("b", "1") BYOC_WIDEN("c", "2") BYOC_WIDEN("d", "3")
          BYOC_WIDEN("a", "0")
      "adds %[to], #32*" BYOC_QUOTE(BYOC_PIXELS) "\n\t"
      "subs %[steps], #4\n\t"
      "bge 1b\n\t"
      "2:\n\t"
      "adds %[steps], #4\n\t"
      "beq 4f\n\t"
#endif
      "3:\n\t"
      "ldr %[a], [%[from]], #4\n\t"
      "subs %[steps], #1\n\t" BYOC_WIDEN("a", "0")
      "add %[to], #8*" BYOC_QUOTE(BYOC_PIXELS) "\n\t"
      "bne 3b\n\t"
      "4:\n\t"
      : [from] "+r"(from), [steps] "+r"(steps), [to] "+r"(to), [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c),
        [d] "=&r"(d), [pair] "=&r"(pair)
      :
      : "cc", "memory");
  return to;
}

static BYOC_NOINLINE uint32_t* byoc_fill_wide(uint32_t pair, int32_t steps, uint32_t* to) {
  BYOC_ROLLED
  for (; steps > 0; --steps, to += 2 * BYOC_PIXELS) to[0] = to[BYOC_PIXELS] = pair;
  return to;
}

/* A patch whose taps are whole steps, from the image itself. */
static void byoc_gather_wide(const byoc_conv_s8_t* p, const int8_t* in, int32_t oy, int32_t ox, uint32_t* to) {
  const uint32_t zero = byoc_pack(p->in_zero, p->in_zero);
  const int32_t steps = p->in_c >> 2, left = ox * p->stride_w - p->pad_left;
  const int32_t row_at_once = p->dilation_w == 1 && p->in_col == p->in_c && left >= 0 && left + p->kernel_w <= p->in_w;
  int32_t ky, kx, y = oy * p->stride_h - p->pad_top;
  for (ky = 0; ky < p->kernel_h; ++ky, y += p->dilation_h) {
    if (y < 0 || y >= p->in_h) {
      to = byoc_fill_wide(zero, p->kernel_w * steps, to);
    } else if (row_at_once) {
      to = byoc_widen(in + y * p->in_row + left * p->in_col, p->kernel_w * steps, to);
    } else {
      int32_t x = left;
      for (kx = 0; kx < p->kernel_w; ++kx, x += p->dilation_w) {
        if (x < 0 || x >= p->in_w) {
          to = byoc_fill_wide(zero, steps, to);
        } else {
          to = byoc_widen(in + y * p->in_row + x * p->in_col, steps, to);
        }
      }
    }
  }
}

#endif
