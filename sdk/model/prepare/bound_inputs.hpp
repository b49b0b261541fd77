// Inputs and outputs that are sequences, optionals or strings, as tensors with room for the most there can be, and
// flags and lengths beside them (docs/decisions/bounded-values.md).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sdk/base/support/diagnostics.hpp"
#include "sdk/model/ir/graph.hpp"

namespace byoc {

// The room that is stated for a value: "8", "8[2,3]", "[2],[3]", "16B", "8[2],16B".
struct Bound {
  std::optional<std::uint32_t> elements;     // at most so many
  std::vector<std::vector<ir::Dim>> shapes;  // of each of `elements`; without `elements` exactly these, in order
  std::optional<std::uint32_t> text_bytes;   // of each string, without the 0 at its end
};
// Nullopt for what is none.
[[nodiscard]] std::optional<Bound> parse_bound(std::string_view text);

// Bounds by the name of an input; "" for all inputs without a bound of their own.
using Bounds = std::map<std::string, Bound>;
Result<Bounds> parse_bounds(const ir::Graph&, const std::map<std::string, std::string>& texts, Diagnostics&);

// Inputs that are sequences or optionals become tensors if their bounds are known. A bound that does not fit its input
// is an error.
Result<void> bound_inputs(ir::Graph&, const Bounds&, Diagnostics&);
// Outputs that are sequences or optionals become tensors if their elements are known. Returns true if something
// changed.
Result<bool> bound_outputs(ir::Graph&, Diagnostics&);

}  // namespace byoc
