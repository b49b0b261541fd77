#include "sdk/prepare/shapes/rules.hpp"

#include <array>

namespace byoc::shapes {
namespace {

constexpr std::array kRules = {
    Rule{"", "Add", 2, 2, 1, elementwise_binary},
    Rule{"", "AveragePool", 1, 1, 1, pool},
    Rule{"", "Conv", 2, 3, 1, conv},
    Rule{"", "Relu", 1, 1, 1, like_input},
    Rule{"", "Reshape", 2, 2, 1, reshape},
    Rule{"", "Softmax", 1, 1, 1, like_input},
    Rule{"byoc", "FullyConnected", 2, 3, 1, fully_connected},
};

}  // namespace

std::span<const Rule> rules() { return kRules; }

const Rule* find_rule(std::string_view domain, std::string_view op) {
  for (const Rule& r : kRules)
    if (r.op == op && r.domain == domain) return &r;
  return nullptr;
}

}  // namespace byoc::shapes
