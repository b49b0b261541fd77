// A model for a higher level of the target's architecture, beside the base model in one library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "byoc/interface.hpp"

namespace byoc::executor {

// A level's symbols start with its interface's prefix; its inputs and outputs are the model's own.
struct Level {
  std::int32_t number = 0;  // of x86-64: 2, 3, 4
  ModelInterface interface;
  std::vector<std::byte> object;  // with all that the model needs at this level
};

}  // namespace byoc::executor
