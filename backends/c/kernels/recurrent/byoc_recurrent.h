/* RNN, GRU and LSTM over whole sequences. Weights are read where the model has them. */
#ifndef BYOC_RECURRENT_H
#define BYOC_RECURRENT_H

#include "byoc_kernel.h"

enum {
  BYOC_AFFINE,
  BYOC_ELU,
  BYOC_HARD_SIGMOID,
  BYOC_LEAKY_RELU,
  BYOC_RELU,
  BYOC_SCALED_TANH,
  BYOC_SIGMOID,
  BYOC_SOFTPLUS,
  BYOC_SOFTSIGN,
  BYOC_TANH,
  BYOC_THRESHOLDED_RELU
};

typedef struct {
  int32_t kind;
  float alpha, beta;
} byoc_gate_function_t;

/* Steps in elements: between time steps of x, and so on. */
typedef struct {
  int32_t directions, first_is_reverse, steps, batch, input, hidden;
  int32_t x_time, x_batch, y_time, y_direction, y_batch, h_direction, h_batch;
  int32_t variant; /* GRU: linear_before_reset; LSTM: input_forget */
  float clip;      /* of the functions' arguments; 0: none */
  byoc_gate_function_t functions[6];
} byoc_recurrent_t;

/* Operands that a model may omit are null: biases, lengths, initial states, peepholes, and each of the results.
   `work`: BYOC_RECURRENT_WORK * hidden elements. */
#define BYOC_RECURRENT_WORK 5
#define BYOC_RECURRENT(name, X, T)                                                                                \
  void name(const byoc_recurrent_t* p, const X* x, const X* w, const X* r, const X* bias, const int32_t* lengths, \
            const X* h0, const X* c0, const X* peephole, X* y, X* y_h, X* y_c, T* work)

/* Layers of floats whose weights are packed for BYOC_PRODUCT, a kernel of byoc_fully_connected_f32.h: those of x and
   of the state as [direction][gate][block of 4 units][element][4], and their biases as [direction][gate][unit], each
   filled up with zeros to whole blocks of 4 units. `work`: (2 * gates + 3) times as many units. */
#define BYOC_RECURRENT_F32(name)                                                                                      \
  void name(const byoc_recurrent_t* p, const float* x, const float* w, const float* r, const float* bias,             \
            const float* state_bias, const int32_t* lengths, const float* h0, const float* c0, const float* peephole, \
            float* y, float* y_h, float* y_c, float* work)

#endif
