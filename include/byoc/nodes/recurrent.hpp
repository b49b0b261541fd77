// The functions of the gates of RNN, GRU and LSTM.
#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "byoc/codegen.hpp"

namespace byoc::nodes {

// A function that ONNX has for gates, with the factors that it takes and their values where the node has none.
struct GateFunction {
  std::string_view name;  // in lower case
  bool has_alpha, has_beta;
  float alpha, beta;
};

inline constexpr std::array<GateFunction, 11> kGateFunctions{{
    {"affine", true, true, 1.0F, 0.0F},
    {"elu", true, false, 1.0F, 0.0F},
    {"hardsigmoid", true, true, 0.2F, 0.5F},
    {"leakyrelu", true, false, 0.01F, 0.0F},
    {"relu", false, false, 0.0F, 0.0F},
    {"scaledtanh", true, true, 1.0F, 1.0F},
    {"sigmoid", false, false, 0.0F, 0.0F},
    {"softplus", false, false, 0.0F, 0.0F},
    {"softsign", false, false, 0.0F, 0.0F},
    {"tanh", false, false, 0.0F, 0.0F},
    {"thresholdedrelu", true, false, 1.0F, 0.0F},
}};

// Functions of one direction by their names in ONNX's order: of the gates, then of the candidate, then of the result.
[[nodiscard]] inline std::vector<std::string> default_gate_functions(const codegen::Node& node) {
  if (node.op == "LSTM") return {"Sigmoid", "Tanh", "Tanh"};
  if (node.op == "GRU") return {"Sigmoid", "Tanh"};
  return {"Tanh"};
}

// The functions of all directions, one after the other, each with its own factors. Null, with what was found in `why`:
// another number of functions, or one that there is not.
[[nodiscard]] inline std::optional<std::vector<GateFunction>> read_gate_functions(const codegen::Node& node,
                                                                                  std::string& why) {
  std::vector<std::string> names = default_gate_functions(node);
  if (node.text("direction", "forward") == "bidirectional") {
    const std::vector<std::string> forward = names;
    names.insert(names.end(), forward.begin(), forward.end());
  }
  if (const auto* given = node.find<std::vector<std::string>>("activations")) {
    if (given->size() != names.size()) {
      why = "found " + std::to_string(given->size()) + " activations, expected " + std::to_string(names.size());
      return std::nullopt;
    }
    names = *given;
  }
  const auto* alphas = node.find<std::vector<float>>("activation_alpha");
  const auto* betas = node.find<std::vector<float>>("activation_beta");
  std::size_t next_alpha = 0, next_beta = 0;  // functions that take one have the next of the list
  std::vector<GateFunction> out;
  for (std::string& name : names) {
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    const auto* known = std::find_if(kGateFunctions.begin(), kGateFunctions.end(),
                                     [&](const GateFunction& f) { return f.name == name; });
    if (known == kGateFunctions.end()) {
      why = "found activation " + name;
      return std::nullopt;
    }
    GateFunction f = *known;
    if (f.has_alpha && alphas != nullptr && next_alpha < alphas->size()) f.alpha = (*alphas)[next_alpha++];
    if (f.has_beta && betas != nullptr && next_beta < betas->size()) f.beta = (*betas)[next_beta++];
    out.push_back(f);
  }
  return out;
}

}  // namespace byoc::nodes
