// CUSTOM operators: nodes of the domain "tflite" that only a codegen knows.
#pragma once

#include "sdk/import/tflite/model.hpp"

namespace byoc::tflite {

// What a CUSTOM operator of a model becomes: a node of its name and version with its options as they lie in the file
// (attribute custom_options), and in offline_places, where the model's compiler has put its inputs and then its outputs
// (Model::offline_places). `inputs` and `outputs` are values of `graph`. Inputs that are `scratch` become inputs
// that are not given: the attribute scratch_bytes says for every input how large it is, 0 for the others. Errors: no
// name, options that lie outside the file.
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
