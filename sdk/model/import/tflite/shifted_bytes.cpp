#include "sdk/model/import/tflite/shifted_bytes.hpp"

#include <utility>
#include <vector>

namespace byoc::tflite {
namespace {

constexpr std::int64_t kShift = 128;

Blob shifted(const Blob& blob) {
  std::vector<std::byte> bytes(blob.bytes().begin(), blob.bytes().end());
  for (std::byte& b : bytes) b ^= static_cast<std::byte>(kShift);
  return Blob::own(std::move(bytes));
}

}  // namespace

void ShiftedBytes::shift(ir::ValueId v) {
  if (v == ir::kNoValue || is_shifted(v)) return;
  ir::Value& value = graph_.values[v];
  if (value.type.dtype != DType::u8 || !value.type.quantisation) return;
  Forms& forms = forms_[v];
  forms.type = value.type;
  value.type.dtype = DType::i8;
  for (std::int64_t& zero : value.type.quantisation->zero_points) zero -= kShift;
  if (!value.constant) return;
  forms.elements = value.constant->bytes;
  value.constant->bytes = shifted(value.constant->bytes);
}

ir::ValueId ShiftedBytes::add_form(ir::ValueId v) {
  Forms& forms = forms_[v];
  ir::Value form;
  form.name = graph_.values[v].name;
  form.type = forms.type;
  form.type.dims = graph_.values[v].type.dims;
  if (forms.elements) form.constant.emplace().bytes = *forms.elements;
  return forms.form = graph_.add_value(std::move(form));
}

void ShiftedBytes::convert(ir::ValueId from, ir::ValueId to, std::int64_t position) {
  ir::Node node;
  node.domain = "byoc";
  node.op = "Quantize";
  node.version = 1;
  node.name = graph_.values[to].name;
  node.position = position;
  node.inputs = {from};
  node.outputs = {to};
  graph_.add_node(std::move(node));
}

ir::ValueId ShiftedBytes::read(ir::ValueId v, std::int64_t position) {
  const auto found = forms_.find(v);
  if (found == forms_.end()) return v;
  if (found->second.form != ir::kNoValue) return found->second.form;
  const ir::ValueId form = add_form(v);
  if (!found->second.elements) convert(v, form, position);
  return form;
}

ir::ValueId ShiftedBytes::computed(ir::ValueId v, std::int64_t position) {
  if (!is_shifted(v)) return v;
  const ir::ValueId form = add_form(v);
  convert(form, v, position);
  return form;
}

void ShiftedBytes::begin_with(const std::vector<ir::ValueId>& inputs) {
  for (const ir::ValueId v : inputs)
    if (is_shifted(v) && forms_[v].form == ir::kNoValue) computed(v, -1);
}

void ShiftedBytes::keep_edges() {
  std::map<ir::ValueId, ir::ValueId> swapped;
  const auto swap = [&](ir::ValueId v, ir::ValueId form) {
    std::swap(graph_.values[v], graph_.values[form]);
    std::swap(graph_.values[v].source_index, graph_.values[form].source_index);
    graph_.values[form].name += "_int8";
    swapped[v] = form;
    swapped[form] = v;
  };
  for (const auto* edge : {&graph_.inputs, &graph_.outputs})
    for (const ir::ValueId v : *edge)
      if (is_shifted(v) && !swapped.contains(v)) swap(v, read(v, -1));
  for (ir::Node& node : graph_.nodes)
    for (auto* operands : {&node.inputs, &node.outputs})
      for (ir::ValueId& v : *operands)
        if (const auto other = swapped.find(v); other != swapped.end()) v = other->second;
}

}  // namespace byoc::tflite
