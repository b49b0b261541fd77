#include "sdk/api/graph_description.hpp"

#include <algorithm>

#include "sdk/support/markup.hpp"

namespace byoc::api {
namespace {

using Json = nlohmann::ordered_json;

std::string type_text(const GraphJson& graph, std::uint32_t entry) {
  return shape_text(graph.entries[entry].type, graph.entries[entry].shape);
}

std::string joined(const std::vector<std::string>& all) {
  std::string out;
  for (const std::string& s : all) out += (out.empty() ? "" : ", ") + s;
  return out;
}

std::vector<std::string> names(const GraphJson& graph, const std::vector<GraphJsonRef>& refs) {
  std::vector<std::string> out;
  for (const GraphJsonRef& r : refs) out.push_back(graph.entry_name(graph.entry(r)));
  return out;
}

std::map<std::uint32_t, std::vector<std::string>> by_storage(const GraphJson& graph) {
  std::map<std::uint32_t, std::vector<std::string>> out;
  for (std::uint32_t e = 0; e < graph.entries.size(); ++e) out[graph.entries[e].storage].push_back(graph.entry_name(e));
  return out;
}

// Where each node is drawn: below all that it reads.
struct Place {
  std::size_t row = 0, column = 0;
};

std::vector<Place> places(const GraphJson& graph) {
  std::vector<Place> out(graph.nodes.size());
  for (std::size_t n = 0; n < out.size(); ++n)
    for (const GraphJsonRef& r : graph.nodes[n].inputs) out[n].row = std::max(out[n].row, out[r.node].row + 1);
  // What nothing comes before stands right above its first reader.
  for (std::size_t n = out.size(); n-- > 0;)
    for (const GraphJsonRef& r : graph.nodes[n].inputs)
      if (graph.nodes[r.node].is_null()) out[r.node].row = out[n].row == 0 ? 0 : out[n].row - 1;
  std::map<std::size_t, std::size_t> next;
  for (Place& p : out) p.column = next[p.row]++;
  return out;
}

constexpr std::size_t kWidth = 260, kHeight = 90, kBoxWidth = 230, kBoxHeight = 46;

std::string number(std::size_t n) { return std::to_string(n); }

std::string box(const GraphJson& graph, std::size_t n, const Place& p) {
  const GraphJsonNode& node = graph.nodes[n];
  const std::size_t x = p.column * kWidth + 10, y = p.row * kHeight + 10;
  std::string types;
  for (std::uint32_t k = 0; k < node.outputs; ++k) {
    const std::uint32_t e = graph.first_entry[n] + k;
    types += (k ? ", " : "") + type_text(graph, e) + " @" + number(graph.entries[e].storage);
  }
  return "<g><title>" + markup_text(node.name + (node.is_null() ? "" : ": " + node.function) + " -> " + types) +
         "</title><rect class=\"" + (node.is_null() ? "null" : "op") + "\" x=\"" + number(x) + "\" y=\"" + number(y) +
         "\" width=\"" + number(kBoxWidth) + "\" height=\"" + number(kBoxHeight) + "\" rx=\"6\"/><text x=\"" +
         number(x + 8) + "\" y=\"" + number(y + 19) + "\">" + markup_text(node.name.substr(0, 34)) +
         "</text><text class=\"type\" x=\"" + number(x + 8) + "\" y=\"" + number(y + 37) + "\">" +
         markup_text(types.substr(0, 38)) + "</text></g>\n";
}

std::string edges(const GraphJson& graph, std::size_t n, const std::vector<Place>& all) {
  std::string out;
  for (const GraphJsonRef& r : graph.nodes[n].inputs) {
    const Place &from = all[r.node], &to = all[n];
    out += "<line x1=\"" + number(from.column * kWidth + 10 + kBoxWidth / 2) + "\" y1=\"" +
           number(from.row * kHeight + 10 + kBoxHeight) + "\" x2=\"" + number(to.column * kWidth + 10 + kBoxWidth / 2) +
           "\" y2=\"" + number(to.row * kHeight + 10) + "\"/>\n";
  }
  return out;
}

}  // namespace

Json describe_graph(const GraphJson& graph) {
  Json out = {{"nodes", Json::array()}, {"outputs", names(graph, graph.heads)}, {"storage", Json::array()}};
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const GraphJsonNode& node = graph.nodes[n];
    Json json = {{"name", node.name}};
    if (!node.is_null()) json["function"] = node.function;
    json["inputs"] = names(graph, node.inputs);
    json["outputs"] = Json::array();
    for (std::uint32_t k = 0; k < node.outputs; ++k) {
      const std::uint32_t e = graph.first_entry[n] + k;
      json["outputs"].push_back(
          {{"type", type_text(graph, e)}, {"bytes", graph.entry_bytes(e)}, {"storage", graph.entries[e].storage}});
    }
    out["nodes"].push_back(std::move(json));
  }
  const auto entries = by_storage(graph);
  std::uint64_t all = 0;
  for (const auto& [id, bytes] : storage_bytes(graph)) {
    out["storage"].push_back({{"id", id}, {"bytes", bytes}, {"entries", entries.at(id)}});
    all += bytes;
  }
  out["bytes"] = all;
  return out;
}

