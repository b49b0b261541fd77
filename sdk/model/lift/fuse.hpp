// Operators between Dequantize and Quantize become operators on quantised tensors: one function per family.
#pragma once

#include <optional>
#include <string_view>

#include "sdk/model/lift/rewriter.hpp"

namespace byoc::lift {

// `node` computes a real result that only a Quantize to `y` reads, with `activation` in between ("none", "relu" ...).
struct Site {
  const ir::Node& node;
  ir::ValueId y;
  std::string_view activation;
};

// The node that computes `y` from the integers `node`'s operands are dequantised from; nullopt where the integer
// computation would be another function, or where an operand is not what it takes.
using Fuse = std::optional<ir::Node> (*)(Rewriter&, const Site&);

struct FuseRule {
  std::string_view op;
  bool takes_activation;  // the operator has the attribute `activation`
  Fuse fuse;
};

[[nodiscard]] const FuseRule* find_fuse_rule(const ir::Node&);

std::optional<ir::Node> fuse_conv(Rewriter&, const Site&);
std::optional<ir::Node> fuse_gemm(Rewriter&, const Site&);
std::optional<ir::Node> fuse_matmul(Rewriter&, const Site&);
std::optional<ir::Node> fuse_arithmetic(Rewriter&, const Site&);
std::optional<ir::Node> fuse_add(Rewriter&, const Site&);  // of two tensors, or of a bias to a MatMul
// Fuses operators on one tensor: pools, means, clamps, functions of one element. The other operands (axes, real bounds)
// stay.
std::optional<ir::Node> fuse_first(Rewriter&, const Site&);

// A copy of site.node on other operands, with the activation.
[[nodiscard]] ir::Node on_integers(const Site&, std::vector<ir::ValueId> inputs);

}  // namespace byoc::lift
