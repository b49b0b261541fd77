/* 4 output channels by 4 pixels in 16 registers of the single-precision FPU of a Cortex-M (see BYOC_THUMB_FPU), in
   assembly: all 32 registers, which compilers do not manage, and loads of several of them, which cost an instruction
   and a cycle less for each element than single ones. Needs BYOC_CHANNELS_LAST. */
#ifndef BYOC_BLOCK_F32_THUMB_H
#define BYOC_BLOCK_F32_THUMB_H

#include "byoc_activation_f32.h"
#include "byoc_kernel.h"

#define BYOC_BLOCK_CHANNELS 4
#define BYOC_BLOCK_PIXELS 4

/* Rows of the block are pixels of channels where channels are last, else channels of pixels. Row i is in registers
   s<4i> to s<4i + 3>, the row's factors in s20 to s23, the columns' in s16 to s19. */
/* clang-format off */
#define BYOC_FOUR(op, d0, d1, d2, d3, n0, n1, n2, n3, m0, m1, m2, m3) \
  op " s" #d0 ", s" #n0 ", s" #m0 "\n" op " s" #d1 ", s" #n1 ", s" #m1 "\n" \
  op " s" #d2 ", s" #n2 ", s" #m2 "\n" op " s" #d3 ", s" #n3 ", s" #m3 "\n"
#define BYOC_ADD(a, b, c, d, e, f, g, h) BYOC_FOUR("vadd.f32", a, b, c, d, a, b, c, d, e, f, g, h)

#if defined(BYOC_FUSED_MAC)
#define BYOC_ROW(w, a, b, c, d) BYOC_FOUR("vfma.f32", a, b, c, d, w, w, w, w, 16, 17, 18, 19)
#define BYOC_ROWS \
  BYOC_ROW(20, 0, 1, 2, 3) \
  BYOC_ROW(21, 4, 5, 6, 7) \
  BYOC_ROW(22, 8, 9, 10, 11) \
  BYOC_ROW(23, 12, 13, 14, 15)
#else
/* On a Cortex-M4 a product's sum takes a cycle more right behind it. */
#define BYOC_PRODUCTS(w, a, b, c, d) BYOC_FOUR("vmul.f32", a, b, c, d, w, w, w, w, 16, 17, 18, 19)
#define BYOC_ROWS \
  BYOC_PRODUCTS(20, 24, 25, 26, 27) \
  BYOC_PRODUCTS(21, 28, 29, 30, 31) \
  BYOC_ADD(0, 1, 2, 3, 24, 25, 26, 27) \
  BYOC_PRODUCTS(22, 24, 25, 26, 27) \
  BYOC_ADD(4, 5, 6, 7, 28, 29, 30, 31) \
  BYOC_PRODUCTS(23, 28, 29, 30, 31) \
  BYOC_ADD(8, 9, 10, 11, 24, 25, 26, 27) \
  BYOC_ADD(12, 13, 14, 15, 28, 29, 30, 31)
#endif

#if BYOC_CHANNELS_LAST
#define BYOC_ADD_BIAS \
  BYOC_ADD(0, 1, 2, 3, 16, 17, 18, 19) \
  BYOC_ADD(4, 5, 6, 7, 16, 17, 18, 19) \
  BYOC_ADD(8, 9, 10, 11, 16, 17, 18, 19) \
  BYOC_ADD(12, 13, 14, 15, 16, 17, 18, 19)
#else
#define BYOC_ADD_BIAS \
  BYOC_ADD(0, 1, 2, 3, 16, 16, 16, 16) \
  BYOC_ADD(4, 5, 6, 7, 17, 17, 17, 17) \
  BYOC_ADD(8, 9, 10, 11, 18, 18, 18, 18) \
  BYOC_ADD(12, 13, 14, 15, 19, 19, 19, 19)
#endif

/* To the bound in s16 where the comparison says so, which it does of no NaN. */
#define BYOC_BOUND(if_, a) \
  "vcmp.f32 s" #a ", s16\n vmrs apsr_nzcv, fpscr\n it " if_ "\n vmov" if_ ".f32 s" #a ", s16\n"
#define BYOC_BOUND_4(if_, a, b, c, d) BYOC_BOUND(if_, a) BYOC_BOUND(if_, b) BYOC_BOUND(if_, c) BYOC_BOUND(if_, d)
#define BYOC_BOUND_ALL(if_) \
  BYOC_BOUND_4(if_, 0, 1, 2, 3) \
  BYOC_BOUND_4(if_, 4, 5, 6, 7) \
  BYOC_BOUND_4(if_, 8, 9, 10, 11) \
  BYOC_BOUND_4(if_, 12, 13, 14, 15)
/* clang-format on */

/* What comes after the sums. In memory, so that the registers suffice without optimisation. */
typedef struct {
  const float* bias;
  byoc_offset_t row_step; /* bytes */
  uint32_t has_lo, has_hi;
  byoc_bounds_f32_t bounds;
} byoc_block_end_t;

