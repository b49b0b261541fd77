/* Functions of four floats at once (Armv8.1-M MVE): no branches, no tables. Arguments are reduced as in Cody and Waite,
   "Software Manual for the Elementary Functions" (1980), chapters 5 and 6; polynomials are those whose largest error
   over the interval is least. Errors in units of the last place: e^x, erf and ln 1, tanh and sigmoid 2, e^x - 1
   3, ln(1 + e^x) 4, Mish 5; gelu is off by 6e-8 at most below 0, where it is near 0. NaN stays; a result that is
   subnormal is zero, as all of MVE's are. */
#ifndef BYOC_FUNCTIONS_F32_MVE_H
#define BYOC_FUNCTIONS_F32_MVE_H

#include "byoc_vector_f32_mve.h"

static inline float32x4_t byoc_divide_vector(float32x4_t a, float32x4_t b) {
  /* There is no instruction for it but that of one float. */
  float32x4_t out = a;
  out[0] = a[0] / b[0];
  out[1] = a[1] / b[1];
  out[2] = a[2] / b[2];
  out[3] = a[3] / b[3];
  return out;
}

/* The lanes that are not a number. Clang 19 takes a comparison of a vector with itself for one that never fails. */
static inline mve_pred16_t byoc_is_nan_vector(float32x4_t v) {
  float32x4_t same = v;
  __asm__("" : "+w"(same));
  return vcmpneq_f32(v, same);
}

/* A NaN of either stays one. */
static inline float32x4_t byoc_most_vector(float32x4_t a, float32x4_t b) {
  return vpselq_f32(b, vpselq_f32(b, a, vcmpgtq_f32(b, a)), byoc_is_nan_vector(b));
}
static inline float32x4_t byoc_least_vector(float32x4_t a, float32x4_t b) {
  return vpselq_f32(a, vpselq_f32(a, b, vcmpgtq_f32(b, a)), byoc_is_nan_vector(a));
}

/* `below` where v is negative or not a number, else v. */
static inline float32x4_t byoc_below_zero_vector(float32x4_t v, float32x4_t below) {
  return vpselq_f32(v, below, vcmpgeq_n_f32(v, 0.0f));
}

/* v in [0, 1]; not-a-number stays. */
static inline float32x4_t byoc_unit_vector(float32x4_t v) { return byoc_at_most(byoc_at_least(v, 0.0f), 1.0f); }

static inline float32x4_t byoc_power_of_two_vector(int32x4_t n) {
  return vreinterpretq_f32_s32(vshlq_n_s32(vaddq_n_s32(n, 127), 23));
}

/* x = n ln 2 + r with |r| <= ln 2 / 2; 2^n in two factors, for it may be no normal float. */
static inline float32x4_t byoc_exp_vector(float32x4_t x) {
  const float32x4_t clamped = byoc_at_most(byoc_at_least(x, -104.0f), 89.0f);
  /* Added to this there are no bits left behind the point. */
  const float32x4_t whole = vdupq_n_f32(12582912.0f);
  const float32x4_t n = vsubq_f32(vfmaq_n_f32(whole, clamped, 1.44269504f), whole);
  float32x4_t r = vfmaq_n_f32(vfmaq_n_f32(clamped, n, -0.693359375f), n, 2.12194440e-4f);
  float32x4_t p = vfmasq_n_f32(r, vdupq_n_f32(1.0f / 5040), 1.0f / 720);
  int32x4_t exponent = vcvtq_s32_f32(n), half = vshrq_n_s32(exponent, 1);
  p = vfmasq_n_f32(p, r, 1.0f / 120);
  p = vfmasq_n_f32(p, r, 1.0f / 24);
  p = vfmasq_n_f32(p, r, 1.0f / 6);
  p = vfmasq_n_f32(p, r, 0.5f);
  p = vfmasq_n_f32(p, r, 1.0f);
  p = vfmasq_n_f32(p, r, 1.0f);
  p = vmulq_f32(p, byoc_power_of_two_vector(half));
  return vmulq_f32(p, byoc_power_of_two_vector(vsubq_s32(exponent, half)));
}

/* e^x - 1 of x <= 0; of others it is 0. 2^n (e^r - 1) + (2^n - 1): nothing is lost near 0, where n is. */
static inline float32x4_t byoc_exp_less_one_vector(float32x4_t x) {
  const float32x4_t clamped = byoc_at_most(byoc_at_least(x, -30.0f), 0.0f);
  const float32x4_t whole = vdupq_n_f32(12582912.0f);
  const float32x4_t n = vsubq_f32(vfmaq_n_f32(whole, clamped, 1.44269504f), whole);
  const float32x4_t r = vfmaq_n_f32(vfmaq_n_f32(clamped, n, -0.693359375f), n, 2.12194440e-4f);
  const float32x4_t power = byoc_power_of_two_vector(vcvtq_s32_f32(n));
  float32x4_t p = vfmasq_n_f32(r, vdupq_n_f32(1.0f / 5040), 1.0f / 720);
  p = vfmasq_n_f32(p, r, 1.0f / 120);
  p = vfmasq_n_f32(p, r, 1.0f / 24);
  p = vfmasq_n_f32(p, r, 1.0f / 6);
  p = vfmasq_n_f32(p, r, 0.5f);
  p = vfmaq_f32(r, vmulq_f32(p, r), r);
  return vfmaq_f32(vsubq_f32(power, vdupq_n_f32(1.0f)), power, p);
}

