// A model by the names that projects of microTVM call it by: structs of pointers, and a function that brings its
// memory.
#pragma once

#include <string>

#include "sdk/support/diagnostics.hpp"

namespace byoc {

struct ModelInterfaceText {
  std::string header;  // tvmgen_<model>.h in lower case, which includes <model>.h
  std::string source;  // C; "" where the library has no <model>_run
};

// Reads the manifest of a model, whose prefix is `name`. Throws the JSON library's exceptions for a manifest of another
// form.
[[nodiscard]] ModelInterfaceText make_model_interface(const std::string& name, const std::string& header_name,
                                                      const std::string& manifest);

}  // namespace byoc
