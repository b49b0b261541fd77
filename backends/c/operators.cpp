#include "backends/c/operators.hpp"

#include <algorithm>

#include "backends/c/lower/lowerings.hpp"

namespace byoc::c {
namespace {

// In the order of the alphabet within a domain.
constexpr Lowering kLowerings[] = {
    {"", "Reshape", accepts_reshape, lower_reshape},
};

}  // namespace

const Lowering* find_lowering(std::string_view domain, std::string_view op) {
  const auto* it = std::find_if(std::begin(kLowerings), std::end(kLowerings),
                                [&](const Lowering& l) { return l.op == op && l.domain == domain; });
  return it == std::end(kLowerings) ? nullptr : it;
}

}  // namespace byoc::c
