#include <charconv>
#include <limits>
#include <set>

#include "sdk/base/support/json.hpp"
#include "sdk/base/support/json_fields.hpp"
#include "sdk/program/graphjson/graph_json.hpp"

namespace byoc {
namespace {

constexpr std::size_t kLargestText = std::size_t{256} << 20;
constexpr int kDeepest = 64;
constexpr std::uint32_t kMostOutputs = 1u << 20;  // of a node

// The parser and what it makes go one level deeper for each bracket.
bool too_deep(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kDeepest) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

class Reader {
 public:
  Reader(const std::string& file, Diagnostics& diags) : file_(file), diags_(diags) {}

  Result<GraphJson> run(const Json& json) {
    const std::size_t before = diags_.errors();
    if (!json.is_object()) return diags_.error(file_, {}, "is no graph.json", json.type_name(), "an object");
    static const std::set<std::string> kKnown{"nodes", "arg_nodes", "heads", "node_row_ptr", "attrs", "metadata"};
    for (const auto& [key, value] : json.items())
      if (!kKnown.contains(key)) error(key, "is not a field of graph.json");
    if (const Json* all = field(json, "nodes", "graph.json"); all != nullptr && is(*all, Json::value_t::array, "nodes"))
      for (const Json& n : *all) node(n);
    if (const Json* all = field(json, "arg_nodes", "graph.json")) out_.arguments = indices(*all, "arg_nodes");
    if (const Json* all = field(json, "heads", "graph.json")) out_.heads = refs(*all, "heads");
    if (const Json* all = field(json, "node_row_ptr", "graph.json")) out_.first_entry = indices(*all, "node_row_ptr");
    if (const Json* all = field(json, "attrs", "graph.json");
        all != nullptr && is(*all, Json::value_t::object, "attrs"))
      attrs(*all);
    if (const auto found = json.find("metadata"); found != json.end()) out_.metadata = *found;
    if (diags_.errors() != before || !check_graph_json(out_, file_, diags_)) return failure;
    return std::move(out_);
  }

 private:
  void error(const std::string& node, const std::string& what, const std::string& found = {},
             const std::string& expected = {}) {
    diags_.error(file_, node, what, found, expected);
  }

  const Json* field(const Json& object, const char* key, const std::string& where) {
    const auto found = object.find(key);
    if (found != object.end()) return &*found;
    error(where, std::string("has no '") + key + "'");
    return nullptr;
  }

  bool is(const Json& json, Json::value_t type, const std::string& where) {
    if (json.type() == type) return true;
    error(where, "has the wrong type", json.type_name(), Json(type).type_name());
    return false;
  }

  std::uint32_t index(const Json& json, const std::string& where) {
    if (json.is_number_unsigned() && json.get<std::uint64_t>() <= std::numeric_limits<std::int32_t>::max())
      return json.get<std::uint32_t>();
    error(where, "has something that is no index", json.is_structured() ? json.type_name() : json_text(json));
    return 0;
  }

  std::vector<std::uint32_t> indices(const Json& json, const std::string& where) {
    std::vector<std::uint32_t> out;
    if (is(json, Json::value_t::array, where))
      for (const Json& i : json) out.push_back(index(i, where));
    return out;
  }

  std::vector<GraphJsonRef> refs(const Json& json, const std::string& where) {
    std::vector<GraphJsonRef> out;
    if (!is(json, Json::value_t::array, where)) return out;
    for (const Json& r : json) {
      if (!r.is_array() || r.size() < 2 || r.size() > 3) {
        error(where, "has something that is no entry",
              r.is_array() ? std::to_string(r.size()) + " numbers" : r.type_name(), "[node, output, version]");
        continue;
      }
      out.push_back({index(r[0], where), index(r[1], where), r.size() == 3 ? index(r[2], where) : 0});
    }
    return out;
  }

  std::string string(const Json& object, const char* key, const std::string& where) {
    const Json* found = field(object, key, where);
    if (found == nullptr || !is(*found, Json::value_t::string, where + "." + key)) return {};
    return found->get<std::string>();
  }

  void node(const Json& json) {
    if (!is(json, Json::value_t::object, "nodes")) return;
    GraphJsonNode out;
    out.name = string(json, "name", "nodes[" + std::to_string(out_.nodes.size()) + "]");
    const std::string op = string(json, "op", out.name);
    if (op != "null" && op != "tvm_op" && !op.empty())
      error(out.name, "is of a kind that graph.json does not have", op, "null or tvm_op");
    if (const Json* inputs = field(json, "inputs", out.name)) out.inputs = refs(*inputs, out.name);
    static const std::set<std::string> kKnown{"op", "name", "inputs", "attrs", "attr", "control_deps"};
    for (const auto& [key, value] : json.items())
      if (!kKnown.contains(key)) error(out.name, "has a field that no node has", key);
    if (const auto deps = json.find("control_deps"); deps != json.end()) out.control_deps = indices(*deps, out.name);
    if (op == "tvm_op") node_attrs(json, out);
    out_.nodes.push_back(std::move(out));
  }

