#include "byoc_signal.h"
#include "byoc_signal_bits.h"

BYOC_SIGNAL_FFT_AUTO_SCALE(BYOC_SYMBOL) {
  int16_t loudest = 0; /* -32768 stays what it is, as it does in the reference, and everything after it is louder */
  int32_t i, bits;
  for (i = 0; i < n; ++i) {
    const int32_t v = x[i];
    if (v > loudest)
      loudest = (int16_t)v;
    else if (-v > loudest)
      loudest = (int16_t)-v;
  }
  bits = 15 - byoc_bit_width((uint32_t)(int32_t)loudest);
  if (bits < 0) bits = 0;
  for (i = 0; i < n; ++i) y[i] = (int16_t)((int32_t)x[i] * ((int32_t)1 << bits));
  if (shift) *shift = bits;
}
