// RNN layers of TensorFlow Lite as ONNX's RNN.
#pragma once

#include "sdk/model/import/tflite/operator_import.hpp"

namespace byoc::tflite {

// Indexes of the operator's inputs for one layer. x is a value: [batch, steps, depth] or, time-major, [steps, batch,
// depth].
struct RnnLayer {
  std::size_t weights = 0, recurrent = 0, bias = 0, hidden = 0;
  std::size_t aux_weights = SIZE_MAX;  // of a second operand; SIZE_MAX: there is none
  bool reverse = false;
};

// Refuses weights of 8 bits (hybrid kernels), and whatever is not float32.
Result<void> expect_rnn_types(OperatorImport&, const RnnLayer&);
// Adds the nodes of a layer on x, and on `aux` where the layer has weights for it, for a result of x's leading dims
// with the units behind; the layer's variable tensor holds the last hidden state from then on. Errors: shapes that do
// not fit, an activation that the kernel does not have.
Result<ir::ValueId> add_rnn(OperatorImport&, const RnnLayer&, ir::ValueId x, ir::ValueId aux, bool time_major,
                            schema::ActivationFunctionType);

}  // namespace byoc::tflite
