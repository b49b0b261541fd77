// The template files of kernels/ and its folders, embedded.
#pragma once

#include <span>
#include <string_view>
#include <utility>

namespace byoc::c {

// The first line of all C that this backend writes.
inline constexpr const char* kLicenceLine = "/* SPDX-License-Identifier: Apache-2.0 */\n";

// Text of the file <name> in one of the folders of kernels/. It must exist: they are this backend's own.
[[nodiscard]] std::string_view kernel_file(std::string_view name);

// Name and text of all of them.
[[nodiscard]] std::span<const std::pair<std::string_view, std::string_view>> all_kernel_files();

}  // namespace byoc::c
