// Determinants and inverses of the square matrices in the last two dims.
#include <algorithm>

#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/step/element_type.hpp"
#include "backends/c/lower/step/operands.hpp"

namespace byoc::c {

using codegen::Node;
using codegen::Region;
using codegen::Value;

codegen::Verdict accepts_of_squares(const Region& region, const Node& node, const TargetSpec&) {
  const Value& x = region.values[node.inputs[0]];
  const std::size_t rank = x.dims.size();
  if (!is_float_type(x.dtype)) return refuse_dtype(x.dtype, "f16, bf16, f32, f64");
  if (rank < 2 || x.dims[rank - 1] != x.dims[rank - 2])
    return refuse(codegen::Reason::unsupported_shape, "found " + shape_text(x) + ", expected square matrices");
  if (!fits_int32(region, node)) return refuse(codegen::Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

bool lower_of_squares(Emitter& emitter, const Node& node) {
  const Value& x = *emitter.input(node, 0);
  std::int64_t count = 1;
  for (std::size_t d = 0; d + 2 < x.dims.size(); ++d) count *= x.dims[d];
  const bool inverse = node.op == "Inverse";
  const std::int64_t n = x.dims.back(), numbers = n * n * (inverse ? 2 : 1);
  const std::string stem_of_kernel = inverse ? "inverse" : "det";
  Kernel kernel{stem_of_kernel + ".c", "byoc_" + stem_of_kernel + "_" + std::string(to_string(x.dtype)), {}};
  define_element(kernel, "BYOC_X", x.dtype);
  define_arithmetic(kernel, x.dtype);
  const std::uint32_t size = x.dtype == DType::f64 ? 8 : 4;
  codegen::Step step;
  StepText text;
  const std::string name = stem(emitter, node);
  step.symbol = emitter.host().claim(name);
  step.kernel = emitter.kernel(kernel);
  const std::string from = operand(emitter, step, node.inputs[0], name + "_x");
  text.includes = {"byoc_squares.h"};
  text.declarations = {"BYOC_OF_SQUARES(" + step.kernel + ", " + std::string(c_type(x.dtype)) + ");"};
  text.body =
      "  " + step.kernel + "(" + std::to_string(count) + ", " + std::to_string(n) + ", " + from + ", out0, ws0);\n";
  step.outputs = {{node.outputs[0]}};
  step.workspaces = {{.bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(numbers, 1)) * size, .align = size}};
  step.nodes = {node_id(emitter, node)};
  emitter.step(node, std::move(step), text);
  return true;
}

}  // namespace byoc::c
