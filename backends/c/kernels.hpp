// The template files of kernels/, embedded.
#pragma once

#include <string_view>

namespace byoc::c {

// Text of kernels/<name>. The name must exist: they are this backend's own.
[[nodiscard]] std::string_view kernel_file(std::string_view name);

}  // namespace byoc::c
