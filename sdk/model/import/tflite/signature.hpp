// Signatures of a TFLite model: a name for one of its subgraphs, and names for what goes in and comes out there.
#pragma once

#include <string>

#include "sdk/model/import/tflite/model.hpp"

namespace byoc::tflite {

// Null for "", with a warning where the model has signatures for more than one subgraph: the first is imported then.
// Errors: no signature of this name, one of a subgraph or of tensors that are not there.
[[nodiscard]] Result<const schema::SignatureDef*> find_signature(const Model& model, const std::string& name,
                                                                 Diagnostics&);

// Inputs and outputs of the signature's subgraph have the names that it has for them.
void name_by(const schema::SignatureDef& signature, ir::Graph& graph);

}  // namespace byoc::tflite
