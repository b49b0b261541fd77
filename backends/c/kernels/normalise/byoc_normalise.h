/* Normalisation: groups of elements less their mean, divided by their deviation. */
#ifndef BYOC_NORMALISE_H
#define BYOC_NORMALISE_H

#include "byoc_kernel.h"

#define BYOC_NORMALISE_RANK 4

/* A group is what `reduced` runs through; there is one for each place of `kept`. Steps are in elements: of the tensor,
   of the scale and of the bias. Outermost first. */
typedef struct {
  int32_t kept[BYOC_NORMALISE_RANK], reduced[BYOC_NORMALISE_RANK];
  int32_t x_kept[BYOC_NORMALISE_RANK], x_reduced[BYOC_NORMALISE_RANK];
  int32_t scale_kept[BYOC_NORMALISE_RANK], scale_reduced[BYOC_NORMALISE_RANK];
  int32_t bias_kept[BYOC_NORMALISE_RANK], bias_reduced[BYOC_NORMALISE_RANK];
} byoc_normalise_t;

/*
 * y = (x - mean) / deviation * scale + bias. scale and bias may be null. mean and inverse (of the deviation), where
 * they are not null, get one element for each group; in the running form they get old * momentum + new * (1 -
 * momentum), of the mean and the variance.
 */
#define BYOC_NORMALISE(name, X, S, T) \
  void name(const byoc_normalise_t* p, T epsilon, const X* x, const S* scale, const S* bias, X* y, T* mean, T* inverse)
#define BYOC_NORMALISE_RUNNING(name, X, S, R, T)                                                         \
  void name(const byoc_normalise_t* p, T epsilon, T momentum, const X* x, const S* scale, const S* bias, \
            const R* old_mean, const R* old_variance, X* y, R* mean, R* variance)

/* (x - mean) / sqrt(variance + epsilon) * scale + bias, with statistics that are given for each channel. */
typedef struct {
  int32_t outer, channels, inner;
} byoc_channels_t;

#define BYOC_BATCH_NORMALISE(name, X, S, R, T)                                                             \
  void name(const byoc_channels_t* p, T epsilon, const X* x, const S* scale, const S* bias, const R* mean, \
            const R* variance, X* y, T least, T most)

/* x divided by its norm along the middle dim. */
#define BYOC_LP_NORMALISE(name, X) void name(const byoc_channels_t* p, const X* x, X* y)

/* x / (bias + alpha * squares)^beta, squares summed over `size` channels. */
#define BYOC_LRN(name, X, T) \
  void name(const byoc_channels_t* p, int32_t size, T alpha, T beta, T bias, const X* x, X* y)

/* Rows of `length` elements each, by the scale and the bias of each element of a row; bias may be NULL. y may be x. */
#define BYOC_NORMALISE_ROWS(name)                                                                               \
  void name(int32_t rows, int32_t length, float epsilon, const float* x, const float* scale, const float* bias, \
            float* y)
/* Rows with one scale and one bias each, which repeat after `channels` rows. y may be x. */
#define BYOC_NORMALISE_PLANES(name)                                                                            \
  void name(int32_t rows, int32_t channels, int32_t length, float epsilon, const float* x, const float* scale, \
            const float* bias, float* y)

#endif
