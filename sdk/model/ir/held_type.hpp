// The types that attributes name: "f32", "string", "seq(f32)".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sdk/model/ir/graph.hpp"

namespace byoc::ir {

// The name of a type that has an element type, without its shape.
[[nodiscard]] std::string held_name(const TensorType&);
// Nullopt for what is neither a tensor's name nor a sequence's.
[[nodiscard]] std::optional<TensorType> held_type(std::string_view name);

}  // namespace byoc::ir
