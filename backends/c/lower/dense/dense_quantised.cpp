#include "backends/c/lower/dense/dense_quantised.hpp"

#include <algorithm>

#include "backends/c/lower/conv/conv_quantised.hpp"
#include "backends/c/lower/kernel_options.hpp"
#include "backends/c/lower/quantise/packed_weights.hpp"
#include "backends/layers/weight_packing.hpp"

namespace byoc::c {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;
using codegen::Verdict;

namespace {

// [unit][depth]
std::vector<std::int8_t> unit_rows(const Value& w, const RowsByMatrix& d) {
  const std::int64_t inner = d.unit_axis == 0 ? d.depth : 1;
  return filter_rows(as_convolution(d, {}),
                     weights_s8(w, [&](std::size_t i) { return static_cast<std::int64_t>(i) / inner % d.units; }));
}

Path dense_path(const QuantisedLayer& layer, const RowsByMatrix& d, const TargetSpec& target) {
  const Path path = kernel_path(layer.scaling, target);
  if (path == Path::mve && !fits_vectors(layer.scaling, layer.in, layer.weights, layer.bias, layer.out, d.units))
    return target.has("dsp") ? Path::dsp : Path::portable;
  return path;
}

// The weights as the kernels' own comments give them.
std::vector<std::int8_t> pack_units(const WeightRows& units, Path path, unsigned bits) {
  switch (path) {
    case Path::mve:
      return bits < 8 ? pack_bit_vectors(pack_unit_eights(units, 8 / bits), bits) : pack_unit_eights(units);
    case Path::dsp: return bits < 8 ? pack_unit_words(units, bits) : pack_unit_pairs(units);
    case Path::portable: break;
  }
  return bits < 8 ? pack_bit_rows(units, bits) : std::vector<std::int8_t>(units.rows.begin(), units.rows.end());
}

KernelOption dense_option(const LayerQuestion& q, const QuantisedLayer& layer, const RowsByMatrix& d, unsigned bits) {
  const Path path = dense_path(layer, d, q.target);
  const auto rows = static_cast<double>(d.rows);
  const double padded = path == Path::mve   ? rounded_up(d.depth, 16)
                        : path == Path::dsp ? rounded_up(d.depth, 4)
                                            : static_cast<double>(d.depth);
  const double units = path == Path::mve ? static_cast<double>(d.units) : rounded_up(d.units, 4);
  KernelOption o;
  o.kernel = path_stem("fully_connected_s8", path) + bits_suffix(bits);
  o.suffix = requant_suffix(layer.scaling);
  o.work.rows = rows;
  o.work.results = rows * static_cast<double>(d.units);
  if (path == Path::mve) {
    // Eight units at a time; those that are left come one by one, which costs them more.
    const auto eights = static_cast<double>(d.units / 8), left = static_cast<double>(d.units % 8);

    o.work.starts = rows * eights;
    o.work.copied = rows * left * padded;
    o.work.products = rows * eights * 8 * padded;
  } else {
    if (path == Path::dsp && bits == 8 && layer.weights.quantisation.scales.size() == 1) o.way = "one scale";
    o.work.starts = rows * units / 4;
    o.work.copied = rows * static_cast<double>(d.depth);
    o.work.products = rows * units * padded;
  }
  const double weights = path == Path::portable ? static_cast<double>(d.units * d.depth) : units * padded;
  o.constants = (static_cast<std::uint64_t>(weights) * bits + 7) / 8;
  o.reads = rows * static_cast<double>(o.constants);
  return o;
}

}  // namespace

std::vector<KernelOption> dense_options(const LayerQuestion& q, const QuantisedLayer& layer, const RowsByMatrix& d) {
  if (is_general(layer, d.unit_axis, d.depth, q.objective)) return {};
  std::vector<KernelOption> out;
  for (const unsigned bits : bits_to_choose(packed_bits(layer, d.unit_axis, d.depth), q.objective)) {
    out.push_back(dense_option(q, layer, d, bits));
    if (kernel_path(layer.scaling, q.target) != Path::mve)
      out.push_back(small_conv_option(as_convolution(d, {}), layer.scaling, bits, q.target));
  }
  return out;
}

Verdict accepts_dense(const Region& region, const Node& node, const QuantisedLayer& layer, const RowsByMatrix& d) {
  const Value &x = layer.in, &w = layer.weights, &y = layer.out;
  if (auto no = refuse_activation(region, x, "input")) return *no;
  if (auto no = refuse_activation(region, y, "output")) return *no;
  if (w.dims.size() != 2 || w.elements() != d.depth * d.units || x.elements() != d.rows * d.depth ||
      y.elements() != d.rows * d.units)
    return refuse(Reason::unsupported_shape, "found input " + shape_text(x.dims) + ", weights " + shape_text(w.dims) +
                                                 " and output " + shape_text(y.dims) +
                                                 ", expected the product of rows with a matrix");
  if (auto no = refuse_layer(region, layer, d.unit_axis, d.units)) return *no;
  if (!activation_clamp(region, node, y))
    return refuse(Reason::unsupported_attribute, "found activation " + node.text("activation", ""));
  return claim();
}

bool lower_dense_quantised(Emitter& emitter, const Node& node, const QuantisedLayer& layer, const RowsByMatrix& d) {
  const Value &x = layer.in, &w = layer.weights, &y = layer.out;
  const Clamp clamp = activation_clamp(emitter.region, node, y).value_or(Clamp{});
  const auto id = static_cast<codegen::NodeId>(&node - emitter.region.nodes.data());
  const std::string stem = "dense_" + std::to_string(id);
  if (is_general(layer, d.unit_axis, d.depth, emitter.objective))
    return lower_general_conv(emitter, node, layer, as_convolution(d, clamp), stem);

  const std::vector<std::int8_t> rows = unit_rows(w, d);
  const ChosenForm form = chosen_form(emitter.chosen(node), packed_bits(layer, d.unit_axis, d.depth));
  if (form.kernel == kSmallConv)
    return lower_small_conv(emitter, node, layer, as_convolution(d, clamp), rows, form.bits, stem);
  const Path path = dense_path(layer, d, emitter.target);
  codegen::Step step;
  step.symbol = emitter.host().claim(stem);
  step.kernel =
      emitter.kernel(with_bits(requant_kernel(layer.scaling, path_stem("fully_connected_s8", path)), form.bits));
  const WeightRows units{rows, 1, d.units, d.depth};
  ParameterText p;
  p.add("weights", emitter.constant<std::int8_t>(stem + "_weights", pack_units(units, path, form.bits), true))
      .add("requant", emit_requant(emitter, layer.scaling, stem, x, w, layer.bias, y, clamp, row_sums(rows, d.units)))
      .add("rows", d.rows)
      .add("depth", d.depth)
      .add("units", d.units);
  StepText text;
  text.includes = {"byoc_fully_connected_s8.h"};
  if (form.bits < 8) text.declarations.insert("BYOC_FULLY_CONNECTED_S8(" + step.kernel + ");");
  text.parameters = {p.definition("byoc_fully_connected_s8_t", step.symbol + "_params")};
  text.body = "  " + step.kernel + "(&" + step.symbol + "_params, in0, out0);\n";
  step.inputs = {{layer.input}};
  step.outputs = {{layer.output}};
  step.nodes = {id};
  step.macs = static_cast<std::uint64_t>(d.rows * d.depth * d.units);
  emitter.step(node, std::move(step), text);
  return true;
}

}  // namespace byoc::c
