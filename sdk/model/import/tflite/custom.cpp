#include "sdk/model/import/tflite/custom.hpp"

#include <algorithm>

#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

std::span<const CustomEntry> custom_operators() {
#define TFLITE_CUSTOM_OPERATOR(name, least_inputs, most_inputs, least_outputs, most_outputs, row, ...) \
  {name,                                                                                               \
   {.code = schema::BuiltinOperator::CUSTOM,                                                           \
    .min_inputs = least_inputs,                                                                        \
    .max_inputs = most_inputs,                                                                         \
    .function = import_##row,                                                                          \
    .max_outputs = most_outputs,                                                                       \
    .min_outputs = least_outputs __VA_OPT__(, ) __VA_ARGS__}},
  static constexpr CustomEntry kTable[] = {
#include "sdk/model/import/tflite/custom_operators.inc"
  };
#undef TFLITE_CUSTOM_OPERATOR
  return kTable;
}

const OperatorEntry* find_custom_operator(const schema::OperatorCode& code) {
  if (code.custom_code() == nullptr) return nullptr;
  for (const CustomEntry& row : custom_operators())
    if (row.name == code.custom_code()->string_view()) return &row.entry;
  return nullptr;
}

// The options are in the FlatBuffer, or where an offset of more than 1 says in the file.
Result<std::string> custom_options(const Model& model, const schema::Operator& op, const std::string& where,
                                   Diagnostics& diags) {
  if (op.large_custom_options_offset() > 1 || op.large_custom_options_size() != 0) {
    const std::uint64_t at = op.large_custom_options_offset(), size = op.large_custom_options_size();
    const std::span<const std::byte> file = model.bytes();
    if (at > file.size() || size > file.size() - at)
      return diags.error(model.path(), where, "its options lie outside the file",
                         std::to_string(size) + " bytes at " + std::to_string(at),
                         "at most " + std::to_string(file.size()) + " bytes in all");
    return std::string(reinterpret_cast<const char*>(file.data()) + at, size);
  }
  if (length(op.custom_options()) == 0) return std::string();
  return std::string(reinterpret_cast<const char*>(op.custom_options()->data()), op.custom_options()->size());
}

Result<void> import_custom(const Model& model, CustomOperator from, ir::Graph& graph, Diagnostics& diags) {
  if (from.code.custom_code() == nullptr || from.code.custom_code()->size() == 0)
    return diags.error(model.path(), from.where, "a CUSTOM operator has no name");
  auto options = custom_options(model, from.source, from.where, diags);
  if (!options) return failure;
  ir::Node node;
  node.domain = "tflite";
  node.op = from.code.custom_code()->str();
  node.version = std::max(from.code.version(), 1);
  node.name = from.outputs.empty() ? "" : graph.values[from.outputs[0]].name;
  node.position = from.position;
  node.attributes["custom_options"] = std::move(*options);
  if (const auto places = model.offline_places(); !places.empty()) {
    std::vector<std::int64_t> of_operands;
    for (const auto* list : {&from.inputs, &from.outputs})
      for (const ir::ValueId v : *list) of_operands.push_back(v < places.size() ? places[v] : -1);
    node.attributes["offline_places"] = std::move(of_operands);
  }
  std::vector<std::int64_t> scratch(from.inputs.size(), 0);
  for (std::size_t i = 0; i < from.inputs.size(); ++i) {
    if (!from.scratch[i]) continue;
    scratch[i] = static_cast<std::int64_t>(graph.values[from.inputs[i]].type.bytes());
    from.inputs[i] = ir::kNoValue;
  }
  if (std::count(from.scratch.begin(), from.scratch.end(), true) != 0)
    node.attributes["scratch_bytes"] = std::move(scratch);
  while (!from.inputs.empty() && from.inputs.back() == ir::kNoValue) from.inputs.pop_back();
  node.inputs = std::move(from.inputs);
  node.outputs = std::move(from.outputs);
  graph.add_node(std::move(node));
  return {};
}

}  // namespace byoc::tflite
