// Values of all kinds from files, for models that a host interprets.
#pragma once

#include <string>

#include "byoc/vm.hpp"

namespace byoc {

// Implements read_value() (byoc/vm.hpp).
[[nodiscard]] Result<HostValue> value_of_file(const std::string& path, const ValueInfo& input, Diagnostics&);
// Reads a file with the message of onnx.proto for the input's kind, whatever its name.
[[nodiscard]] Result<HostValue> value_of_proto(const std::string& path, const ValueInfo& input, Diagnostics&);

}  // namespace byoc
