#ifndef BYOC_BUCKETIZE_H
#define BYOC_BUCKETIZE_H

#include "byoc_kernel.h"

#define BYOC_BUCKETIZE(name, X) \
  void name(int32_t count, const X* x, int32_t boundary_count, const float* boundaries, int32_t* y)

#endif
