/*
 * What the MVE kernels share, in assembly: the same instructions from every compiler, and no <arm_mve.h>, which takes
 * longer to read than a kernel to compile.
 */
#ifndef BYOC_MVE_H
#define BYOC_MVE_H

#if !defined(__ARM_FEATURE_MVE)
#error "this kernel needs MVE (Armv8.1-M with the M-profile vector extension)"
#endif
#if defined(BYOC_REQUANT_ONNX) && !(__ARM_FEATURE_MVE & 2)
#error "this kernel needs the floating-point form of MVE"
#endif

#include "byoc_requant.h"

/* A vector of four int32. */
typedef int32_t byoc_quad_t __attribute__((vector_size(16)));

/* A channel's scale as the vector instructions take it. */
typedef struct byoc_channel_mve_t {
  int32_t scale; /* multiplier, or the bits of the float */
  int32_t shift; /* below 0; otherwise take byoc_requantise_any */
} byoc_channel_mve_t;

static inline byoc_channel_mve_t byoc_channel_mve(const byoc_requant_t* r, int32_t channel) {
  const int32_t at = channel * r->step;
  byoc_channel_mve_t c;
  memcpy(&c.scale, (const int32_t*)r->scale + at, sizeof c.scale);
#if defined(BYOC_REQUANT_ONNX)
  c.shift = -1;
#elif defined(BYOC_REQUANT_EXACT)
  c.shift = r->shift[at] + 1; /* of the high word; one that tells of ties is above 0 */
#else
  c.shift = r->shift[at];
#endif
  return c;
}

/*
 * Four sums x of a channel to `to`, scaled, without the zero point; x is lost. TFLite: the accumulation of vqrdmlah
 * is the first rounding to the bit, of a product that the sign has lowered by one below zero: vrshl rounds halves up,
 * and that makes it halves away from zero for right shifts of at least one. Exact: the high word of the product is all
 * that halves upwards need.
 */
#if defined(BYOC_REQUANT_ONNX)
#define BYOC_SCALE_QUAD_BY(to, x, scale, shift) \
  "vcvt.f32.s32 " x ", " x                      \
  "\n\t"                                        \
  "vmul.f32 " x ", " x ", " scale               \
  "\n\t"                                        \
  "vcvtn.s32.f32 " to ", " x "\n\t"
#elif defined(BYOC_REQUANT_EXACT)
#define BYOC_SCALE_QUAD_BY(to, x, scale, shift) \
  "vdup.32 " to ", " scale                      \
  "\n\t"                                        \
  "vmulh.s32 " to ", " x ", " to                \
  "\n\t"                                        \
  "vrshl.s32 " to ", " shift "\n\t"
#else
#define BYOC_SCALE_QUAD_BY(to, x, scale, shift) \
  "vshr.s32 " to ", " x                         \
  ", #31\n\t"                                   \
  "vqrdmlah.s32 " to ", " x ", " scale          \
  "\n\t"                                        \
  "vrshl.s32 " to ", " shift "\n\t"
#endif
#if !defined(BYOC_REQUANT_ONNX) && !defined(BYOC_REQUANT_EXACT)
/* The same where results below the zero point do not matter: halves of sums below zero may go up, too. */
#define BYOC_SCALE_QUAD_UP_BY(to, x, scale, shift) \
  "vqrdmulh.s32 " to ", " x ", " scale             \
  "\n\t"                                           \
  "vrshl.s32 " to ", " shift "\n\t"
#define BYOC_SCALE_QUAD_UP(to, x) BYOC_SCALE_QUAD_UP_BY("%q[" to "]", "%q[" x "]", "%[scale]", "%[shift]")
#endif
#define BYOC_SCALE_QUAD(to, x) BYOC_SCALE_QUAD_BY("%q[" to "]", "%q[" x "]", "%[scale]", "%[shift]")

/* True if results below the zero point do not matter: the activation, or the type, has none. */
static inline int32_t byoc_is_up(const byoc_requant_t* r) { return r->zero <= (r->min < -128 ? -128 : r->min); }

/* Four sums of a channel to results, one in the lowest byte of each lane, saturated. */
static inline byoc_quad_t byoc_requantise_quad(byoc_quad_t x, byoc_channel_mve_t channel, int32_t zero) {
  byoc_quad_t y;
  __asm__(BYOC_SCALE_QUAD("y", "x")
          "vqadd.s32 %q[y], %q[y], %[zero]\n\t"
          "vqmovnb.s32 %q[y], %q[y]\n\t"
          "vqmovnb.s16 %q[y], %q[y]\n\t"
          : [y] "=&w"(y), [x] "+w"(x)
          : [scale] "r"(channel.scale), [shift] "r"(channel.shift), [zero] "r"(zero));
  return y;
}

static inline byoc_quad_t byoc_quad(int32_t a, int32_t b, int32_t c, int32_t d) {
  byoc_quad_t x;
  __asm__(
      "vmov %q0[2], %q0[0], %1, %3\n\t"
      "vmov %q0[3], %q0[1], %2, %4"
      : "=&w"(x)
      : "r"(a), "r"(b), "r"(c), "r"(d));
  return x;
}

/* The lowest bytes of the lanes to out + offsets. */
static inline void byoc_store_quad(byoc_quad_t x, int8_t* out, byoc_quad_t offsets) {
  __asm__ volatile("vstrb.32 %q0, [%1, %q2]" : : "w"(x), "r"(out), "w"(offsets) : "memory");
}

/* Any channel, out of line: for the few with a scale of 1/2 or more. */
static __attribute__((noinline, unused)) int32_t byoc_requantise_any(const byoc_requant_t* r, int32_t channel,
                                                                     int32_t acc) {
  return byoc_requantise(r, channel, (uint32_t)acc);
}

/* n > 0 bytes. */
static inline void byoc_fill_mve(int8_t* to, int32_t value, int32_t n) {
  __asm__ volatile(
      "vdup.8 q0, %[value]\n\t"
      "dlstp.8 lr, %[n]\n\t"
      "1:\n\t"
      "vstrb.8 q0, [%[to]], #16\n\t"
      "letp lr, 1b\n\t"
      : [to] "+&r"(to)
      : [n] "r"(n), [value] "r"(value)
      : "q0", "lr", "cc", "memory");
}

/* The activation's clamp of `n` results that were saturated only. */
static inline void byoc_narrow_mve(int32_t min, int32_t max, int8_t* y, int32_t n) {
  if (min <= -128 && max >= 127) return;
  /* Inputs: y: n > 0 results, min and max: of the activation.
     Outputs: y: behind the last vector.
     Clobbers: q0 to q2, lr, flags; n bytes at y.
     Holds: each byte becomes min(max(it, min), max); the last vector is predicated by LETP. */
  __asm__ volatile(
      "vdup.8 q1, %[min]\n\t"
      "vdup.8 q2, %[max]\n\t"
      "dlstp.8 lr, %[n]\n\t"
      "1:\n\t"
      "vldrb.u8 q0, [%[y]]\n\t"
      "vmax.s8 q0, q0, q1\n\t"
      "vmin.s8 q0, q0, q2\n\t"
      "vstrb.8 q0, [%[y]], #16\n\t"
      "letp lr, 1b\n\t"
      : [y] "+&r"(y)
      : [n] "r"(n), [min] "r"(min), [max] "r"(max)
      : "q0", "q1", "q2", "lr", "cc", "memory");
}

#endif
