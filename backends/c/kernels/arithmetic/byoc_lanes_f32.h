/* Vectors of BYOC_LANES floats, for compilers that have such types: GCC and Clang. */
#ifndef BYOC_LANES_F32_H
#define BYOC_LANES_F32_H

#include "byoc_kernel.h"
#include "byoc_mac_f32.h"

typedef float byoc_lanes_t __attribute__((vector_size(4 * BYOC_LANES)));

static inline byoc_lanes_t byoc_load_lanes(const float* from) {
  byoc_lanes_t v;
  memcpy(&v, from, sizeof v);
  return v;
}

static inline void byoc_store_lanes(float* to, byoc_lanes_t v) { memcpy(to, &v, sizeof v); }

/* sum + a * b, see byoc_mac_f32.h */
static inline byoc_lanes_t byoc_mac_lanes(byoc_lanes_t sum, byoc_lanes_t a, byoc_lanes_t b) {
#if defined(BYOC_FUSED_MAC)
  int i;
  for (i = 0; i < BYOC_LANES; ++i) BYOC_MAC(sum[i], a[i], b[i]);
  return sum;
#else
  return sum + a * b;
#endif
}

/* One factor in all lanes. */
static inline byoc_lanes_t byoc_all_lanes(float f) {
  const byoc_lanes_t zeros = {0};
  return f - zeros;
}

#endif