  void node_attrs(const Json& json, GraphJsonNode& out) {
    const Json* attrs = field(json, json.contains("attr") ? "attr" : "attrs", out.name);
    if (attrs == nullptr || !is(*attrs, Json::value_t::object, out.name)) return;
    out.function = string(*attrs, "func_name", out.name);
    if (attrs->contains("func_name") && out.function.empty()) error(out.name, "has no function");
    const std::uint32_t inputs = count(*attrs, "num_inputs", out.name);
    out.outputs = count(*attrs, "num_outputs", out.name);
    out.flatten = count(*attrs, "flatten_data", out.name) != 0;
    if (attrs->contains("num_inputs") && inputs != out.inputs.size())
      error(out.name, "has another number of inputs than it says", std::to_string(out.inputs.size()),
            std::to_string(inputs));
    static const std::set<std::string> kOwn{"func_name", "num_inputs", "num_outputs", "flatten_data"};
    for (const auto& [key, value] : attrs->items())
      if (!kOwn.contains(key)) out.attrs[key] = string(*attrs, key.c_str(), out.name);
  }

  // Numbers are text here.
  std::uint32_t count(const Json& attrs, const char* key, const std::string& where) {
    const std::string text = string(attrs, key, where);
    std::uint32_t out = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (failed == std::errc() && end == text.data() + text.size() && out <= kMostOutputs) return out;
    if (attrs.contains(key)) error(where, std::string("'") + key + "' is no number", "'" + text + "'");
    return 0;
  }

  // ["list_int", [...]]
  const Json* table(const Json& attrs, const char* key, const char* type) {
    const Json& json = attrs.at(key);
    if (json.is_array() && json.size() == 2 && json[0] == type && json[1].is_array()) return &json[1];
    error(key, "is not such a table",
          json.is_array() && !json.empty() && json[0].is_string() ? json_text(json[0]) : json.type_name(),
          std::string("[\"") + type + "\", [...]]");
    return nullptr;
  }

  void attrs(const Json& json) {
    for (const char* key : {"shape", "storage_id", "dltype"})
      if (!json.contains(key)) return error("attrs", std::string("has no '") + key + "'");
    const Json* shapes = table(json, "shape", "list_shape");
    const Json* storage = table(json, "storage_id", "list_int");
    const Json* types = table(json, "dltype", "list_str");
    if (shapes == nullptr || storage == nullptr || types == nullptr) return;
    if (shapes->size() != storage->size() || shapes->size() != types->size())
      return error("attrs", "shape, storage_id and dltype have different lengths",
                   std::to_string(shapes->size()) + ", " + std::to_string(storage->size()) + ", " +
                       std::to_string(types->size()));
    for (std::size_t e = 0; e < shapes->size(); ++e)
      out_.entries.push_back({shape((*shapes)[e]), type((*types)[e]), index((*storage)[e], "storage_id")});
    if (json.contains("device_index"))
      if (const Json* all = table(json, "device_index", "list_int"))
        for (const Json& d : *all) out_.devices.push_back(index(d, "device_index"));
    if (json.contains("storage_scope"))
      if (const Json* all = table(json, "storage_scope", "list_str"))
        for (const Json& s : *all) {
          if (is(s, Json::value_t::string, "storage_scope")) out_.scopes.push_back(s.get<std::string>());
        }
    static const std::set<std::string> kKnown{"shape", "storage_id", "dltype", "device_index", "storage_scope"};
    for (const auto& [key, value] : json.items())
      if (!kKnown.contains(key)) out_.attrs[key] = parse_json(json_text(value));
  }

  std::vector<std::int64_t> shape(const Json& json) {
    std::vector<std::int64_t> out;
    if (!is(json, Json::value_t::array, "shape")) return out;
    for (const Json& d : json) {
      if (d.is_number_unsigned() && d.get<std::uint64_t>() <= std::numeric_limits<std::int64_t>::max())
        out.push_back(d.get<std::int64_t>());
      else
        error("shape", "has a dimension that is no size", d.is_structured() ? d.type_name() : json_text(d));
    }
    return out;
  }

  byoc_dl_data_type_t type(const Json& json) {
    if (!is(json, Json::value_t::string, "dltype")) return {};
    const auto found = read_packed_type(json.get<std::string>());
    if (!found) error("dltype", "has an unknown element type", json_text(json));
    return found.value_or(byoc_dl_data_type_t{});
  }

  const std::string& file_;
  Diagnostics& diags_;
  GraphJson out_;
};

}  // namespace

Result<GraphJson> read_graph_json(std::string_view text, const std::string& file, Diagnostics& diags) {
  if (text.size() > kLargestText)
    return diags.error(file, {}, "is too large for a graph.json", std::to_string(text.size()) + " bytes",
                       "at most 256 MiB");
  if (too_deep(text)) return diags.error(file, {}, "is nested deeper than a graph.json is");
  try {
    return Reader(file, diags).run(parse_ordered_json(text));
  } catch (const Json::exception& error) {
    return diags.error(file, {}, "is no JSON", problem(error));
  }
}

}  // namespace byoc
