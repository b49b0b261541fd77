#include "sdk/partition/report.hpp"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "sdk/ir/operators.hpp"
#include "sdk/support/markup.hpp"

namespace byoc {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kReasons[] = {"none",     "operator", "dtype",  "attribute", "shape", "quantisation",
                                    "constant", "target",   "option", "memory",    "cost",  "group"};
constexpr const char* kExactness[] = {"exact", "lsb", "ulp", "relative"};

std::string reason_name(codegen::Reason reason) {
  const auto r = static_cast<std::size_t>(reason);
  return r < std::size(kReasons) ? kReasons[r]
                                 : "vendor " + std::to_string(r - static_cast<std::size_t>(codegen::Reason::vendor));
}

// Model and vendor text may be any bytes; JSON is UTF-8.
std::string utf8(const std::string& text) {
  return Json::parse(Json(text).dump(-1, ' ', true, Json::error_handler_t::replace)).get<std::string>();
}

std::string escape(const std::string& text) { return markup_text(utf8(text)); }

void add_closeness(evaluate::Closeness c, Json& out) {
  out["exactness"] = kExactness[static_cast<std::size_t>(c.exactness) % 4];
  if (c.exactness != codegen::Exactness::exact) out["tolerance"] = c.tolerance;
}

Json verdict_json(const codegen::Codegen& codegen, const codegen::Verdict& v) {
  Json out = {{"codegen", codegen.id()}, {"claimed", v.claimed}};
  if (!v.claimed) {
    out["reason"] = reason_name(v.reason);
    out["text"] = utf8(v.text);
    return out;
  }
  add_closeness(evaluate::closeness(v), out);
  if (v.cost != 0) out["cost"] = v.cost;
  if (v.priority != 0) out["priority"] = v.priority;
  return out;
}

// ", within 1 LSB"; nothing of what is exact.
std::string tolerance_text(evaluate::Closeness c) {
  return c.exactness == codegen::Exactness::exact ? "" : ", " + to_string(c);
}

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", share);
  return text;
}

// Calls f(graph, placements) for the graph and for each body in it.
template <class F>
void for_each_placed(const ir::Graph& graph, const std::vector<NodePlacement>& nodes, const Partition& partition,
                     F&& f) {
  f(graph, nodes);
  for (const ir::Node& node : graph.nodes)
    for (const auto& body : ir::bodies(node)) for_each_placed(*body, partition.bodies.at(body.get()), partition, f);
}

}  // namespace

std::vector<Coverage> coverage_of(const ir::Graph& graph, const Partition& partition, std::size_t codegens) {
  std::vector<Coverage> out(codegens);
  std::uint64_t all = 0;
  std::size_t all_nodes = 0;
  for_each_placed(graph, partition.nodes, partition, [&](const ir::Graph& g, const std::vector<NodePlacement>& nodes) {
    for (std::size_t n = 0; n < g.nodes.size(); ++n) {
      if (nodes[n].codegen == kExecutor) continue;
      const std::uint64_t macs = ir::macs_of(g, g.nodes[n]);
      all += macs;
      ++all_nodes;
      out[nodes[n].codegen].macs += macs;
      ++out[nodes[n].codegen].nodes;
    }
  });
  for (const PlacedRegion& r : partition.regions) ++out[r.codegen].regions;
  for (Coverage& c : out) {
    c.all_nodes = all_nodes;
    c.all_macs = all;
  }
  return out;
}

