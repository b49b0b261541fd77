/*
 * Elements of fewer bits than C has types for. A format of a float is (E, M, BIAS, SPECIALS): bits of exponent and
 * mantissa, the exponent's bias, and what the ends of the range mean, BYOC_SPECIAL_*. They are constants where these
 * functions are used, so that little is left of them.
 */
#ifndef BYOC_SMALL_H
#define BYOC_SMALL_H

#include "byoc_element.h"

#define BYOC_SPECIAL_IEEE 0          /* the largest exponent: infinity, NaN */
#define BYOC_SPECIAL_NAN 1           /* all bits but the sign: NaN */
#define BYOC_SPECIAL_UNSIGNED_ZERO 2 /* the sign alone: NaN */
#define BYOC_SPECIAL_NONE 3          /* all are numbers */

/* Bits of element i of a packed array: the first is in the lowest bits of its byte. `bits`: 8, 4, 2. */
static inline uint32_t byoc_field(const uint8_t* p, byoc_offset_t i, int32_t bits) {
  const byoc_offset_t in_byte = 8 / bits;
  return (uint32_t)p[i / in_byte] >> (int32_t)(i % in_byte) * bits & (((uint32_t)1 << bits) - 1u);
}
/* As byoc_field, for an integer with a sign. */
static inline int32_t byoc_signed_field(const uint8_t* p, byoc_offset_t i, int32_t bits) {
  const int32_t sign = (int32_t)((uint32_t)1 << (bits - 1));
  return ((int32_t)byoc_field(p, i, bits) ^ sign) - sign;
}
/* Elements are written in their order, a byte at a time: `pending` has those before i of the same byte. */
static inline void byoc_put_field(uint8_t* p, uint32_t* pending, int32_t i, int32_t count, int32_t bits,
                                  uint32_t code) {
  const int32_t in_byte = 8 / bits, at = i & (in_byte - 1);
  *pending = (at == 0 ? 0u : *pending) | (code & (((uint32_t)1 << bits) - 1u)) << at * bits;
  if (at == in_byte - 1 || i == count - 1) p[i / in_byte] = (uint8_t)*pending;
}

static inline float byoc_load_small(uint32_t code, int32_t e, int32_t m, int32_t bias, int32_t specials) {
  const uint32_t all = ((uint32_t)1 << (e + m)) - 1u, rest = code & all;
  const uint32_t sign = (code & ~all) << (31 - e - m);
  if (specials == BYOC_SPECIAL_NAN ? rest == all : specials == BYOC_SPECIAL_UNSIGNED_ZERO && code == all + 1u)
    return byoc_float_of_bits(0x7fc00000u);
  if (specials == BYOC_SPECIAL_IEEE && rest >> m == all >> m)
    return byoc_float_of_bits(sign | 0x7f800000u | (rest & (((uint32_t)1 << m) - 1u)) << (23 - m));
  /* Below the normal range an element is so many times the smallest. */
  if (rest >> m == 0u)
    return byoc_float_of_bits(sign |
                              byoc_bits_of_float((float)rest * byoc_float_of_bits((uint32_t)(128 - bias - m) << 23)));
  return byoc_float_of_bits(sign | ((rest << (23 - m)) + ((uint32_t)(127 - bias) << 23)));
}

/* To the nearest, ties to even; what is beyond the range saturates, or becomes infinity, NaN where there is none. */
static inline uint32_t byoc_store_small(float f, int32_t e, int32_t m, int32_t bias, int32_t specials,
                                        int32_t saturate) {
  const uint32_t bits = byoc_bits_of_float(f), all = ((uint32_t)1 << (e + m)) - 1u;
  const uint32_t sign = bits >> 31 << (e + m), magnitude = bits & 0x7fffffffu;
  const uint32_t largest = specials == BYOC_SPECIAL_IEEE  ? all - ((uint32_t)1 << m)
                           : specials == BYOC_SPECIAL_NAN ? all - 1u
                                                          : all;
  uint32_t code;
  if (magnitude > 0x7f800000u)
    return specials == BYOC_SPECIAL_IEEE  ? all - (((uint32_t)1 << (m - 1)) - 1u)
           : specials == BYOC_SPECIAL_NAN ? all
                                          : all + 1u;
  if (magnitude < (uint32_t)(128 - bias) << 23) {
    /* Below the normal range the smallest element is 1 here: the last bit of a float from 2^23 on, so the sum rounds.
     */
    const float steps = byoc_float_of_bits(magnitude) * byoc_float_of_bits((uint32_t)(126 + bias + m) << 23);
    code = byoc_bits_of_float(steps + 8388608.0f) - 0x4b000000u;
  } else {
    code = (magnitude + ((uint32_t)1 << (22 - m)) - 1u + (magnitude >> (23 - m) & 1u)) >> (23 - m);
    code -= (uint32_t)(127 - bias) << m;
  }
  if (code > largest) {
    if (saturate || specials == BYOC_SPECIAL_NONE)
      code = largest;
    else if (specials == BYOC_SPECIAL_UNSIGNED_ZERO)
      return all + 1u;
    else
      code = largest + 1u;
  }
  return specials == BYOC_SPECIAL_UNSIGNED_ZERO && code == 0u ? 0u : sign | code;
}

/* Powers of two without sign, 2^(code - 127), and NaN. */
static inline float byoc_load_scale(uint32_t code) {
  return byoc_float_of_bits(code == 255u ? 0x7fc00000u : code == 0u ? 0x00400000u : code << 23);
}

#define BYOC_SCALE_UP 0
#define BYOC_SCALE_DOWN 1
#define BYOC_SCALE_NEAREST 2 /* from the middle on up */

static inline uint32_t byoc_store_scale(float f, int32_t mode, int32_t saturate) {
  const uint32_t bits = byoc_bits_of_float(f), fraction = bits & 0x7fffffu;
  const int32_t in_range = bits >= 0x00400000u && bits <= 0x7f000000u;
  /* NaN, negative numbers but -0; what is out of range where it does not saturate. */
  if ((bits & 0x7fffffffu) > 0x7f800000u || bits > 0x80000000u || (!saturate && !in_range)) return 255u;
  if (bits > 0x7f000000u && bits != 0x80000000u) return 254u;
  if (!in_range) return 0u;
  /* 2^-127 has the exponent 0 in a float, too, with a fraction of a half. */
  if (bits < 0x00800000u)
    return mode == BYOC_SCALE_UP ? fraction > 0x400000u : mode == BYOC_SCALE_NEAREST && fraction >= 0x600000u;
  return (bits >> 23) + (mode == BYOC_SCALE_UP ? fraction != 0u : mode == BYOC_SCALE_NEAREST && fraction >= 0x400000u);
}

#endif
