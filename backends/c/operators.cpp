#include "backends/c/operators.hpp"

#include <algorithm>

#include "backends/c/lower/lowerings.hpp"

namespace byoc::c {
namespace {

// In the order of the alphabet within a domain.
constexpr Lowering kLowerings[] = {
    {"", "Add", accepts_add, lower_add},
    {"", "AveragePool", accepts_average_pool, lower_average_pool},
    {"", "Conv", accepts_conv, lower_conv},
    {"", "Gemm", accepts_gemm, lower_gemm},
    {"", "GlobalAveragePool", accepts_global_average_pool, lower_global_average_pool},
    {"", "MatMul", accepts_matmul, lower_matmul},
    {"", "Reshape", accepts_reshape, lower_reshape},
    {"", "Softmax", accepts_softmax, lower_softmax},
    {"", "Sub", accepts_sub, lower_sub},
    {"byoc", "FullyConnected", accepts_fully_connected, lower_fully_connected},
};

}  // namespace

const Lowering* find_lowering(std::string_view domain, std::string_view op) {
  const auto* it = std::find_if(std::begin(kLowerings), std::end(kLowerings),
                                [&](const Lowering& l) { return l.op == op && l.domain == domain; });
  return it == std::end(kLowerings) ? nullptr : it;
}

}  // namespace byoc::c
