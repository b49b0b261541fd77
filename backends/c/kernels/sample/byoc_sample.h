/* Images sampled at computed positions. W: the type that positions, weights and sums have. */
#ifndef BYOC_SAMPLE_H
#define BYOC_SAMPLE_H

#include "byoc_kernel.h"

/* mode 0: nearest, 1: linear, 2: cubic; padding 0: zeros, 1: border, 2: reflection. Two dims: in[0] is 1. */
typedef struct {
  int32_t batch, channels, points, rank;
  int32_t in[3];
  int32_t mode, padding, align_corners;
} byoc_grid_sample_t;

#define BYOC_GRID_SAMPLE(name, X, G) void name(const byoc_grid_sample_t* p, const X* x, const G* grid, X* y)

typedef struct {
  int32_t batch, rank, align_corners;
  int32_t out[3]; /* depth, height, width; depth is 1 for rank 2 */
} byoc_affine_grid_t;

#define BYOC_AFFINE_GRID(name, X) void name(const byoc_affine_grid_t* p, const X* theta, X* y)

typedef struct {
  int32_t batch, channels, height, width, rois, out_height, out_width;
  int32_t sampling_ratio, average, half_pixel;
} byoc_roi_t;

/* Both return 1 where the index of an image is out of range. */
#define BYOC_ROI_ALIGN(name, X, W, I) \
  int32_t name(const byoc_roi_t* p, W scale, const X* x, const X* rois, const I* images, X* y)
#define BYOC_MAX_ROI_POOL(name, X, W) int32_t name(const byoc_roi_t* p, W scale, const X* x, const X* rois, X* y)

#endif
