// CONV_2D and DEPTHWISE_CONV_2D as Conv, or as integers where floats meet int8 weights.
#pragma once

#include <string>

#include "sdk/model/import/tflite/operator_import.hpp"
#include "sdk/model/import/tflite/window.hpp"

namespace byoc::tflite {

struct Convolution {
  Window window;
  PlacedWindow placed;
  std::string filter_layout;  // of ir's Conv: "OHWI"
  ir::Dim group = 1;
  bool symmetric = false;  // a hybrid layer whose filter has one scale quantises x without zero points
};

// Gives a node the attributes of the convolution.
void describe(ir::Node& node, const Convolution& form);

// Input 0 convolved with input 1. `bias`: kNoValue if there is none.
Result<void> add_convolution(OperatorImport& op, const Convolution& form, ir::ValueId bias,
                             schema::ActivationFunctionType activation);

}  // namespace byoc::tflite
