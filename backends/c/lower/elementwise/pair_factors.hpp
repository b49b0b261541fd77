// The factors of TFLite's SUB, MUL and PRELU: scales are multiplied and divided in the type that the attribute
// scale_product names, or in the one that the operator's kernel of int8 has.
#pragma once

#include "byoc/codegen.hpp"
#include "byoc/nodes/quantisation.hpp"
#include "byoc/tflite.hpp"

namespace byoc::c {

[[nodiscard]] inline bool scales_in(const codegen::Node& node, std::string_view type, std::string_view otherwise) {
  return node.text("scale_product", std::string(otherwise)) == type;
}

[[nodiscard]] inline tflite::PairParameters sub_factors(const codegen::Node& node, const Affine& a, const Affine& b,
                                                        const Affine& y, unsigned bits = 8) {
  return scales_in(node, "f64", "f32") ? tflite::add_parameters(a, b, y, bits) : tflite::sub_parameters(a, b, y, bits);
}

[[nodiscard]] inline tflite::PairParameters mul_factors(const codegen::Node& node, const Affine& a, const Affine& b,
                                                        const Affine& y) {
  if (scales_in(node, "f64", "f64")) return {{}, {}, tflite::mul_multiplier(a, b, y)};
  return {{}, {}, tflite::mul_multiplier({a.scale * b.scale / y.scale, 0}, {}, {})};
}

[[nodiscard]] inline tflite::PairParameters prelu_factors(const codegen::Node& node, const Affine& x,
                                                          const Affine& slope, const Affine& y) {
  if (scales_in(node, "f64", "f64")) return tflite::prelu_parameters(x, slope, y);
  return {tflite::rescale_multiplier({x.scale / y.scale, 0}, {}), {}, mul_factors(node, x, slope, y).y};
}

}  // namespace byoc::c
