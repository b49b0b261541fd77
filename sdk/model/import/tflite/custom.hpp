// CUSTOM operators: those that everyone means the same by (custom_operators.inc) are read like builtin ones, all others
// become nodes of the domain "tflite" that only a codegen knows.
#pragma once

#include "sdk/model/import/tflite/model.hpp"
#include "sdk/model/import/tflite/operator_import.hpp"

namespace byoc::tflite {

struct CustomEntry {
  std::string_view name;
  OperatorEntry entry;
};

// The table of those that are read like builtin ones, in the order of their names.
[[nodiscard]] std::span<const CustomEntry> custom_operators();
// Null for one that only a codegen knows.
[[nodiscard]] const OperatorEntry* find_custom_operator(const schema::OperatorCode&);

// An operator's custom options as they lie in the file. Errors: they lie outside.
Result<std::string> custom_options(const Model& model, const schema::Operator&, const std::string& where, Diagnostics&);

// Imports a CUSTOM operator as a node of its name and version. Attribute custom_options has its options as they are in
// the file; offline_places has the offsets that the model's compiler chose for its inputs and then its outputs
// (Model::offline_places). `inputs` and `outputs` are values of `graph`. Inputs that are `scratch` become inputs that
// are not given: the attribute scratch_bytes has a size for every input, 0 for the others. Errors: no name, options
// that lie outside the file.
struct CustomOperator {
  const schema::Operator& source;
  const schema::OperatorCode& code;
  std::int64_t position;
  std::string where;
  std::vector<ir::ValueId> inputs, outputs;
  std::vector<bool> scratch;  // one an input
};
Result<void> import_custom(const Model& model, CustomOperator from, ir::Graph& graph, Diagnostics& diags);

}  // namespace byoc::tflite
