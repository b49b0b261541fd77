#include "backends/c/lower/dense/float_kernels.hpp"
#include "backends/c/lower/dense/matmul.hpp"
#include "backends/c/lower/elementwise/activation.hpp"
#include "backends/c/lower/step/operands.hpp"
#include "backends/c/lower/step/parameter_text.hpp"

namespace byoc::c {
namespace {

// Packing the right matrix pays where several rows are multiplied with it. It takes as much memory as that has, which
// is not spent once a plan did not fit.
bool packs(const Emitter& emitter, const codegen::Node& node, const MatMul& m) {
  constexpr std::int64_t kLeastRows = 4;
  return emitter.objective != Objective::size && emitter.attempt == 0 && m.rows >= kLeastRows && m.a_depth == 1 &&
         m.a_row == m.depth && m.depth > 0 && emitter.input(node, 2) == nullptr;
}

}  // namespace

void lower_general_matmul(Emitter& emitter, const codegen::Node& node, const MatMul& m) {
  const std::string name = stem(emitter, node);
  const Clamped clamped = fuse_clamp(emitter, node);
  codegen::Step step;
  step.symbol = emitter.host().claim(name);
  const std::string a = operand(emitter, step, node.inputs[0], name + "_a");
  const std::string b = operand(emitter, step, node.inputs[1], name + "_b");
  const std::string c = emitter.input(node, 2) ? operand(emitter, step, node.inputs[2], name + "_c") : "NULL";

  ParameterText p;
  p.add("batch", m.batch).add("a_batch", m.a_batch).add("b_batch", m.b_batch);
  p.add("rows", m.rows).add("depth", m.depth).add("columns", m.columns);
  p.add("a_row", m.a_row).add("a_depth", m.a_depth).add("b_depth", m.b_depth).add("b_column", m.b_column);
  p.add("c_row", m.c_row).add("c_column", m.c_column);
  p.add("alpha", c_bound(m.alpha)).add("beta", c_bound(m.beta)).add("bounds", c_bounds(clamped.bounds));
  StepText text;
  text.includes = {"byoc_matmul_f32.h"};
  text.parameters = {p.definition("byoc_matmul_f32_t", step.symbol + "_params")};
  const std::string operands = "(&" + step.symbol + "_params, " + a + ", " + b;
  if (packs(emitter, node, m)) {
    const FloatForm form = float_form(emitter.target);
    const std::string product = emitter.kernel(
        {"fully_connected_f32" + form.suffix + ".c", "byoc_fully_connected_f32" + form.suffix, form.defines});
    step.kernel =
        emitter.kernel({"matmul_packed_f32.c", "byoc_matmul_packed_f32" + form.suffix, {{"BYOC_PRODUCT", product}}});
    text.declarations.insert("BYOC_MATMUL_PACKED_F32(" + step.kernel + ");");
    const std::int64_t units = (m.columns + kFloatBlock - 1) / kFloatBlock * kFloatBlock;
    step.workspaces = {
        {.bytes = static_cast<std::uint64_t>(units * (m.depth + 1)) * sizeof(float), .align = 16, .pools = {}}};
    text.body = "  " + step.kernel + operands + ", out0, (float *)ws0);\n";
  } else {
    step.kernel = emitter.kernel({"matmul_f32.c", "byoc_matmul_f32", {}});
    text.body = "  " + step.kernel + operands + ", " + c + ", out0);\n";
  }

  step.outputs = {{clamped.output}};
  step.nodes = clamped.nodes;
  step.macs = static_cast<std::uint64_t>(m.rows * m.depth * m.columns);
  for (std::int64_t n : m.batch) step.macs *= static_cast<std::uint64_t>(n);
  emitter.step(node, std::move(step), text);
}

}  // namespace byoc::c
