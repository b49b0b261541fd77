#include "backends/reference.hpp"

#include <algorithm>

#include "backends/c/backend.hpp"
#ifdef BYOC_WITH_LLVM
#include "backends/llvm/backend.hpp"
#endif

namespace byoc::reference {
namespace {

constexpr Backend kBackends[] = {
    {"c", c::query, c::create, c::operators},
#ifdef BYOC_WITH_LLVM
    {"llvm", bitcode::query, bitcode::create, bitcode::operators},
#endif
};

}  // namespace

std::span<const Backend> backends() { return kBackends; }

const Backend* find(std::string_view id) {
  const auto* it = std::ranges::find(kBackends, id, &Backend::id);
  return it == std::end(kBackends) ? nullptr : it;
}

}  // namespace byoc::reference
