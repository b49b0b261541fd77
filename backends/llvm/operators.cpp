#include "backends/llvm/operators.hpp"

#include <algorithm>
#include <tuple>

#include "backends/llvm/backend.hpp"
#include "backends/llvm/lower/lowerings.hpp"

namespace byoc::bitcode {
namespace {

#define BYOC_LOWERING(domain, op, lowering, traits) {domain, #op, accepts_##lowering, lower_##lowering, traits},
constexpr Lowering kLowerings[] = {
#include "backends/llvm/operators.inc"
};
#undef BYOC_LOWERING

constexpr auto name_of(const Lowering& l) { return std::tuple(l.domain, l.op); }
static_assert(std::ranges::adjacent_find(kLowerings, std::ranges::greater_equal(), name_of) == std::end(kLowerings),
              "operators.inc must be ordered by domain and name, each once");

bool has_trait(const codegen::Node& node, Trait trait) {
  const Lowering* lowering = find_lowering(node.domain, node.op);
  return lowering != nullptr && (lowering->traits & trait) != 0;
}

}  // namespace

std::vector<reference::Operator> operators() {
  std::vector<reference::Operator> out;
  for (const Lowering& l : kLowerings) out.push_back({l.domain, l.op});
  return out;
}

const Lowering* find_lowering(std::string_view domain, std::string_view op) {
  const auto* it = std::ranges::lower_bound(kLowerings, std::tuple(domain, op), {}, name_of);
  return it == std::end(kLowerings) || it->domain != domain || it->op != op ? nullptr : it;
}

layers::OperatorTraits operator_traits() {
  return {[](const codegen::Node& n) { return has_trait(n, kElementwise); },
          [](const codegen::Node& n) { return has_trait(n, kPool); }};
}

}  // namespace byoc::bitcode
