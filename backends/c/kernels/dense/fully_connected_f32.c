#include "byoc_fully_connected_f32.h"
#include "byoc_mac_f32.h"

static inline void store(const float* sums, int32_t count, byoc_bounds_f32_t bounds, float* y) {
  int32_t i;
  for (i = 0; i < count; ++i) y[i] = byoc_clamp_f32(sums[i], bounds);
}

#if BYOC_THUMB_FPU

/* Four units' products with the element in `x`, and their sums; weights from s<w> on. */
#if defined(BYOC_FUSED_MAC)
#define PRODUCTS(x, w0, w1, w2, w3, p0, p1, p2, p3) ""
#define SUMS(x, a, b, c, d, w0, w1, w2, w3, p0, p1, p2, p3)            \
  "vfma.f32 s" #a ", s" #w0 ", " x "\n vfma.f32 s" #b ", s" #w1 ", " x \
  "\n"                                                                 \
  "vfma.f32 s" #c ", s" #w2 ", " x "\n vfma.f32 s" #d ", s" #w3 ", " x "\n"
#else
#define PRODUCTS(x, w0, w1, w2, w3, p0, p1, p2, p3)                      \
  "vmul.f32 s" #p0 ", s" #w0 ", " x "\n vmul.f32 s" #p1 ", s" #w1 ", " x \
  "\n"                                                                   \
  "vmul.f32 s" #p2 ", s" #w2 ", " x "\n vmul.f32 s" #p3 ", s" #w3 ", " x "\n"
#define SUMS(x, a, b, c, d, w0, w1, w2, w3, p0, p1, p2, p3)                \
  "vadd.f32 s" #a ", s" #a ", s" #p0 "\n vadd.f32 s" #b ", s" #b ", s" #p1 \
  "\n"                                                                     \
  "vadd.f32 s" #c ", s" #c ", s" #p2 "\n vadd.f32 s" #d ", s" #d ", s" #p3 "\n"
#endif
/* Two elements, s8 and s9, by the eight weights from s10 on, into four sums. */
#define BLOCK(a, b, c, d)                                \
  PRODUCTS("s8", 10, 11, 12, 13, 18, 19, 20, 21)         \
  PRODUCTS("s9", 14, 15, 16, 17, 22, 23, 24, 25)         \
  SUMS("s8", a, b, c, d, 10, 11, 12, 13, 18, 19, 20, 21) \
  SUMS("s9", a, b, c, d, 14, 15, 16, 17, 22, 23, 24, 25)

/* sums[8] = x * w over pairs of elements, w and v each of a block: what compilers make of the same needs a load, which
   takes two cycles on a Cortex-M4, for each element. */
static inline void pairs(int32_t count, const float* x, const float* w, const float* v, float* sums) {
  /* Inputs: k: pairs of elements, 0 too; x: the pairs; w, v: eight weights a pair, of a block each; sums: room for
     8; zero: 0.
     Outputs: k, x, w, v: used up.
     Clobbers: s0 to s25, flags; eight floats at sums.
     Holds: s0 to s3 are the sums of the block w, s4 to s7 of v, from 0 on; in the order of elements. */
  __asm__ volatile(
      "vmov s0, s1, %[zero], %[zero]\n vmov s2, s3, %[zero], %[zero]\n vmov s4, s5, %[zero], %[zero]\n"
      "vmov s6, s7, %[zero], %[zero]\n"
      "cmp %[k], #0\n"
      "ble 2f\n"
      ".balign 4\n"
      "1:\n"
      "vldmia %[x]!, {s8-s9}\n"
      "subs %[k], %[k], #1\n"
      "vldmia %[w]!, {s10-s17}\n" BLOCK(0, 1, 2, 3) "vldmia %[v]!, {s10-s17}\n" BLOCK(4, 5, 6, 7)
      "bne 1b\n"
      "2:\n"
      "vstmia %[sums], {s0-s7}\n"
      : [k] "+&r"(count), [x] "+&r"(x), [w] "+&r"(w), [v] "+&r"(v)
      : [sums] "r"(sums), [zero] "r"(0)
      : "cc", "memory", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "s12", "s13", "s14",
        "s15", "s16", "s17", "s18", "s19", "s20", "s21", "s22", "s23", "s24", "s25");
}

/* Two blocks: 8 units share each element of x. */
static inline void two_blocks(int32_t depth, const float* x, const float* w, const float* bias, float* sums) {
  const float* v = w + (byoc_offset_t)depth * 4;
  const byoc_offset_t last = depth - 1;
  int32_t i;
  pairs(depth / 2, x, w, v, sums);
  for (i = 0; i < 4; ++i) {
    if (depth % 2 != 0) {
      BYOC_MAC(sums[i], w[last * 4 + i], x[last]);
      BYOC_MAC(sums[i + 4], v[last * 4 + i], x[last]);
    }
    sums[i] += bias[i];
    sums[i + 4] += bias[i + 4];
  }
}

#else

/* Two blocks: 8 units share each element of x. */
static inline void two_blocks(int32_t depth, const float* BYOC_RESTRICT x, const float* BYOC_RESTRICT w,
                              const float* bias, float* BYOC_RESTRICT sums) {
  const float* BYOC_RESTRICT v = w + (byoc_offset_t)depth * 4;
  float a0 = 0, a1 = 0, a2 = 0, a3 = 0;
  float b0 = 0, b1 = 0, b2 = 0, b3 = 0;
  int32_t k;
  for (k = depth; k > 0; --k, w += 4, v += 4) {
    const float e = *x++;
    BYOC_MAC(a0, w[0], e), BYOC_MAC(a1, w[1], e), BYOC_MAC(a2, w[2], e), BYOC_MAC(a3, w[3], e);
    BYOC_MAC(b0, v[0], e), BYOC_MAC(b1, v[1], e), BYOC_MAC(b2, v[2], e), BYOC_MAC(b3, v[3], e);
  }
  sums[0] = a0 + bias[0], sums[1] = a1 + bias[1], sums[2] = a2 + bias[2], sums[3] = a3 + bias[3];
  sums[4] = b0 + bias[4], sums[5] = b1 + bias[5], sums[6] = b2 + bias[6], sums[7] = b3 + bias[7];
}

#endif

static inline void one_block(int32_t depth, const float* BYOC_RESTRICT x, const float* BYOC_RESTRICT w,
                             const float* bias, float* BYOC_RESTRICT sums) {
  float a0 = 0, a1 = 0, a2 = 0, a3 = 0;
  int32_t k;
  for (k = depth; k > 0; --k, w += 4) {
    const float e = *x++;
    BYOC_MAC(a0, w[0], e), BYOC_MAC(a1, w[1], e), BYOC_MAC(a2, w[2], e), BYOC_MAC(a3, w[3], e);
  }
  sums[0] = a0 + bias[0], sums[1] = a1 + bias[1], sums[2] = a2 + bias[2], sums[3] = a3 + bias[3];
}

BYOC_FULLY_CONNECTED_F32(BYOC_SYMBOL) {
  int32_t row, unit;
  float sums[8];
  for (row = 0; row < p->rows; ++row, x += p->depth, y += p->units) {
    for (unit = 0; unit + 4 < p->units; unit += 8) {
      const int32_t left = p->units - unit;
      two_blocks(p->depth, x, w + (byoc_offset_t)unit * p->depth, bias + unit, sums);
      store(sums, left < 8 ? left : 8, p->bounds, y + unit);
    }
    if (unit < p->units) {
      one_block(p->depth, x, w + (byoc_offset_t)unit * p->depth, bias + unit, sums);
      store(sums, p->units - unit, p->bounds, y + unit);
    }
  }
}
