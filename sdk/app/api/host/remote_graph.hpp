// A graph.json and its parameters, for a server that knows neither: calls, buffers, and what is in them at first.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "byoc/interface.hpp"
#include "sdk/base/support/diagnostics.hpp"
#include "sdk/run/remote/protocol.hpp"

namespace byoc::api {

struct RemoteGraph {
  remote::ModelCalls calls;
  std::vector<std::span<const std::byte>> contents;  // of calls.graph->contents; in the parameters
  // Arguments that are no parameters, and heads, by the names of their nodes.
  ModelInterface interface;
};

// `params` (empty: none) outlive what is made. Errors: those of a graph executor; parameters that the graph does not
// have, or has with another type or shape; inputs and outputs that no model could have.
[[nodiscard]] Result<RemoteGraph> remote_graph(const std::string& json, std::span<const std::byte> params,
                                               const std::string& file, Diagnostics& diags);

}  // namespace byoc::api
