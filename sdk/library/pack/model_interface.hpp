// A model by the names that projects of microTVM call it by: structs of pointers, and a function that brings its
// memory.
#pragma once

#include <string>

#include "sdk/library/pack/library_description.hpp"

namespace byoc {

struct ModelInterfaceText {
  std::string header;  // tvmgen_<model>.h in lower case, which includes <model>.h
  std::string source;  // C; "" where the library has no <model>_run
};

// For a model whose prefix is `name`. Null: of a model that was not compiled there is a header alone.
[[nodiscard]] ModelInterfaceText make_model_interface(const std::string& name, const std::string& header_name,
                                                      const LibraryDescription* description);

}  // namespace byoc
