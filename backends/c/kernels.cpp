#include "backends/c/kernels.hpp"

#include <algorithm>
#include <cassert>
#include <span>
#include <utility>

namespace byoc::c {

std::span<const std::pair<std::string_view, std::string_view>> kernel_files();  // embedded by the build

std::span<const std::pair<std::string_view, std::string_view>> all_kernel_files() { return kernel_files(); }

std::string_view kernel_file(std::string_view name) {
  const auto files = kernel_files();
  const auto it = std::find_if(files.begin(), files.end(), [&](const auto& f) { return f.first == name; });
  assert(it != files.end() && "a lowering names a kernel file that does not exist");
  return it->second;
}

}  // namespace byoc::c
