// Optionals are tensors here: what is given is there.
#include "sdk/import/onnx/composition.hpp"

namespace byoc::onnx_import {

Result<void> normalise_optional_has_element(Normaliser& e, ir::Node node) {
  Composition c(e, node);
  c.give(0, c.boolean(c.has(0)));
  return {};
}

Result<void> normalise_optional_get_element(Normaliser& e, ir::Node node) {
  Composition c(e, node);
  c.give(0, c.in(0));
  return {};
}

}  // namespace byoc::onnx_import
