#include "sdk/app/api/host/graph_description.hpp"

#include "sdk/base/page/drawing.hpp"
#include "sdk/base/page/page.hpp"
#include "sdk/base/page/text.hpp"
#include "sdk/base/support/json.hpp"

namespace byoc::api {
namespace {

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

page::Box box(const GraphJson& graph, std::size_t n) {
  const GraphJsonNode& node = graph.nodes[n];
  page::Box out;
  out.title = node.name;
  for (std::uint32_t k = 0; k < node.outputs; ++k) {
    const std::uint32_t e = graph.first_entry[n] + k;
    out.subtitle += (k ? ", " : "") + type_text(graph, e) + " @" + std::to_string(graph.entries[e].storage);
  }
  out.whole = node.name + (node.is_null() ? "" : ": " + node.function) + " -> " + out.subtitle;
  out.tone = node.is_null() ? page::Tone::quiet : page::Tone::other;
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
  std::vector<page::Box> boxes;
  std::vector<page::Edge> edges;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    boxes.push_back(box(graph, n));
    for (const GraphJsonRef& r : graph.nodes[n].inputs) edges.push_back({r.node, n});
  }
  page::Table storage{{{"storage", true}, {"bytes", true}, {"entries"}}, {}};
  std::uint64_t all = 0;
  const auto entries = by_storage(graph);
  for (const auto& [id, bytes] : storage_bytes(graph)) {
    storage.rows.push_back({page::index_cell(static_cast<std::size_t>(id)), page::number_cell(bytes),
                            page::text_cell(joined(entries.at(id)))});
    all += bytes;
  }
  page::Page page(title, "a graph that an executor goes through step by step");
  const page::Figure figures[] = {{"nodes", std::to_string(graph.nodes.size())}, {"storage", page::bytes_text(all)}};
  page.figures(figures);
  const std::string svg = page::draw_graph(boxes, edges, title);
  if (svg.empty())
    page.remark("graph", "It has too many nodes for a drawing; --json has all.");
  else
    page.drawing("graph", svg);
  page.table("storage", storage, "Behind @ of a box is the number of the storage that its result is in.");
  return page.html();
}

}  // namespace byoc::api
