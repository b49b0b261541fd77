#include "byoc_signal.h"
#include "byoc_signal_bits.h"

/* The root bit by bit: `root` is twice as far to the left as what is left of x. The result is rounded. */
static uint32_t root_32(uint32_t x) {
  uint32_t root = 0u, bit;
  if (x == 0u) return 0u;
  for (bit = (uint32_t)1 << ((byoc_bit_width(x) - 1) & ~1); bit != 0u; bit >>= 2) {
    const uint32_t tried = root + bit;
    root >>= 1;
    if (x >= tried) {
      x -= tried;
      root += bit;
    }
  }
  return x > root && root != 0xffffu ? root + 1u : root;
}

static uint32_t root_64(uint64_t x) {
  uint64_t root = 0u, bit;
  const uint32_t high = (uint32_t)(x >> 32);
  if (high == 0u) return root_32((uint32_t)x);
  for (bit = (uint64_t)1 << (32 + ((byoc_bit_width(high) - 1) & ~1)); bit != 0u; bit >>= 2) {
    const uint64_t tried = root + bit;
    root >>= 1;
    if (x >= tried) {
      x -= tried;
      root += bit;
    }
  }
  return (uint32_t)(x > root && root != 0xffffffffu ? root + 1u : root);
}

BYOC_SIGNAL_FILTER_BANK_SQUARE_ROOT(BYOC_SYMBOL) {
  const int32_t down = *shift;
  int32_t i;
  for (i = 0; i < n; ++i) y[i] = down < 0 || down > 31 ? 0u : root_64(x[i]) >> down;
}
