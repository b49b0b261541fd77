#include "byoc_nearest.h"
#include "byoc_quantise_any.h"

void BYOC_SYMBOL(int32_t count, const float* x, uint8_t* y, float* scale, uint8_t* zero) {
  float low = 0.0f, high = 0.0f, step;
  int32_t i, centre;
  for (i = 0; i < count; ++i) {
    low = x[i] < low ? x[i] : low;
    high = x[i] > high ? x[i] : high;
  }
  step = high - low;
  step = step == 0.0f ? 1.0f : step / 255.0f;
  centre = byoc_nearest(0.0f - low / step, 0, 0, 255);
  for (i = 0; i < count; ++i) y[i] = (uint8_t)(x[i] != x[i] ? 0 : byoc_nearest(x[i] / step, centre, 0, 255));
  *scale = step;
  *zero = (uint8_t)centre;
}