/* y[row * end->row_step + column] = clamp(sum over k of rows[k][row] * columns[k * step + column], + bias), the step in
   bytes. In that order, as the reference kernels of the frameworks add up: a large bias would take digits from every
   sum. */
static inline void byoc_block_product(int32_t depth, const float* rows, const float* columns, byoc_offset_t step,
                                      const byoc_block_end_t* end, float* y) {
  /* Inputs: k: depth, 0 too; rows: four floats for each k; columns: four, `step` bytes apart; end; y; zero: 0.
     Outputs: k, rows, columns, y: used up.
     Clobbers: s0 to s31, flags; four times four floats at y, row_step bytes apart.
     Holds: s0 to s15 are the sums from 0 on, then plus the bias, then not below lo and not above hi where there are
     such; k is a scratch register behind the loop. */
  __asm__ volatile(
      "vmov s0, s1, %[zero], %[zero]\n vmov s2, s3, %[zero], %[zero]\n vmov s4, s5, %[zero], %[zero]\n"
      "vmov s6, s7, %[zero], %[zero]\n vmov s8, s9, %[zero], %[zero]\n vmov s10, s11, %[zero], %[zero]\n"
      "vmov s12, s13, %[zero], %[zero]\n vmov s14, s15, %[zero], %[zero]\n"
      "cmp %[k], #0\n"
      "ble 2f\n"
      ".balign 4\n"
      "1:\n"
      "vldmia %[columns], {s16-s19}\n"
      "add %[columns], %[columns], %[step]\n"
      "subs %[k], %[k], #1\n"
      "vldmia %[rows]!, {s20-s23}\n" BYOC_ROWS
      "bne 1b\n"
      "2:\n"
      "ldr %[k], [%[end]]\n"
      "vldmia %[k], {s16-s19}\n" BYOC_ADD_BIAS
      "ldr %[k], [%[end], #8]\n"
      "cmp %[k], #0\n"
      "beq 3f\n"
      "vldr s16, [%[end], #16]\n" BYOC_BOUND_ALL("mi")
      "3:\n"
      "ldr %[k], [%[end], #12]\n"
      "cmp %[k], #0\n"
      "beq 4f\n"
      "vldr s16, [%[end], #20]\n" BYOC_BOUND_ALL("gt")
      "4:\n"
      "ldr %[k], [%[end], #4]\n"
      "vstmia %[y], {s0-s3}\n"
      "add %[y], %[y], %[k]\n"
      "vstmia %[y], {s4-s7}\n"
      "add %[y], %[y], %[k]\n"
      "vstmia %[y], {s8-s11}\n"
      "add %[y], %[y], %[k]\n"
      "vstmia %[y], {s12-s15}\n"
      : [k] "+&r"(depth), [rows] "+&r"(rows), [columns] "+&r"(columns), [y] "+&r"(y)
      : [step] "r"(step), [end] "r"(end), [zero] "r"(0)
      : "cc", "memory", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "s12", "s13", "s14",
        "s15", "s16", "s17", "s18", "s19", "s20", "s21", "s22", "s23", "s24", "s25", "s26", "s27", "s28", "s29", "s30",
        "s31");
}

/* y[channel * channel_step + pixel * pixel_step] = clamp(product), for `channels` and `pixels` of the block.
   x[k * stride + pixel], w[k][channel]. */
static inline void byoc_block_f32(int32_t depth, const float* x, byoc_offset_t stride, const float* w,
                                  const float* bias, byoc_bounds_f32_t bounds, int32_t channels, int32_t pixels,
                                  byoc_offset_t channel_step, byoc_offset_t pixel_step, float* y) {
  const int whole = channels == BYOC_BLOCK_CHANNELS && pixels == BYOC_BLOCK_PIXELS;
  const byoc_offset_t row_step = BYOC_CHANNELS_LAST ? pixel_step : channel_step;
  const int32_t rows = BYOC_CHANNELS_LAST ? pixels : channels, columns = BYOC_CHANNELS_LAST ? channels : pixels;
  float tile[16];
  byoc_block_end_t end;
  end.bias = bias;
  end.row_step = (whole ? row_step : 4) * (byoc_offset_t)sizeof *y;
  end.has_lo = bounds.lo > -INFINITY;
  end.has_hi = bounds.hi < INFINITY;
  end.bounds = bounds;
#if BYOC_CHANNELS_LAST
  (void)stride;
  byoc_block_product(depth, x, w, 4 * (byoc_offset_t)sizeof *w, &end, whole ? y : tile);
#else
  byoc_block_product(depth, w, x, stride * (byoc_offset_t)sizeof *x, &end, whole ? y : tile);
#endif
  if (!whole) {
    int32_t i, k;
    for (i = 0; i < rows; ++i, y += row_step)
      for (k = 0; k < columns; ++k) y[k] = tile[4 * i + k];
  }
}

#endif
