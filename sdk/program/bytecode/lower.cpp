#include "sdk/program/bytecode/lower.hpp"

#include <algorithm>
#include <map>

#include "sdk/model/ir/control.hpp"
#include "sdk/model/ir/operators.hpp"
#include "sdk/program/bytecode/function_writer.hpp"
#include "sdk/program/bytecode/types.hpp"

namespace byoc::bytecode {
namespace {

bool all_static(const ir::Graph& graph) {
  for (const ir::Value& v : graph.values)
    if (!v.type.is_static()) return false;
  for (const ir::Node& node : graph.nodes)
    for (const auto& body : ir::bodies(node))
      if (!all_static(*body)) return false;
  return true;
}

// An item that a function runs in sequence: an island, or one node that is evaluated.
struct Item {
  std::vector<ir::NodeId> nodes;
  bool compiled = false;
};

// Nodes by the number of changes between compiled and evaluated ones on the longest way to them: what is compiled and
// has one number needs nothing that is evaluated between.
std::vector<Item> items_of(const ir::Graph& graph, const std::vector<bool>& compiled) {
  const std::vector<ir::NodeId> producer = ir::producers(graph);
  std::vector<std::size_t> phase(graph.nodes.size(), 0);
  std::map<std::size_t, std::pair<Item, std::vector<ir::NodeId>>> phases;
  for (ir::NodeId n = 0; n < graph.nodes.size(); ++n) {
    for (const ir::ValueId v : graph.nodes[n].inputs) {
      const ir::NodeId from = v == ir::kNoValue ? ir::kNoNode : producer[v];
      if (from != ir::kNoNode) phase[n] = std::max(phase[n], phase[from] + (compiled[n] && !compiled[from] ? 1 : 0));
    }
    auto& [island, evaluated] = phases[phase[n]];
    (compiled[n] ? island.nodes : evaluated).push_back(n);
  }
  std::vector<Item> out;
  for (auto& [number, both] : phases) {
    both.first.compiled = true;
    if (!both.first.nodes.empty()) out.push_back(std::move(both.first));
    for (const ir::NodeId n : both.second) out.push_back({{n}, false});
  }
  return out;
}

constexpr std::size_t kUnused = SIZE_MAX;

// For each value, the last item that computes or reads it; items.size() for outputs of the graph; kUnused for constants
// and values that no item uses.
std::vector<std::size_t> last_uses(const ir::Graph& graph, const std::vector<Item>& items) {
  std::vector<std::size_t> out(graph.values.size(), kUnused);
  for (std::size_t i = 0; i < items.size(); ++i)
    for (const ir::NodeId n : items[i].nodes)
      for (const auto* list : {&graph.nodes[n].outputs, &graph.nodes[n].inputs})
        for (const ir::ValueId v : *list)
          if (v != ir::kNoValue && !graph.is_constant(v)) out[v] = i;
  for (const ir::ValueId v : graph.outputs)
    if (!graph.is_constant(v)) out[v] = items.size();
  for (const ir::State& s : graph.states)
    if (!graph.is_constant(s.next)) out[s.next] = items.size();
  return out;
}

class Lowering {
 public:
  Lowering(const Choice& compiles, const Choice& opens) : compiles_(compiles), opens_(opens) {}

  Lowered run(const ir::Graph& graph) {
    out_.module.name = graph.name;
    out_.compiled.name = graph.name;
    out_.compiled.file = graph.file;
    out_.compiled.files = graph.files;
    out_.compiled.requant = graph.requant;
    out_.compiled.fold_limit = graph.fold_limit;
    out_.open.name = graph.name;
    out_.open.file = graph.file;
    out_.open.requant = graph.requant;
    for (const ir::State& s : graph.states) add_state(graph, s);
    function(graph, "main");
    return std::move(out_);
  }

 private:
  void add_state(const ir::Graph& graph, const ir::State& s) {
    const std::uint32_t type = add_type(out_.module, graph, graph.values[s.value].type);
    out_.module.constants.push_back({type, Blob::own(ir::initial_bytes(graph, s))});
    out_.module.states.push_back({type, static_cast<std::uint32_t>(out_.module.constants.size() - 1)});
  }

