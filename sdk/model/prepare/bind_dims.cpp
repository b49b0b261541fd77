#include "sdk/model/prepare/bind_dims.hpp"

#include <optional>
#include <string>
#include <vector>

#include "sdk/base/support/nearest.hpp"
namespace byoc {
namespace {

std::string quoted_list(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& n : names) out += (out.empty() ? "'" : ", '") + n + "'";
  return out.empty() ? "none" : out;
}

// Symbols of this name; at least one, or an error.
std::vector<std::size_t> symbols_named(const ir::Graph& graph, const std::string& name, Diagnostics& diags) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < graph.symbols.size(); ++i)
    if (graph.symbols[i] == name) out.push_back(i);
  if (out.empty())
    diags.error(graph.file, {}, "the model has no open dimension of this name" + did_you_mean(name, graph.symbols),
                name, quoted_list(graph.symbols));
  return out;
}

}  // namespace

Result<void> bind_dims(ir::Graph& graph, const std::map<std::string, std::int64_t>& bindings, Diagnostics& diags) {
  bool ok = true;
  std::vector<std::optional<std::int64_t>> lengths(graph.symbols.size());
  for (const auto& [name, length] : bindings) {
    const std::vector<std::size_t> symbols = symbols_named(graph, name, diags);
    for (const std::size_t s : symbols) lengths[s] = length;
    if (length < 0)
      diags.error(graph.file, {}, "dimension '" + name + "' is negative", std::to_string(length), "0 or more");
    ok = ok && !symbols.empty() && length >= 0;
  }
  if (!ok) return failure;
  for (ir::Value& v : graph.values) {
    if (!v.type.dims) continue;
    for (ir::Dim& d : *v.type.dims) {
      const auto symbol = static_cast<std::size_t>(-1 - d);
      if (ir::is_open(d) && symbol < lengths.size() && lengths[symbol]) d = *lengths[symbol];
    }
  }
  return {};
}

Result<void> set_ranges(ir::Graph& graph, const std::map<std::string, DimRange>& ranges, Diagnostics& diags) {
  for (const auto& [name, range] : ranges) {
    if (range.least < 0 || range.most < range.least)
      return diags.error(graph.file, {}, "dimension '" + name + "' has no range of lengths",
                         std::to_string(range.least) + " to " + std::to_string(range.most), "from 0 on, upwards");
    const std::vector<std::size_t> symbols = symbols_named(graph, name, diags);
    if (symbols.empty()) return failure;
    graph.ranges.resize(graph.symbols.size());
    for (const std::size_t s : symbols) graph.ranges[s] = range;
  }
  return {};
}

}  // namespace byoc
