// Demands of a composition on numbers that only a run knows.
#pragma once

#include "sdk/model/import/onnx/composition.hpp"

namespace byoc::onnx_import {

// `x`; a run fails with the message where not all of `holds`, a bool tensor, is true.
[[nodiscard]] Composition::Value expected(Normaliser&, const ir::Node& like, Composition::Value x,
                                          Composition::Value holds, const std::string& message);

// Whole numbers that are 0 or more.
[[nodiscard]] Composition::Value not_negative(Normaliser&, const ir::Node& like, Composition::Value x,
                                              const std::string& name);

}  // namespace byoc::onnx_import
