/* Sums of eight units or channels to their results with MVE, each with its own scale. */
#ifndef BYOC_UNITS_MVE_H
#define BYOC_UNITS_MVE_H

#include "byoc_mve.h"

/* Four sums without the bias to what is left to narrow: bias, scale and shift are at the first unit's, units `index`
   behind it, and their scales `step` times that. `right`: every shift is below 0. */
static inline byoc_quad_t byoc_scale_units(byoc_quad_t x, const byoc_requant_t* r, int32_t unit, byoc_quad_t index,
                                           int32_t right) {
  const int32_t* const scale = (const int32_t*)r->scale + unit * r->step;
  const int8_t* const shift = r->shift + unit * r->step;
  byoc_quad_t scales, shifts;
  __asm__(
      "vldrw.u32 %q[scales], [%[bias], %q[index], uxtw #2]\n\t"
      "vadd.i32 %q[x], %q[x], %q[scales]\n\t"
      : [x] "+&w"(x), [scales] "=&w"(scales)
      : [bias] "r"(r->bias + unit), [index] "w"(index)
      : "memory");
  index = r->step ? index : index ^ index;
#if defined(BYOC_REQUANT_ONNX)
  (void)right;
  (void)shift;
  (void)shifts;
  __asm__(
      "vldrw.u32 %q[scales], [%[scale], %q[index], uxtw #2]\n\t"
      "vcvt.f32.s32 %q[x], %q[x]\n\t"
      "vmul.f32 %q[x], %q[x], %q[scales]\n\t"
      "vcvtn.s32.f32 %q[x], %q[x]\n\t"
      : [x] "+&w"(x), [scales] "=&w"(scales)
      : [scale] "r"(scale), [index] "w"(index)
      : "memory");
#else
  __asm__(
      "vldrb.s32 %q[shifts], [%[shift], %q[index]]\n\t"
      "vldrw.u32 %q[scales], [%[scale], %q[index], uxtw #2]\n\t"
      : [scales] "=&w"(scales), [shifts] "=&w"(shifts)
      : [scale] "r"(scale), [shift] "r"(shift), [index] "w"(index)
      : "memory");
#if defined(BYOC_REQUANT_EXACT)
  /* Every scale is below 1/4 and without ties: see fits_vectors in the lowering. */
  (void)right;
  __asm__(
      "vadd.i32 %q[shifts], %q[shifts], %[one]\n\t"
      "vmulh.s32 %q[x], %q[x], %q[scales]\n\t"
      "vrshl.s32 %q[x], %q[x], %q[shifts]\n\t"
      : [x] "+&w"(x), [shifts] "+&w"(shifts)
      : [scales] "w"(scales), [one] "r"(1));
#else
  if (right) {
    __asm__(
        "vqrdmulh.s32 %q[x], %q[x], %q[scales]\n\t"
        "vshr.s32 %q[scales], %q[x], #31\n\t"
        "vadd.i32 %q[x], %q[x], %q[scales]\n\t"
        "vrshl.s32 %q[x], %q[x], %q[shifts]\n\t"
        : [x] "+&w"(x), [scales] "+&w"(scales)
        : [shifts] "w"(shifts));
  } else {
    /* Left shifts come first; the correction of halves below zero only where there is a right shift. */
    byoc_quad_t left;
    /* Inputs: x: sums with the bias; scales: Q31; shifts: to the left where > 0.
       Outputs: x: the results before narrowing; shifts: the right ones, <= 0.
       Clobbers: left.
       Holds: left = max(shifts, 0); x = round((x << left) * scales / 2^31) shifted by shifts - left, where halves
       below zero lose 1 if that is a right shift. */
    __asm__(
        "vmov.i32 %q[left], #0\n\t"
        "vmax.s32 %q[left], %q[left], %q[shifts]\n\t"
        "vshl.s32 %q[x], %q[x], %q[left]\n\t"
        "vsub.i32 %q[shifts], %q[shifts], %q[left]\n\t"
        "vqrdmulh.s32 %q[x], %q[x], %q[scales]\n\t"
        "vand %q[left], %q[x], %q[shifts]\n\t"
        "vshr.s32 %q[left], %q[left], #31\n\t"
        "vadd.i32 %q[x], %q[x], %q[left]\n\t"
        "vrshl.s32 %q[x], %q[x], %q[shifts]\n\t"
        : [x] "+&w"(x), [left] "=&w"(left), [shifts] "+&w"(shifts)
        : [scales] "w"(scales));
  }
#endif
#endif
  return x;
}

/* True if every scale is below 1/2; other forms than TFLite's do not ask. */
static inline int32_t byoc_only_right(const byoc_requant_t* r, int32_t units) {
  int32_t right = 1;
#if !defined(BYOC_REQUANT_ONNX) && !defined(BYOC_REQUANT_EXACT)
  int32_t i;
  BYOC_ROLLED
  for (i = r->step ? units - 1 : 0; i >= 0; --i) right &= r->shift[i] < 0;
#else
  (void)r;
  (void)units;
#endif
  return right;
}

/* The results of the first `there` of eight units: 0, 2, 4, 6 and 1, 3, 5, 7. */
static inline void byoc_store_units(byoc_quad_t even, byoc_quad_t odd, int32_t zero, int32_t there, int8_t* y) {
  /* Inputs: even, odd: units 0, 2, 4, 6 and 1, 3, 5, 7; zero; there: units that exist; y: room for them.
     Outputs: even: the results as halves.
     Clobbers: p0, which compilers do not keep; `there` bytes at y, at most 8.
     Holds: even + zero and odd + zero are saturated to int8 in the order of units; those from `there` on are not
     stored. */
  __asm__ volatile(
      "vqmovnb.s32 %q[even], %q[even]\n\t"
      "vqmovnt.s32 %q[even], %q[odd]\n\t"
      "vqadd.s16 %q[even], %q[even], %[zero]\n\t"
      "vqmovnb.s16 %q[even], %q[even]\n\t"
      "vctp.16 %[there]\n\t"
      "vpst\n\t"
      "vstrbt.16 %q[even], [%[y]]\n\t"
      : [even] "+&w"(even)
      : [odd] "w"(odd), [zero] "r"(zero), [there] "r"(there), [y] "l"(y)
      : "memory");
}

#endif