static inline float32x4_t byoc_sigmoid_vector(float32x4_t x) {
  return byoc_divide_vector(vdupq_n_f32(1.0f), vaddq_n_f32(byoc_exp_vector(vnegq_f32(x)), 1.0f));
}

/* `magnitude` with the sign of x. */
static inline float32x4_t byoc_with_sign_vector(float32x4_t magnitude, float32x4_t x) {
  const uint32x4_t sign = vandq_u32(vreinterpretq_u32_f32(x), vdupq_n_u32(0x80000000u));
  return vreinterpretq_f32_u32(vorrq_u32(vreinterpretq_u32_f32(magnitude), sign));
}

static inline float32x4_t byoc_tanh_vector(float32x4_t x) {
  const float32x4_t magnitude = vabsq_f32(x), square = vmulq_f32(x, x);
  const float32x4_t power = byoc_exp_vector(vmulq_n_f32(byoc_at_most(magnitude, 10.0f), 2.0f));
  const float32x4_t rest = byoc_divide_vector(vdupq_n_f32(2.0f), vaddq_n_f32(power, 1.0f));
  const float32x4_t far = byoc_with_sign_vector(vsubq_f32(vdupq_n_f32(1.0f), rest), x);
  float32x4_t p = vfmasq_n_f32(square, vdupq_n_f32(-0.005717045f), 0.020650588f);
  p = vfmasq_n_f32(p, square, -0.0537434965f);
  p = vfmasq_n_f32(p, square, 0.133314908f);
  p = vfmasq_n_f32(p, square, -0.333332837f);
  p = vfmaq_f32(x, vmulq_f32(p, square), x);
  return vpselq_f32(far, p, vcmpgtq_n_f32(magnitude, 0.625f));
}

/* 1 - erf x of 0.95 <= x <= 3.95, and of larger ones that of 3.95. */
static inline float32x4_t byoc_erfc_far_vector(float32x4_t x) {
  const float32x4_t t = byoc_at_most(x, 3.95f);
  float32x4_t p = vfmasq_n_f32(t, vdupq_n_f32(-0.000192425097f), 0.00300852815f);
  p = vfmasq_n_f32(p, t, -0.0220876075f);
  p = vfmasq_n_f32(p, t, 0.10364026f);
  p = vfmasq_n_f32(p, t, 0.637517095f);
  p = vfmasq_n_f32(p, t, 1.1274749f);
  p = vfmasq_n_f32(p, t, 0.000244723313f);
  return byoc_exp_vector(vnegq_f32(p));
}

/* erf x of |x| <= 0.95 */
static inline float32x4_t byoc_erf_near_vector(float32x4_t x) {
  const float32x4_t square = vmulq_f32(x, x);
  float32x4_t q = vfmasq_n_f32(square, vdupq_n_f32(8.185093611e-5f), -0.000809770369f);
  q = vfmasq_n_f32(q, square, 0.00519695226f);
  q = vfmasq_n_f32(q, square, -0.0268577058f);
  q = vfmasq_n_f32(q, square, 0.112836637f);
  q = vfmasq_n_f32(q, square, -0.376126319f);
  q = vfmasq_n_f32(q, square, 0.128379166f);
  return vfmaq_f32(x, q, x);
}

static inline float32x4_t byoc_erf_vector(float32x4_t x) {
  const float32x4_t magnitude = vabsq_f32(x);
  const float32x4_t far = vsubq_f32(vdupq_n_f32(1.0f), byoc_erfc_far_vector(magnitude));
  return vpselq_f32(byoc_with_sign_vector(far, x), byoc_erf_near_vector(x), vcmpgtq_n_f32(magnitude, 0.95f));
}

/* x (1 + erf z) / 2 with z = x / sqrt 2: no difference of nearly equal numbers where z is far below 0. */
static inline float32x4_t byoc_gelu_vector(float32x4_t x) {
  const float32x4_t z = vmulq_n_f32(x, 0.707106781f), magnitude = vabsq_f32(z), zero = vdupq_n_f32(0.0f);
  const float32x4_t tail = vpselq_f32(zero, byoc_erfc_far_vector(magnitude), vcmpgtq_n_f32(magnitude, 3.95f));
  const float32x4_t far = vpselq_f32(vsubq_f32(vdupq_n_f32(2.0f), tail), tail, vcmpgtq_n_f32(z, 0.0f));
  const float32x4_t near = vaddq_n_f32(byoc_erf_near_vector(z), 1.0f);
  return vmulq_f32(vmulq_n_f32(x, 0.5f), vpselq_f32(far, near, vcmpgtq_n_f32(magnitude, 0.95f)));
}

