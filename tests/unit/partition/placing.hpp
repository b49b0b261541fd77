// Small graphs and codegens that claim what they are told.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "sdk/codegen/partition/partition.hpp"

namespace byoc {

// Claims by operator; offers the groups it is given.
class Picky final : public codegen::Codegen {
 public:
  Picky(std::string id, std::vector<std::string> ops, codegen::Role role = codegen::Role::vendor)
      : id_(std::move(id)), ops_(std::move(ops)), role_(role) {}
  std::string_view id() const override { return id_; }
  std::string_view version() const override { return "1"; }
  codegen::Role role() const override { return role_; }
  std::vector<codegen::Verdict> verdicts(const codegen::Region& r, const TargetSpec&) override {
    std::vector<codegen::Verdict> out;
    for (const codegen::Node& n : r.nodes) {
      const bool yes = std::find(ops_.begin(), ops_.end(), n.op) != ops_.end();
      codegen::Verdict v{yes, yes ? codegen::Reason::none : codegen::Reason::unsupported_op, yes ? "" : "no " + n.op};
      v.priority = priority;
      v.cost = cost;
      v.exactness = exactness;
      v.tolerance = exactness == codegen::Exactness::exact ? 0 : 1;
      out.push_back(v);
    }
    return out;
  }
  std::span<const codegen::Pattern> patterns() const override { return patterns_; }
  std::vector<codegen::Group> groups(const codegen::Region&, const TargetSpec&,
                                     std::span<const codegen::Match> matches) override {
    std::vector<codegen::Group> out = offered;
    for (const codegen::Match& m : matches) {
      codegen::Group g{{}, {true, codegen::Reason::none, {}}, m.pattern};
      for (codegen::NodeId n : m.nodes)
        if (n != codegen::kNoNode) g.nodes.push_back(n);
      std::sort(g.nodes.begin(), g.nodes.end());
      out.push_back(g);
    }
    return out;
  }
  bool compile(const codegen::Request&, codegen::Host&) override { return true; }

  std::int32_t priority = 0;
  double cost = 0;
  codegen::Exactness exactness = codegen::Exactness::exact;
  std::vector<codegen::Group> offered;
  std::vector<codegen::Pattern> patterns_;

 private:
  std::string id_;
  std::vector<std::string> ops_;
  codegen::Role role_;
};

// Node i computes value i + 1 from the values it lists; value 0 is the input. The last value is the output.
struct Wire {
  std::string op;
  std::vector<ir::ValueId> from;
};
inline ir::Graph wired(const std::vector<Wire>& nodes) {
  ir::Graph g;
  g.name = "wired";
  for (std::size_t i = 0; i <= nodes.size(); ++i) {
    ir::Value v;
    v.type.dtype = DType::f32;
    v.type.dims = {1};
    g.add_value(v);
  }
  for (ir::ValueId i = 0; i < nodes.size(); ++i) {
    ir::Node n;
    n.op = nodes[i].op;
    n.name = "n" + std::to_string(i);
    n.position = i;
    n.inputs = nodes[i].from;
    n.outputs = {i + 1};
    g.add_node(n);
  }
  g.inputs = {0};
  g.outputs = {static_cast<ir::ValueId>(nodes.size())};
  return g;
}

inline ir::Graph chain(const std::vector<std::string>& ops) {
  std::vector<Wire> wires;
  for (ir::ValueId i = 0; i < ops.size(); ++i) wires.push_back({ops[i], {i}});
  return wired(wires);
}

}  // namespace byoc
