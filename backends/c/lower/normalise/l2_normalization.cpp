// byoc.L2Normalization: rows along the last dim divided by their Euclidean length.
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/quantise/requantise.hpp"
#include "backends/c/lower/reduce/many.hpp"
#include "backends/c/lower/step/operands.hpp"
#include "backends/c/lower/step/parameter_text.hpp"

namespace byoc::c {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;

codegen::Verdict accepts_l2_normalization(const Region& region, const Node& node, const TargetSpec&) {
  const Value& x = region.values[node.inputs[0]];
  const Value& y = region.values[node.outputs[0]];
  if (x.dims.empty()) return refuse(Reason::unsupported_shape, "found a scalar, expected rows");
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  if (!x.quantised()) return is_float(region, node) ? claim() : refuse_dtype(x.dtype, "f32 or quantised i8");
  if (region.requant != Requant::tflite)
    return refuse(Reason::unsupported_quantisation, "found a quantised model of ONNX, expected TFLite's");
  if (auto no = refuse_unless_s8(x, "input")) return *no;
  if (auto no = refuse_unless_s8(y, "output")) return *no;
  if (affine(y).scale != 1.0F / 128 || affine(y).zero != 0)
    return refuse(Reason::unsupported_quantisation, "found output scale " + std::to_string(affine(y).scale) +
                                                        " and zero point " + std::to_string(affine(y).zero) +
                                                        ", expected 1/128 and 0");
  if (x.dims.back() > 32768)
    return refuse(Reason::unsupported_shape,
                  "found a row of " + std::to_string(x.dims.back()) + ", expected at most 32768");
  return claim();
}

bool lower_l2_normalization(Emitter& emitter, const Node& node) {
  const Value& x = *emitter.input(node, 0);
  const std::int64_t depth = x.dims.back(), rows = depth == 0 ? 0 : x.elements() / depth;
  codegen::Step step;
  const std::string name = stem(emitter, node);
  step.symbol = emitter.host().claim(name);
  const std::string type = x.quantised() ? "s8" : "f32";
  Kernel kernel{"l2_normalization_" + type + ".c", "byoc_l2_normalization_" + type, {}};
  if (!x.quantised()) sums_of(kernel, depth);
  step.kernel = emitter.kernel(kernel);
  const std::string from = operand(emitter, step, node.inputs[0], name + "_x");
  StepText text;
  text.includes = {"byoc_l2_normalization.h"};
  text.body = "  " + step.kernel + "(" + std::to_string(rows) + ", " + std::to_string(depth) + ", " +
              (x.quantised() ? std::to_string(affine(x).zero) + ", " : "") + from + ", out0);\n";
  step.outputs = {{node.outputs[0]}};
  if (!x.is_constant) step.overlays = {{.output = 0, .input = 0}};
  step.nodes = {node_id(emitter, node)};
  emitter.step(node, std::move(step), text);
  return true;
}

}  // namespace byoc::c
