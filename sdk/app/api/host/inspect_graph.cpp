// Describes files of graph executors: byoc's and those of TVM 0.15.
#include <cstring>

#include "byoc/inspect.hpp"
#include "sdk/app/api/handles.hpp"
#include "sdk/app/api/host/graph_description.hpp"
#include "sdk/base/page/json_page.hpp"
#include "sdk/base/support/blob.hpp"
#include "sdk/base/support/json.hpp"
#include "sdk/library/object/image_symbol.hpp"
#include "sdk/program/graphjson/params.hpp"
#include "sdk/target/module/device_blob.hpp"

namespace byoc {
namespace {

using api::guarded;
constexpr std::uint64_t kParamsMagic = 0xF7E58D4F05049CB7;

// Little-endian, as params are.
bool begins_with_params(std::span<const std::byte> bytes) {
  for (std::size_t i = 0; i < 8; ++i)
    if (bytes.size() < 8 || std::to_integer<std::uint64_t>(bytes[i]) != (kParamsMagic >> (8 * i) & 0xff)) return false;
  return true;
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::shared_ptr<const MappedFile> quiet_open(const std::string& path) {
  Diagnostics ignored;
  const auto file = MappedFile::open(path, ignored);
  return file ? *file : nullptr;
}

std::string dump(const Json& json) { return ascii_json_text(json, 2) + "\n"; }

std::string graph_in_form(const Json& json, const std::string& lines, const std::string& path, const std::string& what,
                          InspectForm form) {
  if (form == InspectForm::text) return lines;
  if (form == InspectForm::json) return dump(json);
  page::Page page(path, what);
  page::add_json(json, page);
  return page.html();
}

Result<std::string> graph_in(const GraphJson& graph, const std::string& title, InspectForm form) {
  switch (form) {
    case InspectForm::text: return api::graph_lines(graph);
    case InspectForm::json: return dump(api::describe_graph(graph));
    case InspectForm::html: break;
  }
  return api::graph_page(graph, title);
}

// The graph.json at the start of a factory's payload.
std::string_view graph_of(const DeviceBlobNode& n) {
  if (!n.key.starts_with("Graph") || n.payload.size() < 8) return {};
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < 8; ++i) length |= std::to_integer<std::uint64_t>(n.payload[i]) << (8 * i);
  return length > n.payload.size() - 8 ? std::string_view() : text_of(n.payload.subspan(8, length));
}

// Describes each module by kind, bytes and imports, and its graph if it has one.
Result<std::string> modules_in(const std::vector<DeviceBlobNode>& nodes, const std::string& path, InspectForm form,
                               Diagnostics& diags) {
  Json json = {{"modules", Json::array()}};
  std::string lines;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const DeviceBlobNode& n = nodes[i];
    const std::string key(n.key);
    json["modules"].push_back({{"kind", key}, {"bytes", n.payload.size()}, {"imports", n.imports}});
    lines += "module " + std::to_string(i) + ": " + key + ", " + std::to_string(n.payload.size()) + " bytes\n";
    for (const std::uint32_t k : n.imports) lines += "  imports module " + std::to_string(k) + "\n";
    if (graph_of(n).empty()) continue;
    const auto graph = read_graph_json(graph_of(n), path + ": " + key, diags);
    if (!graph) return failure;
    if (form == InspectForm::html) return api::graph_page(*graph, path);
    json["modules"].back()["graph"] = api::describe_graph(*graph);
    lines += api::graph_lines(*graph, "  ");
  }
  return graph_in_form(json, lines, path, "a library of TVM", form);
}

}  // namespace

bool is_params(const std::string& path) {
  const auto file = quiet_open(path);
  return file != nullptr && begins_with_params(file->bytes());
}

bool is_graph_json(const std::string& path) {
  if (!path.ends_with(".json") && !path.ends_with(".graph") && !path.ends_with("_graph.bin")) return false;
  const auto file = quiet_open(path);
  return file != nullptr && text_of(file->bytes()).find("\"node_row_ptr\"") != std::string_view::npos;
}

Result<std::string> inspect_graph(const std::string& path, InspectForm form, Diagnostics& diags) {
  return guarded(diags, [&]() -> Result<std::string> {
    const auto file = MappedFile::open(path, diags);
    if (!file) return failure;
    const auto graph = read_graph_json(text_of((*file)->bytes()), path, diags);
    return graph ? graph_in(*graph, path, form) : failure;
  });
}

Result<std::string> inspect_params(const std::string& path, InspectForm form, Diagnostics& diags) {
  return guarded(diags, [&]() -> Result<std::string> {
    const auto file = MappedFile::open(path, diags);
    if (!file) return failure;
    const auto params = read_params((*file)->bytes(), path, diags);
    if (!params) return failure;
    Json json = {{"parameters", Json::array()}};
    std::string lines;
    for (const Param& p : *params) {
      const std::string type = shape_text(p.type, p.shape);
      json["parameters"].push_back({{"name", p.name}, {"type", type}, {"bytes", p.bytes.size()}});
      lines += "parameter " + p.name + ": " + type + ", " + std::to_string(p.bytes.size()) + " bytes\n";
    }
    return graph_in_form(json, lines, path, "parameters", form);
  });
}

bool has_device_blob(const std::string& path) {
  const auto file = quiet_open(path);
  Diagnostics ignored;
  const auto block = file ? dynamic_symbol_bytes(file->bytes(), kDeviceBlobSymbol, path, ignored) : failure;
  return block && !block->empty();
}

Result<std::string> inspect_device_library(const std::string& path, InspectForm form, Diagnostics& diags) {
  return guarded(diags, [&]() -> Result<std::string> {
    const auto file = MappedFile::open(path, diags);
    if (!file) return failure;
    const auto block = dynamic_symbol_bytes((*file)->bytes(), kDeviceBlobSymbol, path, diags);
    if (!block) return failure;
    const auto nodes = read_device_blob(*block, path, diags);
    return nodes ? modules_in(*nodes, path, form, diags) : failure;
  });
}

}  // namespace byoc