std::string graph_lines(const GraphJson& graph, const std::string& indent) {
  std::string out;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const GraphJsonNode& node = graph.nodes[n];
    out += indent + node.name + ": " +
           (node.is_null() ? "input" : node.function + "(" + joined(names(graph, node.inputs)) + ")") + " ->";
    for (std::uint32_t k = 0; k < node.outputs; ++k) {
      const std::uint32_t e = graph.first_entry[n] + k;
      out += (k ? ", " : " ") + type_text(graph, e) + " in storage " + std::to_string(graph.entries[e].storage);
    }
    out += "\n";
  }
  out += indent + "outputs: " + joined(names(graph, graph.heads)) + "\n";
  const auto entries = by_storage(graph);
  std::uint64_t all = 0;
  for (const auto& [id, bytes] : storage_bytes(graph)) {
    out += indent + "storage " + std::to_string(id) + ": " + std::to_string(bytes) +
           " bytes: " + joined(entries.at(id)) + "\n";
    all += bytes;
  }
  return out + indent + "all storage: " + std::to_string(all) + " bytes\n";
}

std::string graph_page(const GraphJson& graph, const std::string& title) {
  const std::vector<Place> all = places(graph);
  std::size_t rows = 0, columns = 0;
  for (const Place& p : all) {
    rows = std::max(rows, p.row + 1);
    columns = std::max(columns, p.column + 1);
  }
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" + markup_text(title) +
      "</title><style>body{font:14px sans-serif}svg text{font:13px sans-serif}svg text.type{fill:#555;"
      "font-size:11px}rect{fill:#e8f0fe;stroke:#456}rect.null{fill:#f3f3e6}line{stroke:#888}td,th{padding:"
      "2px 10px;text-align:left}</style></head>\n<body><h1>" +
      markup_text(title) + "</h1>\n<svg width=\"" + number(columns * kWidth) + "\" height=\"" + number(rows * kHeight) +
      "\">\n";
  for (std::size_t n = 0; n < all.size(); ++n) out += edges(graph, n, all);
  for (std::size_t n = 0; n < all.size(); ++n) out += box(graph, n, all[n]);
  out += "</svg>\n<table><tr><th>storage</th><th>bytes</th><th>entries</th></tr>\n";
  const auto entries = by_storage(graph);
  for (const auto& [id, bytes] : storage_bytes(graph))
    out += "<tr><td>" + number(id) + "</td><td>" + number(bytes) + "</td><td>" + markup_text(joined(entries.at(id))) +
           "</td></tr>\n";
  return out + "</table></body></html>\n";
}

}  // namespace byoc::api
