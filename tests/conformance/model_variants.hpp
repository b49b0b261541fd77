// A model in other forms that mean the same: what exporters and people do to models without changing their values.
#pragma once

#include <string>

namespace onnx {
class ModelProto;
}  // namespace onnx

namespace byoc::test {

enum class Variant {
  as_it_is,
  open_dims,  // each dim of the inputs has a name of its own; no other type is stated
  untyped,    // inputs go through an Identity, and no type is stated but those of inputs
  function,   // the nodes are a function of the model that the graph calls
  branch,     // the nodes are both branches of an If, which captures all that they read
};

// "open_dims" ...; false: there is no such variant.
[[nodiscard]] bool variant_of(const std::string& name, Variant& variant);

// False where the model cannot have this form: its operator set is too old.
[[nodiscard]] bool make_variant(onnx::ModelProto& model, Variant variant);

}  // namespace byoc::test
