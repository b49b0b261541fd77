#include "backends/c/lower/move/by_parameters.hpp"

#include <algorithm>

#include "backends/c/lower/move/movement.hpp"
#include "backends/c/lower/step/element_type.hpp"
#include "backends/c/lower/step/step_builder.hpp"

namespace byoc::c {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;

namespace {

constexpr std::size_t kRank = 8;  // BYOC_PARAMETER_RANK
constexpr std::size_t kFill = 2;  // the operand of Pad

bool is_parameter(const Node& node, std::size_t input) { return input > 0 && (node.op == "Slice" || input != kFill); }

// Filled up to what the structs hold.
Dims to_rank(Dims dims) {
  dims.resize(kRank, 1);
  return dims;
}

std::string operand_or_null(StepBuilder& step, const Node& node, std::size_t input) {
  return input < node.inputs.size() && node.inputs[input] != codegen::kNoValue ? step.input(input) : "NULL";
}

std::string_view index_type(const Emitter& emitter, const Node& node, std::size_t input) {
  const Value* v = emitter.input(node, input);
  return v != nullptr && v->dtype == DType::i32 ? "int32_t" : "int64_t";
}

}  // namespace

bool has_computed_parameters(const Region& region, const Node& node) {
  for (std::size_t i = 1; i < node.inputs.size(); ++i)
    if (const Value* v = given_input(region, node, i); v != nullptr && is_parameter(node, i) && !v->is_constant)
      return true;
  return false;
}

codegen::Verdict accepts_by_parameters(const Region& region, const Node& node) {
  const Value &x = region.values[node.inputs[0]], &y = region.values[node.outputs[0]];
  if (element_size(x.dtype) == 0) return refuse_dtype(x.dtype, "elements of 1, 2, 4 or 8 bytes");
  if (!same_quantisation(region, x, y)) return refuse_quantisation();
  if (x.dims.size() > kRank || x.dims.size() != y.dims.size())
    return refuse(Reason::unsupported_shape, "found " + shape_text(x) + ", expected at most " + std::to_string(kRank) +
                                                 " dims where numbers that are computed move elements");
  const Value& first = region.values[node.inputs[1]];
  const std::int64_t count = node.op == "Slice" ? first.elements() : first.elements() / 2;
  for (std::size_t i = 1; i < node.inputs.size(); ++i) {
    const Value* v = given_input(region, node, i);
    if (v == nullptr) continue;
    if (!is_parameter(node, i)) {
      if (v->dtype == x.dtype && v->elements() == 1) continue;
      return refuse(Reason::unsupported_attribute, "found " + std::string(to_string(v->dtype)) + shape_text(*v) +
                                                       " to pad with, expected one element of the input's type");
    }
    if (v->dtype != DType::i32 && v->dtype != DType::i64) return refuse_dtype(v->dtype, "i32 or i64");
    if (node.op == "Slice" && v->dtype != first.dtype) return refuse_dtype(v->dtype, to_string(first.dtype));
    if (i > 1 && v->elements() != count)
      return refuse(Reason::unsupported_attribute, "found " + shape_text(*v) + " numbers of operand " +
                                                       std::to_string(i) + ", expected " + std::to_string(count));
  }
  if (node.op == "Pad" && (first.elements() % 2 != 0 || (given_input(region, node, 3) == nullptr &&
                                                         count != static_cast<std::int64_t>(x.dims.size()))))
    return refuse(Reason::unsupported_attribute,
                  "found " + std::to_string(first.elements()) + " pads of " + shape_text(x));
  if (node.op == "Slice" && count > static_cast<std::int64_t>(x.dims.size()))
    return refuse(Reason::unsupported_attribute, "found " + std::to_string(count) + " starts of " + shape_text(x));
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

bool lower_slice_by_parameters(Emitter& emitter, const Node& node) {
  const Value &x = *emitter.input(node, 0), &y = emitter.value(node.outputs[0]);
  const std::string_view index = index_type(emitter, node, 1);
  const Kernel kernel{
      "slice.c", index == "int32_t" ? "byoc_slice_i32" : "byoc_slice_i64", {{"BYOC_I", std::string(index)}}};
  emitter.kernel(kernel);
  StepBuilder step(emitter, node);
  step.text.includes.insert("byoc_parameter.h");
  step.text.declarations.insert("BYOC_SLICE(" + kernel.symbol + ", " + std::string(index) + ");");
  ParameterText p;
  p.add("rank", static_cast<std::int64_t>(x.dims.size())).add("count", emitter.input(node, 1)->elements());
  p.add("size", static_cast<std::int64_t>(element_size(x.dtype)));
  p.add("in", to_rank(x.dims)).add("out", to_rank(y.dims));
  std::string call = kernel.symbol + "(" + step.parameters("byoc_slice_t", p) + ", " + step.input(0);
  for (std::size_t i = 1; i < 5; ++i) call += ", " + operand_or_null(step, node, i);
  step.call_checked(call + ", " + step.output(0) + ")", reason::kNumbers);
  step.finish(kernel.symbol);
  return true;
}

bool lower_pad_by_parameters(Emitter& emitter, const Node& node) {
  static constexpr std::string_view kModes[] = {"constant", "edge", "reflect", "symmetric", "wrap"};
  const Value &x = *emitter.input(node, 0), &y = emitter.value(node.outputs[0]);
  const auto* mode = std::find(std::begin(kModes), std::end(kModes), node.text("mode", "constant"));
  const std::string_view index = index_type(emitter, node, 1), axes = index_type(emitter, node, 3);
  const Kernel kernel{"pad.c",
                      "byoc_pad_" + std::string(index.substr(3, 2)) + "_" + std::string(axes.substr(3, 2)),
                      {{"BYOC_I", std::string(index)}, {"BYOC_A", std::string(axes)}}};
  emitter.kernel(kernel);
  StepBuilder step(emitter, node);
  step.text.includes.insert("byoc_parameter.h");
  step.text.declarations.insert("BYOC_PAD(" + kernel.symbol + ", " + std::string(index) + ", " + std::string(axes) +
                                ");");
  const std::size_t size = element_size(x.dtype);
  const bool has_axes = emitter.input(node, 3) != nullptr;
  ParameterText p;
  p.add("rank", static_cast<std::int64_t>(x.dims.size()));
  p.add("count", has_axes ? emitter.input(node, 3)->elements() : static_cast<std::int64_t>(x.dims.size()));
  p.add("size", static_cast<std::int64_t>(size)).add("mode", mode - std::begin(kModes));
  p.add("in", to_rank(x.dims)).add("out", to_rank(y.dims));
  std::uint64_t indices = 0;
  for (const std::int64_t d : y.dims) indices += static_cast<std::uint64_t>(d);
  const std::uint64_t zero = zero_bits(y);
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(&zero);  // little-endian, as constants are
  std::string call =
      kernel.symbol + "(" + step.parameters("byoc_pad_t", p) + ", " + step.input(0) + ", " + step.input(1);
  call += ", " + (emitter.input(node, 2) != nullptr ? step.input(2)
                                                    : step.table("fill", std::span<const std::uint8_t>(bytes, size)));
  call += ", " + operand_or_null(step, node, 3) + ", (int32_t *)" +
          step.workspace(std::max<std::uint64_t>(indices, 1) * 4, 4);
  step.call_checked(call + ", " + step.output(0) + ")", reason::kNumbers);
  step.finish(kernel.symbol);
  return true;
}

}  // namespace byoc::c
