// Properties of a backend's operators that passes over layers ask for.
#pragma once

#include "byoc/codegen.hpp"

namespace byoc::layers {

// Each is false for an operator that the backend does not have.
struct OperatorTraits {
  // A result is computed of the elements at the same place alone, after broadcasting.
  bool (*is_elementwise)(const codegen::Node&);
  // A result is computed of the elements in a window that slides over the image, each channel by itself.
  bool (*is_pool)(const codegen::Node&);
};

}  // namespace byoc::layers
