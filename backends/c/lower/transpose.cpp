// Transpose: a copy through permuted strides, or nothing where no element moves.
#include <algorithm>
#include <numeric>

#include "backends/c/lower/copy.hpp"
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/operands.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Region;
using codegen::Value;

std::optional<Copy> read(const Region& region, const Node& node, std::string& why) {
  const Value& x = region.values[node.inputs[0]];
  const std::size_t rank = x.dims.size();
  Dims reversed(rank);
  std::iota(reversed.rbegin(), reversed.rend(), 0);
  const Dims perm = node.integers("perm", reversed);
  std::vector<bool> seen(rank, false);
  Copy copy;
  const Dims strides = dense_strides(x.dims);
  for (std::int64_t axis : perm) {
    if (axis < 0 || axis >= static_cast<std::int64_t>(rank) || seen[static_cast<std::size_t>(axis)] ||
        perm.size() != rank) {
      why = "attribute perm is no permutation of the dims of " + shape_text(x);
      return std::nullopt;
    }
    seen[static_cast<std::size_t>(axis)] = true;
    copy.dims.push_back(x.dims[static_cast<std::size_t>(axis)]);
    copy.from_strides.push_back(strides[static_cast<std::size_t>(axis)]);
  }
  copy.to_strides = dense_strides(copy.dims);
  return copy;
}

}  // namespace

codegen::Verdict accepts_transpose(const Region& region, const Node& node, const TargetSpec&) {
  std::string why;
  const auto copy = read(region, node, why);
  return copy ? accepts_copy(region, node, *copy) : refuse(codegen::Reason::unsupported_attribute, why);
}

bool lower_transpose(Emitter& emitter, const Node& node) {
  std::string why;
  const auto copy = read(emitter.region, node, why);
  if (!copy) return emitter.error(node, why);
  const LoopNest nest = merge({copy->dims, {copy->from_strides, copy->to_strides}});
  if (nest.dims.size() == 1 && nest.strides[0] == nest.strides[1]) {
    emitter.alias(node.outputs[0], node.inputs[0]);
    return true;
  }
  const std::string name = stem(emitter, node);
  codegen::Step step;
  StepText text;
  step.symbol = emitter.host().claim(name);
  const std::string x = operand(emitter, step, node.inputs[0], name + "_x");
  add_copy(emitter, text, step.symbol + "_params", emitter.input(node, 0)->dtype, *copy, x, "out0");
  step.outputs = {{node.outputs[0]}};
  step.nodes = {node_id(emitter, node)};
  step.kernel = "copy";
  emitter.step(node, std::move(step), text);
  return true;
}

}  // namespace byoc::c