/* x (1 + tanh z) / 2 with z = sqrt(2 / pi) (x + 0.044715 x^3) is x / (1 + e^-2z). */
static inline float32x4_t byoc_gelu_tanh_vector(float32x4_t x) {
  const float32x4_t cubic = vfmaq_f32(x, vmulq_n_f32(vmulq_f32(x, x), 0.044715f), x);
  return byoc_divide_vector(x, vaddq_n_f32(byoc_exp_vector(vmulq_n_f32(cubic, -1.59576912f)), 1.0f));
}

/* ln(1 + f) - f + f^2 / 2, of sqrt(1/2) - 1 <= f <= sqrt 2 - 1. */
static inline float32x4_t byoc_cubes_of_log_vector(float32x4_t f, float32x4_t square) {
  float32x4_t p = vfmasq_n_f32(f, vdupq_n_f32(-0.07634499f), 0.12761578f);
  p = vfmasq_n_f32(p, f, -0.131601826f);
  p = vfmasq_n_f32(p, f, 0.142017573f);
  p = vfmasq_n_f32(p, f, -0.166233569f);
  p = vfmasq_n_f32(p, f, 0.200012266f);
  p = vfmasq_n_f32(p, f, -0.250008196f);
  p = vfmasq_n_f32(p, f, 0.333333313f);
  return vmulq_f32(vmulq_f32(p, f), square);
}

/* x = 2^e (1 + f) with sqrt(1/2) <= 1 + f < sqrt 2; the bits of sqrt(1/2) taken off, the exponent is e. A subnormal is
   the integer of its bits times 2^-149: as a float it would be zero. */
static inline float32x4_t byoc_log_vector(float32x4_t x) {
  const int32x4_t given = vreinterpretq_s32_f32(x), root = vdupq_n_s32(0x3f3504f3);
  const mve_pred16_t is_small = vcmpgtq_s32(vdupq_n_s32(0x00800000), given);
  int32x4_t magnitude = vandq_s32(given, vdupq_n_s32(0x7fffffff));
  /* Or clang compares floats with zero, to which subnormals are equal. */
  __asm__("" : "+w"(magnitude));
  const float32x4_t normal = vpselq_f32(vcvtq_f32_s32(given), x, is_small);
  const int32x4_t bits = vsubq_s32(vreinterpretq_s32_f32(normal), root);
  const int32x4_t fraction = vaddq_s32(vandq_s32(bits, vdupq_n_s32(0x007fffff)), root);
  const float32x4_t whole = vcvtq_f32_s32(vshrq_n_s32(bits, 23));
  const float32x4_t e = vpselq_f32(vsubq_f32(whole, vdupq_n_f32(149.0f)), whole, is_small);
  const float32x4_t f = vsubq_f32(vreinterpretq_f32_s32(fraction), vdupq_n_f32(1.0f)), square = vmulq_f32(f, f);
  float32x4_t p = byoc_cubes_of_log_vector(f, square);
  p = vfmaq_n_f32(p, e, -2.12194440e-4f);
  p = vfmaq_n_f32(p, square, -0.5f);
  p = vfmaq_n_f32(vaddq_f32(f, p), e, 0.693359375f);
  p = vpselq_f32(x, p, vcmpgtq_n_s32(given, 0x7f7fffff)); /* infinity and NaN */
  p = vpselq_f32(vdupq_n_f32(NAN), p, vcmpltq_n_s32(given, 0));
  return vpselq_f32(vdupq_n_f32(-INFINITY), p, vcmpeqq_n_s32(magnitude, 0));
}

/* ln(1 + e^x) = max(x, 0) + ln(1 + t) with t = e^-|x|: 1 + t is 1 + f, or above sqrt 2 twice that. */
static inline float32x4_t byoc_softplus_vector(float32x4_t x) {
  const float32x4_t t = byoc_exp_vector(vnegq_f32(vabsq_f32(x)));
  const mve_pred16_t is_large = vcmpgtq_n_f32(t, 0.41421356f);
  const float32x4_t half = vfmasq_n_f32(t, vdupq_n_f32(0.5f), -0.5f), f = vpselq_f32(half, t, is_large);
  const float32x4_t square = vmulq_f32(f, f);
  float32x4_t p = vfmaq_n_f32(byoc_cubes_of_log_vector(f, square), square, -0.5f);
  p = vaddq_f32(p, vpselq_f32(vdupq_n_f32(0.693147182f), vdupq_n_f32(0.0f), is_large));
  return vaddq_f32(byoc_at_least(x, 0.0f), vaddq_f32(f, p));
}

/* x tanh(ln(1 + e^x)) = x n / (n + 2) with n = t (t + 2), t = e^x; from 20 on it is x. */
static inline float32x4_t byoc_mish_vector(float32x4_t x) {
  const float32x4_t t = byoc_exp_vector(byoc_at_most(x, 20.0f)), n = vmulq_f32(t, vaddq_n_f32(t, 2.0f));
  return vmulq_f32(x, byoc_divide_vector(n, vaddq_n_f32(n, 2.0f)));
}

#endif
