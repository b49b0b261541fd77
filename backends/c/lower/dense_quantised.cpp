#include "backends/c/lower/dense_quantised.hpp"

#include "backends/c/lower/parameter_text.hpp"
#include "backends/c/lower/weight_packing.hpp"

namespace byoc::c {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;
using codegen::Verdict;

namespace {

const Value* bias_of(const Region& region, const Node& node) {
  return node.inputs.size() > 2 && node.inputs[2] != codegen::kNoValue ? &region.values[node.inputs[2]] : nullptr;
}

// [unit][depth]
std::vector<std::int8_t> unit_rows(const Value& w, const DenseQuantised& d) {
  const std::int64_t inner = d.unit_axis == 0 ? d.depth : 1;
  std::vector<std::int8_t> from =
      weights_s8(w, [&](std::size_t i) { return static_cast<std::int64_t>(i) / inner % d.units; });
  if (d.unit_axis == 0) return from;
  std::vector<std::int8_t> rows(from.size());
  for (std::int64_t u = 0; u < d.units; ++u)
    for (std::int64_t k = 0; k < d.depth; ++k)
      rows[static_cast<std::size_t>(u * d.depth + k)] = from[static_cast<std::size_t>(k * d.units + u)];
  return rows;
}

}  // namespace

Verdict accepts_dense(const Region& region, const Node& node, const DenseQuantised& d) {
  const Value& x = region.values[node.inputs[0]];
  const Value& w = region.values[node.inputs[1]];
  const Value& y = region.values[node.outputs[0]];
  if (auto no = refuse_unless_s8(x, "input")) return *no;
  if (auto no = refuse_unless_s8(y, "output")) return *no;
  if (w.dims.size() != 2 || w.elements() != d.depth * d.units || x.elements() != d.rows * d.depth ||
      y.elements() != d.rows * d.units)
    return refuse(Reason::unsupported_shape, "found input " + shape_text(x.dims) + ", weights " + shape_text(w.dims) +
                                                 " and output " + shape_text(y.dims) +
                                                 ", expected the product of rows with a matrix");
  if (auto no = refuse_weights(w, d.unit_axis)) return *no;
  if (auto no = refuse_bias(bias_of(region, node), d.units)) return *no;
  if (auto no = refuse_scales(region, x, w, y)) return *no;
  if (!activation_clamp(node.text("activation", "none"), affine(y)))
    return refuse(Reason::unsupported_attribute, "found activation " + node.text("activation", ""));
  return claim();
}

bool lower_dense_quantised(Emitter& emitter, const Node& node, const DenseQuantised& d) {
  const Value& x = *emitter.input(node, 0);
  const Value& w = *emitter.input(node, 1);
  const Value& y = emitter.value(node.outputs[0]);
  const auto id = static_cast<codegen::NodeId>(&node - emitter.region.nodes.data());
  const std::string stem = "dense_" + std::to_string(id);

  const std::vector<std::int8_t> rows = unit_rows(w, d);
  std::vector<std::int64_t> sums(static_cast<std::size_t>(d.units));
  for (std::size_t i = 0; i < rows.size(); ++i) sums[i / static_cast<std::size_t>(d.depth)] += rows[i];
  const Path path = kernel_path(emitter.region, emitter.target);
  codegen::Step step;
  step.symbol = emitter.host().claim(stem);
  step.kernel = emitter.kernel(requant_kernel(emitter.region, path_stem("fully_connected_s8", path)));
  ParameterText p;
  p.add("weights",
        emitter.constant<std::int8_t>(
            stem + "_weights",
            path == Path::mve ? rows : pack_weights({rows, 1, d.units, d.depth}, 4, path == Path::dsp ? 4 : 1), true))
      .add("requant",
           emit_requant(emitter, stem, x, w, bias_of(emitter.region, node), y,
                        activation_clamp(node.text("activation", "none"), affine(y)).value_or(Clamp{}), sums))
      .add("rows", d.rows)
      .add("depth", d.depth)
      .add("units", d.units);
  StepText text;
  text.includes = {"byoc_fully_connected_s8.h"};
  text.prelude = p.definition("byoc_fully_connected_s8_t", step.symbol + "_params");
  text.body = "  " + step.kernel + "(&" + step.symbol + "_params, in0, out0);\n";
  step.inputs = {{node.inputs[0]}};
  step.outputs = {{node.outputs[0]}};
  step.nodes = {id};
  step.macs = static_cast<std::uint64_t>(d.rows * d.depth * d.units);
  emitter.step(node, std::move(step), text);
  return true;
}

}  // namespace byoc::c
