// MatMul: by the type of its values.
#include "backends/c/lower/dense/matmul_any.hpp"
#include "backends/c/lower/dense/open_matmul.hpp"
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/quantise/quantised.hpp"
#include "backends/c/lower/step/operands.hpp"

namespace byoc::c {

codegen::Verdict accepts_matmul(const codegen::Region& region, const codegen::Node& node, const TargetSpec& target) {
  if (region.values[node.inputs[0]].quantised()) return accepts_matmul_quantised(region, node, target);
  if (!region.symbols.empty()) return accepts_open_matmul(region, node);
  if (is_float(region, node)) return accepts_matmul_float(region, node, target);
  return accepts_matmul_plain(region, node);
}

bool lower_matmul(Emitter& emitter, const codegen::Node& node) {
  if (emitter.input(node, 0)->quantised()) return lower_matmul_quantised(emitter, node);
  if (!emitter.region.symbols.empty()) return lower_open_matmul(emitter, node);
  if (is_float(emitter.region, node)) return lower_matmul_float(emitter, node);
  return lower_matmul_plain(emitter, node);
}

}  // namespace byoc::c