  // A function's index is taken before those of the functions that it calls.
  std::uint32_t function(const ir::Graph& graph, const std::string& name) {
    const auto index = static_cast<std::uint32_t>(out_.module.functions.size());
    out_.module.functions.emplace_back();
    std::vector<bool> compiled;
    for (ir::NodeId n = 0; n < graph.nodes.size(); ++n)
      compiled.push_back(is_static(graph, graph.nodes[n]) && compiles_({&graph, n}));
    const std::vector<Item> items = items_of(graph, compiled);
    const std::vector<std::size_t> last = last_uses(graph, items);
    std::vector<std::vector<ir::ValueId>> ends(items.size() + 1);
    for (ir::ValueId v = 0; v < last.size(); ++v)
      if (last[v] != kUnused) ends[last[v]].push_back(v);
    FunctionWriter writer(out_.module, graph, name);
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (items[i].compiled)
        island(graph, items[i], i, last, writer);
      else
        single(graph, items[i].nodes[0], writer);
      for (const ir::ValueId v : ends[i]) writer.kill(v);
    }
    Function made = writer.finish();
    out_.module.functions[index] = std::move(made);
    return index;
  }

  // A node that is no part of an island.
  void single(const ir::Graph& graph, ir::NodeId n, FunctionWriter& writer) {
    const ir::Node& node = graph.nodes[n];
    if (is_open(graph, node) && opens_({&graph, n})) {
      writer.open_step(node, add_open(graph, n));
    } else if (node.is("", "If")) {
      const std::uint32_t then_f = function(*ir::body_of(node, "then_branch"), "then of " + node.describe());
      const std::uint32_t else_f = function(*ir::body_of(node, "else_branch"), "else of " + node.describe());
      writer.branch(node, then_f, else_f);
    } else if (node.is("", "Loop") || node.is("", "Scan")) {
      writer.loop(node, function(*ir::body_of(node, "body"), "body of " + node.describe()));
    } else {
      writer.evaluate(node);
    }
  }

  // Adds the node beside the others, with values of its own; returns its primitive.
  std::uint32_t add_open(const ir::Graph& graph, ir::NodeId n) {
    ir::Graph& to = out_.open;
    ir::Node copy = graph.nodes[n];
    std::map<ir::ValueId, ir::ValueId> ids;
    const auto id_of = [&](ir::ValueId v, std::vector<ir::ValueId>& border) {
      if (v == ir::kNoValue) return v;
      const auto [at, added] = ids.try_emplace(v, ir::kNoValue);
      if (!added) return at->second;
      ir::Value value = graph.values[v];
      value.is_state = false;
      rename_symbols(graph, value.type, to);
      at->second = to.add_value(std::move(value));
      if (!graph.is_constant(v)) border.push_back(at->second);
      return at->second;
    };
    for (ir::ValueId& v : copy.inputs) v = id_of(v, to.inputs);
    for (ir::ValueId& v : copy.outputs) v = id_of(v, to.outputs);
    to.nodes.push_back(std::move(copy));
    out_.open_origins.push_back({&graph, n});
    out_.module.primitives.emplace_back().open.emplace();
    return static_cast<std::uint32_t>(out_.module.primitives.size() - 1);
  }