namespace {

// The kernels that say how large they are, each once however many steps call it.
struct SharedKernel {
  std::uint64_t bytes = 0;
  std::size_t steps = 0;
};

std::map<std::string, SharedKernel> shared_kernels(const ModelInterface& model) {
  std::map<std::string, SharedKernel> out;
  for (const StepInfo& s : model.steps) {
    if (s.kernel_bytes == 0) continue;
    out[s.kernel].bytes = s.kernel_bytes;
    ++out[s.kernel].steps;
  }
  return out;
}

Json known(std::uint64_t estimate) { return estimate == 0 ? Json() : Json(estimate); }

void add_steps(const ModelInterface& model, Json& out) {
  out["steps"] = Json::array();
  for (const StepInfo& s : model.steps) {
    Json nodes = Json::array();
    for (const std::string& n : s.nodes) nodes.push_back(utf8(n));
    out["steps"].push_back({{"symbol", s.symbol},
                            {"codegen", s.codegen},
                            {"kernel", s.kernel},
                            {"nodes", nodes},
                            {"macs", s.macs},
                            {"estimated_instructions", known(s.estimated_instructions)},
                            {"constant_bytes", s.constant_bytes},
                            {"workspace_bytes", s.workspace_bytes},
                            {"live_bytes", s.live_bytes},
                            {"remark", utf8(s.remark)}});
  }
  out["kernels"] = Json::array();
  for (const auto& [name, k] : shared_kernels(model))
    out["kernels"].push_back({{"kernel", name}, {"estimated_bytes", k.bytes}, {"steps", k.steps}});
}

// What nobody takes on quantised tensors, and why.
std::string left_literal_html(std::span<codegen::Codegen* const> codegens, const Partition& partition) {
  if (partition.literal.empty()) return {};
  std::string out = "<h2>left as the model has them</h2>\n<table>\n<tr><th>operator";
  for (const codegen::Codegen* c : codegens) out += "<th>" + escape(std::string(c->id())) + ", quantised";
  out += "\n";
  for (const LeftLiteral& left : partition.literal) {
    out += "<tr><td>" + escape(left.node);
    for (const std::string& why : left.refusals) out += "<td>" + escape(why);
    out += "\n";
  }
  return out + "</table>\n";
}

std::string interpreted_html(const Partition& partition) {
  if (partition.interpreted.empty()) return {};
  std::string out = "<h2>interpreted while the model runs</h2>\n<table>\n<tr><th>operator<th>why\n";
  for (const InterpretedNode& n : partition.interpreted)
    out += "<tr><td>" + escape(n.node) + "<td>" + escape(n.why) + "\n";
  return out + "</table>\n";
}

std::string estimate_text(std::uint64_t estimate) { return estimate == 0 ? "" : std::to_string(estimate); }

std::string steps_html(const ModelInterface& model) {
  std::string out =
      "<h2>steps</h2>\n<table>\n<tr><th>layer<th>kernel<th>MACs<th>instructions, estimated<th>flash of constants"
      "<th>workspace<th>RAM in use<th>why this kernel\n";
  for (const StepInfo& s : model.steps)
    out += "<tr><td>" + escape(s.nodes.empty() ? s.symbol : s.nodes.front()) + "<td>" + escape(s.kernel) + "<td>" +
           estimate_text(s.macs) + "<td>" + estimate_text(s.estimated_instructions) + "<td>" +
           std::to_string(s.constant_bytes) + "<td>" + std::to_string(s.workspace_bytes) + "<td>" +
           std::to_string(s.live_bytes) + "<td>" + escape(s.remark) + "\n";
  out += "</table>\n<h2>kernels</h2>\n<table>\n<tr><th>kernel<th>code, estimated<th>steps\n";
  for (const auto& [name, k] : shared_kernels(model))
    out += "<tr><td>" + escape(name) + "<td>" + std::to_string(k.bytes) + "<td>" + std::to_string(k.steps) + "\n";
  return out + "</table>\n";
}

}  // namespace

std::string partition_json(const ir::Graph& graph, std::span<codegen::Codegen* const> codegens,
                           const TargetSpec& target, const Partition& partition,
                           std::span<const RewriteSummary> rewrites, const ModelInterface* model) {
  Json out;
  out["format"] = 1;
  out["model"] = utf8(graph.name);
  out["target"] = target.name;
  out["codegens"] = Json::array();
  const std::vector<Coverage> coverage = coverage_of(graph, partition, codegens.size());
  for (std::size_t c = 0; c < codegens.size(); ++c)
    out["codegens"].push_back({{"id", codegens[c]->id()},
                               {"version", codegens[c]->version()},
                               {"regions", coverage[c].regions},
                               {"nodes", coverage[c].nodes},
                               {"node_share", coverage[c].node_share()},
                               {"macs", coverage[c].macs},
                               {"mac_share", coverage[c].mac_share()}});
  out["regions"] = Json::array();
  for (const PlacedRegion& r : partition.regions) {
    Json groups = Json::array();
    for (const codegen::GrantedGroup& g : r.bound.region.groups) {
      Json nodes = Json::array();
      for (codegen::NodeId n : g.nodes) nodes.push_back(r.bound.nodes[n]);
      const auto patterns = codegens[r.codegen]->patterns();
      groups.push_back(
          {{"pattern", g.pattern < patterns.size() ? Json(patterns[g.pattern].name) : Json()}, {"nodes", nodes}});
    }
    out["regions"].push_back({{"name", utf8(r.bound.region.name)},
                              {"codegen", codegens[r.codegen]->id()},
                              {"nodes", r.bound.nodes},
                              {"groups", groups}});
    if (r.bound.graph != &graph) out["regions"].back()["body"] = utf8(r.bound.graph->name);
  }
  out["nodes"] = Json::array();
  for_each_placed(graph, partition.nodes, partition, [&](const ir::Graph& g, const std::vector<NodePlacement>& nodes) {
    for (std::size_t n = 0; n < g.nodes.size(); ++n) {
      const ir::Node& node = g.nodes[n];
      const NodePlacement& p = nodes[n];
      const bool placed = p.codegen != kExecutor;
      Json verdicts = Json::array();
      for (std::size_t c = 0; c < codegens.size(); ++c) verdicts.push_back(verdict_json(*codegens[c], p.verdicts[c]));
      Json line = {{"index", n},
                   {"name", utf8(node.name)},
                   {"op", node.domain.empty() ? node.op : node.domain + "." + node.op},
                   {"position", node.position},
                   {"macs", ir::macs_of(g, node)},
                   {"codegen", placed ? Json(codegens[p.codegen]->id()) : Json()},
                   {"region", placed ? Json(p.region) : Json()},
                   {"decided_by", to_string(p.decision)}};
      if (p.against != SIZE_MAX) line["against"] = codegens[p.against]->id();
      if (placed) add_closeness(p.closeness, line);
      line["verdicts"] = verdicts;
      if (&g != &graph) line["body"] = utf8(g.name);
      out["nodes"].push_back(std::move(line));
    }
  });
  for (const LeftLiteral& left : partition.literal) {
    Json refusals = Json::array();
    for (std::size_t c = 0; c < codegens.size(); ++c)
      refusals.push_back({{"codegen", codegens[c]->id()}, {"text", utf8(left.refusals[c])}});
    out["left_literal"].push_back({{"node", utf8(left.node)}, {"refusals", refusals}});
  }
  for (const InterpretedNode& n : partition.interpreted)
    out["interpreted"].push_back({{"node", utf8(n.node)}, {"why", utf8(n.why)}});
  for (const RewriteSummary& r : rewrites)
    out["rewrites"].push_back({{"name", r.name},
                               {"count", r.count},
                               {"macs", r.macs},
                               {"constant_bytes", r.constant_bytes},
                               {"tensor_bytes", r.tensor_bytes}});
  if (model != nullptr) add_steps(*model, out);
  return out.dump(2) + "\n";
}

