// A codegen for oneDNN: claims float layers on hosts and hands over C that calls oneDNN, or a graph and its runtime.
#include "emit.hpp"

namespace onednn {

// What oneDNN's other order of summation may make of a result.
constexpr double kTolerance = 1e-4;

class Codegen final : public byoc::PluginCodegen {
 public:
  using PluginCodegen::PluginCodegen;

  Verdict verdict(const Region& model, const Node& node) const override {
    return answer(model, {static_cast<NodeId>(&node - model.nodes.data())});
  }

  std::vector<Group> groups(const Region& model, const byoc::TargetSpec&, std::span<const Match> matches) override {
    std::vector<Group> out;
    for (const Match& m : matches) {
      std::vector<NodeId> nodes;
      for (const NodeId n : m.nodes)
        if (n != byoc::codegen::kNoNode) nodes.push_back(n);
      if (nodes.size() < 2) continue;
      Verdict v = answer(model, nodes);
      if (v.claimed) out.push_back({std::move(nodes), std::move(v), m.pattern});
    }
    return out;
  }

  bool compile(const Request& request, Host& host) override {
    std::vector<Network> networks;
    for (const Region& region : request.regions) networks.push_back(make_network(region));
    if (networks.empty()) return true;
    if (options.text("flavour") == "graph")
      emit_graph(request, host, networks);
    else
      emit_source(request, host, networks);
    return true;
  }

 private:
  Verdict answer(const Region& model, const std::vector<NodeId>& nodes) const {
    if (!target.hosted || target.pointer_width != 64)
      return refuse(Reason::target, "oneDNN runs on 64-bit hosts, target '" + target.name + "' is none");
    const auto layer = read_layer(model, nodes);
    if (const auto* no = std::get_if<Refusal>(&layer)) return refuse(no->reason, no->text);
    Verdict out = claim();
    out.exactness = byoc::codegen::Exactness::relative;
    out.tolerance = kTolerance;
    return out;
  }
};

}  // namespace onednn

BYOC_PLUGIN(onednn::Codegen,
            {.id = "org.example.dnnl",
             .name = "oneDNN",
             .vendor = "Example",
             .version = "1.0",
             .license = "Apache-2.0",
             .options = {{"flavour",
                          byoc::OptionType::choice,
                          "source",
                          "C that calls oneDNN for each layer, or a graph as a constant and a runtime that reads it",
                          {"source", "graph"}}},
             .patterns = onednn::patterns()});