  // A part of the compiled graph, and a function that stands for it.
  void island(const ir::Graph& graph, const Item& item, std::size_t index, const std::vector<std::size_t>& last,
              FunctionWriter& writer) {
    ir::Graph& to = out_.compiled;
    const Island made{static_cast<std::uint32_t>(out_.module.functions.size()),
                      static_cast<std::uint32_t>(to.inputs.size()), static_cast<std::uint32_t>(to.outputs.size())};
    std::map<ir::ValueId, ir::ValueId> ids;  // in `to`; what is read before it is there comes from outside
    std::vector<ir::ValueId> inputs, outputs;
    for (const ir::NodeId n : item.nodes) {
      ir::Node copy = graph.nodes[n];
      for (ir::ValueId& v : copy.inputs) {
        if (v == ir::kNoValue) continue;
        const bool is_input = !graph.is_constant(v) && !ids.contains(v);
        if (is_input) inputs.push_back(v);
        v = id_of(graph, v, ids);
        if (is_input) to.inputs.push_back(v);
      }
      for (ir::ValueId& v : copy.outputs) {
        if (v == ir::kNoValue) continue;
        if (last[v] > index) outputs.push_back(v);
        v = id_of(graph, v, ids);
      }
      to.nodes.push_back(std::move(copy));
      out_.origins.push_back({&graph, n});
    }
    for (const ir::ValueId v : outputs) to.outputs.push_back(ids.at(v));
    Function f;
    f.name = "island " + std::to_string(out_.islands.size());
    f.parameters = types_of(graph, inputs);
    f.results = types_of(graph, outputs);
    out_.module.functions.push_back(std::move(f));
    out_.islands.push_back(made);
    writer.call(made.function, outputs, inputs);
  }

  std::vector<std::uint32_t> types_of(const ir::Graph& graph, const std::vector<ir::ValueId>& values) {
    std::vector<std::uint32_t> out;
    for (const ir::ValueId v : values)
      out.push_back(add_type(out_.module, graph, graph.values[v].type, graph.values[v].name));
    return out;
  }

  // The value in the compiled graph; constants are there once, whoever reads them.
  ir::ValueId id_of(const ir::Graph& graph, ir::ValueId v, std::map<ir::ValueId, ir::ValueId>& ids) {
    if (graph.is_constant(v)) {
      const auto [at, added] = constants_.try_emplace({&graph, v}, ir::kNoValue);
      if (added) at->second = out_.compiled.add_value(graph.values[v]);
      return at->second;
    }
    const auto [at, added] = ids.try_emplace(v, ir::kNoValue);
    if (added) {
      ir::Value copy = graph.values[v];
      copy.is_state = false;
      at->second = out_.compiled.add_value(std::move(copy));
    }
    return at->second;
  }

  const Choice& compiles_;
  const Choice& opens_;
  Lowered out_;
  std::map<std::pair<const ir::Graph*, ir::ValueId>, ir::ValueId> constants_;
};

}  // namespace

bool is_static(const ir::Graph& graph, const ir::Node& node) {
  bool any = false;
  for (const auto* list : {&node.inputs, &node.outputs})
    for (const ir::ValueId v : *list)
      if (v != ir::kNoValue) {
        any = true;
        if (!graph.values[v].type.is_static()) return false;
      }
  for (const auto& body : ir::bodies(node))
    if (!all_static(*body)) return false;
  return any;
}

bool is_open(const ir::Graph& graph, const ir::Node& node) {
  if (ir::is_control(node) || ir::find_operator(node.domain, node.op) == nullptr || is_static(graph, node))
    return false;
  bool any = false;
  for (const auto* list : {&node.inputs, &node.outputs})
    for (const ir::ValueId v : *list) {
      if (v == ir::kNoValue) continue;
      const ir::TensorType& t = graph.values[v].type;
      if (!t.is_tensor() || !t.dims || t.dtype == DType::undefined || t.dtype == DType::string) return false;
      any = any || !t.is_static();
    }
  return any;
}

Lowered lower(const ir::Graph& graph, const Choice& compiles, const Choice& opens) {
  return Lowering(compiles, opens).run(graph);
}

Lowered lower_whole(const ir::Graph& graph) {
  Lowered out;
  out.module.name = graph.name;
  out.islands.push_back({});
  Function f;
  f.name = "main";
  for (const ir::ValueId v : graph.inputs)
    f.parameters.push_back(add_type(out.module, graph, graph.values[v].type, graph.values[v].name));
  for (const ir::ValueId v : graph.outputs)
    f.results.push_back(add_type(out.module, graph, graph.values[v].type, graph.values[v].name));
  out.module.functions.push_back(std::move(f));
  return out;
}

}  // namespace byoc::bytecode
