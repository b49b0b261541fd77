// LSTM layers of TensorFlow Lite as byoc.UnidirectionalSequenceLstm.
#pragma once

#include "sdk/model/import/tflite/operator_import.hpp"

namespace byoc::tflite {

// Indexes of the operator's inputs for one layer. Each is the first of four gates, three peepholes or two projections.
// Gates are in the order input, forget, cell, output.
struct LstmLayer {
  std::size_t input_weights = 0, recurrent_weights = 0, peepholes = 0, biases = 0, projection = 0, hidden = 0, cell = 0;
  std::size_t aux_weights = SIZE_MAX;  // of a second operand; SIZE_MAX: there is none
  bool reverse = false;
};

// Refuses peepholes, projections, coupled gates, and a gate's input that is not given.
Result<void> expect_plain_lstm(OperatorImport&, const LstmLayer&);
// Adds the layer on x [batch, steps, depth] (time_major: [steps, batch, depth]), and on `aux` where the layer has
// weights for it, for y with the units as last dimension. Its variable tensors hold the last states from then on.
// Errors: types that no kernel has, shapes that do not fit.
Result<void> add_lstm(OperatorImport&, const LstmLayer&, ir::ValueId x, ir::ValueId aux, ir::ValueId y, bool time_major,
                      float cell_clip);

}  // namespace byoc::tflite
