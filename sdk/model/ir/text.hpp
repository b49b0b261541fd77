// The readable text form of a graph: what text tests are written in. docs/graph-text.md is the grammar.
#pragma once

#include <string>
#include <string_view>

#include "sdk/base/support/diagnostics.hpp"
#include "sdk/model/ir/graph.hpp"

namespace byoc::ir {

struct PrintOptions {
  std::size_t longest_constant = SIZE_MAX;  // larger constants (in elements) print as their hash and do not parse back
};

// parse(print(g)) has the same values, nodes, ids and bytes as g; print(parse(t)) == t for printed t. A graph that the
// verifier refuses (a dim that names no symbol, two symbols of one name) can be printed, but only for reading.
[[nodiscard]] std::string print(const Graph&, const PrintOptions& = {});

// Stops at the first error, whose Diagnostic::node is "line:column". Checks the text only: verify() checks the graph.
// All constants of one text together may have at most 1 GiB.
Result<Graph> parse(std::string_view text, const std::string& file, Diagnostics&);

}  // namespace byoc::ir
