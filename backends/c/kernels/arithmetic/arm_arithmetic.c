/* Functions of the Run-time ABI for the Arm Architecture (section 4) that compilers call on cores without a long
 * multiplication, division, and shifts of 64 bits: x / 0 is 0. They are weak: those of the compiler's library take
 * their place where both are linked whole. */
#include <stdint.h>

/* The library finds these functions by this one. */
void BYOC_SYMBOL(void);
void BYOC_SYMBOL(void) {}

#define LOW(x) ((uint32_t)(x))
#define HIGH(x) ((uint32_t)((x) >> 32))
#define JOIN(high, low) ((uint64_t)(high) << 32 | (low))

__attribute__((weak)) uint64_t __aeabi_lmul(uint64_t a, uint64_t b) {
  const uint32_t a0 = LOW(a) & 0xffffu, a1 = LOW(a) >> 16, b0 = LOW(b) & 0xffffu, b1 = LOW(b) >> 16;
  const uint32_t low = a0 * b0, middle = a1 * b0 + (low >> 16), upper = a0 * b1 + (middle & 0xffffu);
  const uint32_t high = a1 * b1 + (middle >> 16) + (upper >> 16) + LOW(a) * HIGH(b) + HIGH(a) * LOW(b);
  return JOIN(high, upper << 16 | (low & 0xffffu));
}

__attribute__((weak)) uint64_t __aeabi_llsl(uint64_t x, int32_t n) {
  if (n == 0) return x;
  if (n >= 32) return JOIN(n < 64 ? LOW(x) << (n - 32) : 0u, 0u);
  return JOIN(HIGH(x) << n | LOW(x) >> (32 - n), LOW(x) << n);
}

__attribute__((weak)) uint64_t __aeabi_llsr(uint64_t x, int32_t n) {
  if (n == 0) return x;
  if (n >= 32) return n < 64 ? HIGH(x) >> (n - 32) : 0u;
  return JOIN(HIGH(x) >> n, LOW(x) >> n | HIGH(x) << (32 - n));
}

__attribute__((weak)) uint64_t __aeabi_lasr(uint64_t x, int32_t n) {
  const uint32_t sign = (uint32_t)((int32_t)HIGH(x) >> 31), top = (uint32_t)((int32_t)HIGH(x) >> (n < 31 ? n : 31));
  if (n == 0) return x;
  if (n >= 32) return JOIN(sign, (uint32_t)((int32_t)HIGH(x) >> (n < 63 ? n - 32 : 31)));
  return JOIN(top, LOW(x) >> n | HIGH(x) << (32 - n));
}

/* The quotient, and above it the remainder. */
static uint64_t divide(uint32_t a, uint32_t b) {
  uint32_t quotient = 0, rest = 0;
  int32_t bit;
  if (b == 0) return 0;
  for (bit = 31; bit >= 0; --bit) {
    rest = rest << 1 | (a >> bit & 1u);
    if (rest < b) continue;
    rest -= b;
    quotient |= (uint32_t)1 << bit;
  }
  return JOIN(rest, quotient);
}

static uint32_t magnitude(int32_t x) { return x < 0 ? 0u - (uint32_t)x : (uint32_t)x; }

__attribute__((weak)) uint64_t __aeabi_uidivmod(uint32_t a, uint32_t b) { return divide(a, b); }
__attribute__((weak)) uint32_t __aeabi_uidiv(uint32_t a, uint32_t b) { return LOW(divide(a, b)); }

__attribute__((weak)) uint64_t __aeabi_idivmod(int32_t a, int32_t b) {
  const uint64_t both = divide(magnitude(a), magnitude(b));
  const uint32_t quotient = (a < 0) != (b < 0) ? 0u - LOW(both) : LOW(both);
  return JOIN(a < 0 ? 0u - HIGH(both) : HIGH(both), quotient);
}
__attribute__((weak)) int32_t __aeabi_idiv(int32_t a, int32_t b) {
  const uint32_t quotient = LOW(divide(magnitude(a), magnitude(b)));
  return (int32_t)((a < 0) != (b < 0) ? 0u - quotient : quotient);
}
