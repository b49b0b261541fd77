// Constants as C source that any compiler takes: arrays of the types of their declarations, in any byte order.
#pragma once

#include <span>
#include <string>

#include "sdk/base/support/diagnostics.hpp"
#include "sdk/target/module/constant_artifact.hpp"

namespace byoc {

// The definitions, for a source that includes `header`, which declares them. Errors: a constant that cannot be read.
[[nodiscard]] Result<std::string> portable_constants(std::span<const ConstantArtifact>, const std::string& header,
                                                     Diagnostics&);

// The definitions as .incbin of `file`, for compilers with GNU's assembler, and the content of the file. Errors: as
// above.
struct IncludedConstants {
  std::string source;
  std::string content;
};
[[nodiscard]] Result<IncludedConstants> included_constants(std::span<const ConstantArtifact>, const std::string& header,
                                                           const std::string& file, Diagnostics&);

}  // namespace byoc
