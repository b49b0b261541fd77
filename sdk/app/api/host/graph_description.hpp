// Describes a graph.json, for people and for programs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sdk/base/support/json.hpp"
#include "sdk/program/graphjson/graph_json.hpp"

namespace byoc::api {

// {"nodes": [{"name", "function", "inputs": [entry name], "outputs": [{"type", "bytes", "storage"}]}], "outputs":
// [entry name], "storage": [{"id", "bytes", "entries": [entry name]}], "bytes"}; a node without a function has none.
[[nodiscard]] Json describe_graph(const GraphJson& graph);
// The description as lines of text.
[[nodiscard]] std::string graph_lines(const GraphJson& graph, const std::string& indent = "");
// A page of its own: the nodes drawn from inputs to outputs, and the storage as a table.
[[nodiscard]] std::string graph_page(const GraphJson& graph, const std::string& title);

}  // namespace byoc::api
