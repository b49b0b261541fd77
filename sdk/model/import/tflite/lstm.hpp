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

// The parts that a layer of floats may have beside plain gates.
struct LstmForm {
  bool coupled = false;  // the input gate lets in what the forget gate drops
  bool peepholes = false, projection = false;
  schema::ActivationFunctionType activation = schema::ActivationFunctionType::TANH;

  [[nodiscard]] bool is_plain() const {
    return !peepholes && !projection && activation == schema::ActivationFunctionType::TANH;
  }
};

// The form of a layer. Errors: a gate's input that is not given, a form that only float32 has, a bias of a projection.
Result<LstmForm> read_lstm_form(OperatorImport&, const LstmLayer&, schema::ActivationFunctionType);
// Input `first` + k of a layer, of gate k: input, forget, cell, output.
ir::ValueId lstm_gate(OperatorImport&, const LstmForm&, std::size_t first, std::size_t k);
// Adds the layer on x [batch, steps, depth] (time_major: [steps, batch, depth]), and on `aux` where the layer has
// weights for it, for y with the units as last dimension. Its variable tensors hold the last states from then on.
// Errors: types that no kernel has, shapes that do not fit.
Result<void> add_lstm(OperatorImport&, const LstmLayer&, const LstmForm&, ir::ValueId x, ir::ValueId aux, ir::ValueId y,
                      bool time_major, float cell_clip);
// As add_lstm(), for a form that is not plain: of float32, as ONNX's LSTM. `weights`: of x, by gate.
Result<void> add_lstm_variant(OperatorImport&, const LstmLayer&, const LstmForm&, ir::ValueId x,
                              const std::vector<ir::ValueId>& weights, ir::ValueId y, bool time_major);

}  // namespace byoc::tflite
