#include "backends/c/places.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace byoc::c {
namespace {

constexpr std::string_view kElementwise[] = {
    "Abs",  "Add",   "AddN",  "Cast",    "Ceil",        "Clip",      "Dequantize",        "Div",
    "Elu",  "Exp",   "Floor", "Gelu",    "HardSigmoid", "HardSwish", "LeakyRelu",         "Log",
    "Max",  "Min",   "Mul",   "Neg",     "PRelu",       "Pow",       "Quantize",          "Reciprocal",
    "Relu", "Round", "Rsqrt", "Sigmoid", "Softplus",    "Sqrt",      "SquaredDifference", "Sub",
    "Sum",  "Tanh"};
constexpr std::string_view kPools[] = {"AveragePool", "MaxPool", "L2Pool", "LpPool"};

}  // namespace

bool is_elementwise(const codegen::Node& node) {
  return std::find(std::begin(kElementwise), std::end(kElementwise), node.op) != std::end(kElementwise);
}

bool is_pool(const codegen::Node& node) {
  return std::find(std::begin(kPools), std::end(kPools), node.op) != std::end(kPools);
}

}  // namespace byoc::c