std::string partition_html(const ir::Graph& graph, std::span<codegen::Codegen* const> codegens,
                           const TargetSpec& target, const Partition& partition,
                           std::span<const RewriteSummary> rewrites, const ModelInterface* model) {
  std::string out =
      "<!doctype html>\n<meta charset=\"utf-8\">\n<title>partition of " + escape(graph.name) +
      "</title>\n<style>body{font:14px sans-serif}table{border-collapse:collapse}td,th{border:1px solid #ccc;"
      "padding:2px 8px;text-align:left}.yes{background:#e6f4e6}</style>\n<h1>" +
      escape(graph.name) + " for " + escape(target.name) +
      "</h1>\n<table>\n<tr><th>codegen<th>regions<th>nodes<th>% of "
      "nodes<th>% of MACs\n";
  const std::vector<Coverage> coverage = coverage_of(graph, partition, codegens.size());
  for (std::size_t c = 0; c < codegens.size(); ++c)
    out += "<tr><td>" + escape(std::string(codegens[c]->id())) + "<td>" + std::to_string(coverage[c].regions) + "<td>" +
           std::to_string(coverage[c].nodes) + "<td>" + percent(coverage[c].node_share()) + "<td>" +
           percent(coverage[c].mac_share()) + "\n";
  if (!rewrites.empty())
    out +=
        "</table>\n<h2>rewrites</h2>\n<table>\n<tr><th>rewrite<th>times<th>MACs saved<th>bytes of weights"
        "<th>bytes of tensors\n";
  for (const RewriteSummary& r : rewrites)
    out += "<tr><td>" + escape(r.name) + "<td>" + std::to_string(r.count) + "<td>" + std::to_string(r.macs) + "<td>" +
           std::to_string(r.constant_bytes) + "<td>" + std::to_string(r.tensor_bytes) + "\n";
  out += "</table>\n<h2>nodes</h2>\n<table>\n<tr><th>#<th>operator<th>name<th>region<th>decided by";
  for (const codegen::Codegen* c : codegens) out += "<th>" + escape(std::string(c->id()));
  out += "\n";
  for_each_placed(graph, partition.nodes, partition, [&](const ir::Graph& g, const std::vector<NodePlacement>& nodes) {
    for (std::size_t n = 0; n < g.nodes.size(); ++n) {
      const NodePlacement& p = nodes[n];
      out += "<tr><td>" + std::to_string(n) + "<td>" + escape(g.nodes[n].op) + "<td>" + escape(g.nodes[n].name) +
             "<td>" + (p.codegen == kExecutor ? "" : std::to_string(p.region)) + "<td>" +
             std::string(to_string(p.decision));
      for (std::size_t c = 0; c < codegens.size(); ++c)
        out += std::string(p.codegen == c ? "<td class=\"yes\">" : "<td>") +
               (p.codegen == c          ? "takes it" + tolerance_text(p.closeness)
                : p.verdicts[c].claimed ? "could take it" + tolerance_text(evaluate::closeness(p.verdicts[c]))
                                        : escape(p.verdicts[c].text));
      out += "\n";
    }
  });
  return out + "</table>\n" + left_literal_html(codegens, partition) + interpreted_html(partition) +
         (model != nullptr ? steps_html(*model) : "");
}

}  // namespace byoc
