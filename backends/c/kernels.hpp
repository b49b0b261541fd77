// The template files of kernels/ and its folders, embedded.
#pragma once

#include <string_view>

namespace byoc::c {

// Text of the file <name> in one of the folders of kernels/. It must exist: they are this backend's own.
[[nodiscard]] std::string_view kernel_file(std::string_view name);

}  // namespace byoc::c
