// The readable text form of a graph: what text tests are written in. print(parse(t)) == t for printed t.
#pragma once

#include <string>
#include <string_view>

#include "sdk/ir/graph.hpp"
#include "sdk/support/diagnostics.hpp"

namespace byoc::ir {

struct PrintOptions {
  std::size_t longest_constant = SIZE_MAX;  // larger constants (in elements) print as their hash and do not parse back
};

[[nodiscard]] std::string print(const Graph&, const PrintOptions& = {});

// Errors carry "line:column" in Diagnostic::node.
Result<Graph> parse(std::string_view text, const std::string& file, Diagnostics&);

}  // namespace byoc::ir
