/* TFLite's LSTM over whole sequences. Gates in the order input, forget, cell, output. */
#ifndef BYOC_UNIDIRECTIONAL_SEQUENCE_LSTM_H
#define BYOC_UNIDIRECTIONAL_SEQUENCE_LSTM_H

#include "byoc_kernel.h"

/* A factor: Q31 multiplier and power of two; of 64-bit sums a 16-bit multiplier and the bits to shift right. */
typedef struct {
  int32_t q, shift;
} byoc_lstm_factor_t;

/* Steps in elements, between time steps and batches of x and y. */
typedef struct {
  int32_t steps, batch, depth, units;
  int32_t x_time, x_batch, y_time, y_batch;
  int32_t clips;
  float clip; /* of the cell, where it clips */
} byoc_lstm_shape_t;

typedef struct {
  byoc_lstm_shape_t shape;
  int32_t x_zero, hidden_zero, low, high;   /* the range of the hidden state */
  byoc_lstm_factor_t of_x[4], of_hidden[4]; /* to 1 / 4096 */
  /* forget * cell and input * candidate to the cell, output to the hidden state */
  byoc_lstm_factor_t forget, input, output;
  int32_t cell_multiplier, cell_shift; /* from the cell to 1 / (3 * 4096) */
  int32_t clip;
  const uint16_t* table; /* see byoc_sigmoid_s16.h */
} byoc_lstm_integers_t;

/* w: 4 of [units, depth], r: 4 of [units, units], bias: 4 of [units]; hidden, cell and what they become
   [batch, units]. Each next may be what it follows. */
#define BYOC_LSTM_F32(name)                                                                                 \
  void name(const byoc_lstm_shape_t* p, const float* x, const float* const* w, const float* const* r,       \
            const float* const* bias, const float* hidden, const float* cell, float* y, float* next_hidden, \
            float* next_cell)
#define BYOC_LSTM_INTEGERS(name, X, B)                                                                 \
  void name(const byoc_lstm_integers_t* p, const X* x, const int8_t* const* w, const int8_t* const* r, \
            const B* const* bias, const X* hidden, const int16_t* cell, X* y, X* next_hidden, int16_t* next_cell)

/* Elements of int8 whose zero points are in the biases: bias - zero point of x * the sum of the row of w, and in
   state_bias the hidden state's of r. */
#define BYOC_LSTM_CORRECTED(name)                                                                                    \
  void name(const byoc_lstm_integers_t* p, const int8_t* x, const int8_t* const* w, const int8_t* const* r,          \
            const int32_t* const* bias, const int32_t* const* state_bias, const int8_t* hidden, const int16_t* cell, \
            int8_t* y, int8_t* next_hidden, int16_t* next_cell)

#endif
