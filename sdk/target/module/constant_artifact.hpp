// A constant that becomes a `const` global in flash. Nothing ever prints its bytes.
#pragma once

#include <cstdint>
#include <string>

#include "byoc/types.hpp"
#include "sdk/base/support/blob.hpp"

namespace byoc {

struct ConstantArtifact {
  std::string symbol = {};       // claimed, unique in the library
  Blob bytes = {};               // little-endian elements; mapped from the model where it is a model's
  std::uint32_t align = 4;       // bytes, a power of two
  std::string region = "flash";  // a pool of kind flash
  DType element = DType::u8;     // element type of its C declaration
  bool model_data = true;        // weights of the model; false: tables, multipliers, parameters
  bool global = true;            // seen by other objects
  std::string codegen = {};      // who made it; "": byoc itself or the user
  bool moves = false;            // it has no address before the program runs: it is no part of the library
};

}  // namespace byoc
