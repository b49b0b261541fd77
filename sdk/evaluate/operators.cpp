#include "sdk/evaluate/operators.hpp"

#include <array>

namespace byoc::evaluate {
namespace {

constexpr std::array kOperators = {
    Operator{"", "Add", 2, 2, 1, add},
    Operator{"", "AveragePool", 1, 1, 1, average_pool},
    Operator{"", "Conv", 2, 3, 1, conv},
    Operator{"", "Relu", 1, 1, 1, relu},
    Operator{"", "Reshape", 2, 2, 1, reshape},
    Operator{"", "Softmax", 1, 1, 1, softmax},
    Operator{"byoc", "FullyConnected", 2, 3, 1, fully_connected},
};

}  // namespace

std::span<const Operator> operators() { return kOperators; }

const Operator* find_operator(std::string_view domain, std::string_view op) {
  for (const Operator& o : kOperators)
    if (o.op == op && o.domain == domain) return &o;
  return nullptr;
}

}  // namespace byoc::evaluate
