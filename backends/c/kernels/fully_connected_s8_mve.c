/*
 * int8 fully connected layer with MVE: four units at a time, 16 elements each.
 *
 * Weights: [unit][depth], as they are.
 */
#include "byoc_fully_connected_s8.h"
#include "byoc_mve.h"

/* Four sums to results of four units, whose scales are at scale + index and shift + index; like byoc_requantise_quad.
 */
static inline byoc_quad_t requantise_units(byoc_quad_t x, const int32_t* scale, const int8_t* shift, byoc_quad_t index,
                                           int32_t zero) {
  byoc_quad_t scales, shifts;
#if defined(BYOC_REQUANT_ONNX)
  (void)shift;
  (void)shifts;
  __asm__(
      "vldrw.u32 %q[scales], [%[scale], %q[index], uxtw #2]\n\t"
      "vcvt.f32.s32 %q[x], %q[x]\n\t"
      "vmul.f32 %q[x], %q[x], %q[scales]\n\t"
      "vcvtn.s32.f32 %q[x], %q[x]\n\t"
      "vqadd.s32 %q[x], %q[x], %[zero]\n\t"
      "vqmovnb.s32 %q[x], %q[x]\n\t"
      "vqmovnb.s16 %q[x], %q[x]\n\t"
      : [x] "+w"(x), [scales] "=&w"(scales)
      : [scale] "r"(scale), [index] "w"(index), [zero] "r"(zero)
      : "memory");
#elif defined(BYOC_REQUANT_EXACT)
  /* Every scale is below 1/4 and without ties: see fits_vectors in the lowering. */
  __asm__(
      "vldrb.s32 %q[shifts], [%[shift], %q[index]]\n\t"
      "vldrw.u32 %q[scales], [%[scale], %q[index], uxtw #2]\n\t"
      "vadd.i32 %q[shifts], %q[shifts], %[one]\n\t"
      "vmulh.s32 %q[x], %q[x], %q[scales]\n\t"
      "vrshl.s32 %q[x], %q[x], %q[shifts]\n\t"
      "vadd.i32 %q[x], %q[x], %[zero]\n\t"
      "vqmovnb.s32 %q[x], %q[x]\n\t"
      "vqmovnb.s16 %q[x], %q[x]\n\t"
      : [x] "+w"(x), [scales] "=&w"(scales), [shifts] "=&w"(shifts)
      : [scale] "r"(scale), [shift] "r"(shift), [index] "w"(index), [zero] "r"(zero), [one] "r"(1)
      : "memory");
#else
  /* Left shifts come first; the correction of halves below zero only where there is a right shift. */
  __asm__(
      "vldrb.s32 %q[shifts], [%[shift], %q[index]]\n\t"
      "vmov.i32 %q[scales], #0\n\t"
      "vmax.s32 %q[scales], %q[scales], %q[shifts]\n\t"
      "vshl.s32 %q[x], %q[x], %q[scales]\n\t"
      "vsub.i32 %q[shifts], %q[shifts], %q[scales]\n\t"
      "vldrw.u32 %q[scales], [%[scale], %q[index], uxtw #2]\n\t"
      "vqrdmulh.s32 %q[x], %q[x], %q[scales]\n\t"
      "vand %q[scales], %q[x], %q[shifts]\n\t"
      "vshr.s32 %q[scales], %q[scales], #31\n\t"
      "vadd.i32 %q[x], %q[x], %q[scales]\n\t"
      "vrshl.s32 %q[x], %q[x], %q[shifts]\n\t"
      "vadd.i32 %q[x], %q[x], %[zero]\n\t"
      "vqmovnb.s32 %q[x], %q[x]\n\t"
      "vqmovnb.s16 %q[x], %q[x]\n\t"
      : [x] "+w"(x), [scales] "=&w"(scales), [shifts] "=&w"(shifts)
      : [scale] "r"(scale), [shift] "r"(shift), [index] "w"(index), [zero] "r"(zero)
      : "memory");
#endif
  return x;
}

/* A number for each of four units; those that are not there repeat the last one. */
static inline byoc_quad_t each(int32_t there, int32_t step) {
  return byoc_quad(0, there > 1 ? step : 0, (there > 2 ? 2 : there - 1) * step, (there > 3 ? 3 : there - 1) * step);
}

void BYOC_SYMBOL(const byoc_fully_connected_s8_t* p, const int8_t* in, int8_t* out) {
  /* A copy, which the stores of results cannot change. */
  const byoc_requant_t r = p->requant;
  const int32_t depth = p->depth, units = p->units, rest = units & 3, step = 4 * r.step;
  const byoc_quad_t lanes = each(4, 1), index = each(4, r.step);
  int8_t* const start = out;
  int32_t row, n, i;
  for (row = p->rows; row > 0; --row, in += depth) {
    const int8_t* w = p->weights;
    const int32_t *bias = r.bias, *scale = (const int32_t*)r.scale;
    const int8_t* shift = r.shift;
    const int8_t* rows[4];
    byoc_quad_t x;
    for (n = units >> 2; n > 0; --n, bias += 4, scale += step, shift += step, out += 4) {
      rows[0] = w;
      rows[1] = w + depth;
      rows[2] = rows[1] + depth;
      rows[3] = rows[2] + depth;
      x = byoc_dot_4(in, rows, depth, bias);
      byoc_store_quad(requantise_units(x, scale, shift, index, r.zero), out, lanes);
      w = rows[3] + depth;
    }
    if (rest) {
      int32_t sums[4];
      for (i = 0; i < 4; ++i) {
        const int32_t unit = i < rest ? i : rest - 1;
        rows[i] = w + unit * depth;
        sums[i] = bias[unit];
      }
      x = byoc_dot_4(in, rows, depth, sums);
      byoc_store_quad(requantise_units(x, scale, shift, each(rest, r.step), r.zero), out, each(rest, 1));
      out += rest;
    }
  }
  byoc_narrow_mve(r.min, r.max, start, p->rows * units);
}
