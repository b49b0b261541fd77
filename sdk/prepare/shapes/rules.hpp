// Every operator whose types we infer.
#pragma once

#include <span>

#include "sdk/prepare/shapes/inference.hpp"

namespace byoc::shapes {

[[nodiscard]] std::span<const Rule> rules();
// Null for an operator that is not in the table.
[[nodiscard]] const Rule* find_rule(std::string_view domain, std::string_view op);

Result<void> conv(const Inference&);
Result<void> elementwise_binary(const Inference&);
Result<void> fully_connected(const Inference&);
Result<void> like_input(const Inference&);
Result<void> pool(const Inference&);
Result<void> reshape(const Inference&);

}  // namespace byoc::shapes
