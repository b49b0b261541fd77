// A check of graphs that are not a plug-in's alone: If, Loop and Scan with nodes of its own inside, states, and nodes
// of the reference backend between its own. They run as a whole, as `byoc run` does it.
#include <algorithm>

#include "sdk/app/check/context.hpp"
#include "sdk/app/check/random_graph/random_graph.hpp"
#include "sdk/codegen/partition/partition.hpp"
#include "sdk/codegen/plugin/abi/abi_codegen.hpp"
#include "sdk/export/export.hpp"
#include "sdk/library/pack/companions.hpp"
#include "sdk/model/prepare/prepare.hpp"
#include "sdk/run/simulate/compare.hpp"

namespace byoc::check {
namespace {

constexpr std::size_t kEach = 2;      // graphs of a kind
constexpr std::uint64_t kSeeds = 12;  // that are tried for each
constexpr std::size_t kRuns = 3;      // of one instance

struct Mixed {
  std::string name;
  ir::Graph graph;
  std::vector<evaluate::Tensor> inputs;
  Partition placed;
};

// The sum of all runs so far of a float output.
void add_state(ir::Graph& g) {
  const auto out = std::find_if(g.outputs.begin(), g.outputs.end(), [&](ir::ValueId v) {
    return g.values[v].type.dtype == DType::f32 && !g.is_constant(v);
  });
  if (out == g.outputs.end()) return;
  ir::Value value;
  value.type = g.values[*out].type;
  value.type.quantisation.reset();
  const ir::ValueId sum = g.add_value(value);
  value.is_state = true;
  const ir::ValueId before = g.add_value(value);
  ir::Node node;
  node.op = "Add";
  node.version = 14;
  node.inputs = {*out, before};
  node.outputs = {sum};
  g.add_node(std::move(node));
  ir::State state;
  state.value = before;
  state.next = sum;
  g.states.push_back(state);
  g.outputs.push_back(sum);
}

class MixedChecks {
 public:
  explicit MixedChecks(Context& c) : c_(c) {}

  void run() {
    Diagnostics diags;
    const auto plugin = c_.load();
    if (!plugin) return;
    const auto reference = plugin::negotiate(c_.options.reference, "the reference backend", diags);
    if (reference && reference->id == plugin->id) return c_.findings.skip(c_.check, "it is the reference backend");
    auto second = reference ? plugin::create_codegen(*reference, c_.options.target, {}, {}, diags)
                            : Result<std::unique_ptr<codegen::Codegen>>(failure);
    auto first = plugin::create_codegen(*plugin, c_.options.target, c_.options.options, {}, diags);
    if (!first || !second) return;  // an earlier check has told that
    codegens_ = {first->get(), second->get()};
    for (const char* op : {"If", "Loop", "Scan"})
      some(op, [&](std::uint64_t seed) {
        return operator_graph(seed, std::vector<std::string>{op}, *codegens_[1], c_.options.target);
      });
    const std::vector<std::string> own(c_.corpus.operators.begin(), c_.corpus.operators.end());
    some("a state", [&](std::uint64_t seed) {
      auto g = operator_graph(seed, std::span(own).subspan(seed % own.size(), 1), *codegens_[1], c_.options.target);
      if (g) add_state(g->graph);
      return g && g->graph.states.empty() ? std::nullopt : std::move(g);
    });
    some("nodes of two", [&](std::uint64_t seed) -> std::optional<RandomGraph> {
      return random_graph(seed, *codegens_[1], c_.options.target);
    });
    c_.findings.note(c_.check, std::to_string(graphs_) + " graphs, " + std::to_string(runs_) + " runs");
    if (graphs_ == 0) c_.findings.skip(c_.check, "it claims nothing of them");
  }

 private:
  template <class Make>
  void some(const std::string& what, const Make& make) {
    std::size_t found = 0;
    for (std::uint64_t i = 0; found < kEach && i < kSeeds; ++i) {
      const std::uint64_t seed = c_.options.size.seed + 5000 + i;
      c_.stage.enter(c_.check, what + ", seed " + std::to_string(seed));
      auto g = make(seed);
      auto mixed = g ? prepared(what + ", seed " + std::to_string(seed), std::move(*g)) : std::nullopt;
      if (!mixed) continue;
      ++found;
      one(*mixed);
    }
  }

  // If the plug-in takes a part of it, and not all.
  std::optional<Mixed> prepared(const std::string& name, RandomGraph g) {
    Mixed m{name, std::move(g.graph), std::move(g.inputs), {}};
    Diagnostics diags;
    PrepareOptions how;
    how.lift = false;
    m.graph.name = "mixed";
    if (!prepare(m.graph, how, diags) || m.graph.outputs.empty() || m.graph.inputs.size() != m.inputs.size())
      return std::nullopt;
    auto placed = make_partition(m.graph, codegens_, c_.options.target, {}, diags);
    if (!placed) return std::nullopt;
    m.placed = std::move(*placed);
    const auto of = [&](std::size_t codegen) {
      return std::any_of(m.placed.regions.begin(), m.placed.regions.end(),
                         [&](const PlacedRegion& r) { return r.codegen == codegen; });
    };
    const bool others = of(1) || !m.graph.states.empty() || !m.placed.bodies.empty();
    if (!of(0) || !others) return std::nullopt;
    return m;
  }

  void one(const Mixed& m) {
    Diagnostics diags;
    Job job;
    job.target = c_.options.target;
    job.name = "mixed";
    job.codegens = codegens_;
    job.request.trace = true;
    job.kernel_objects = &kernels_;
    auto library = compile_model(m.graph, job, diags);
    if (!library) return c_.add(requirement_of(error_text(diags)), m.name + ": " + error_text(diags));
    ++graphs_;
    auto folder = TemporaryDirectory::create(diags);
    if (!folder) return;
    const std::string archive = folder->path() + "/mixed.a", traced = folder->path() + "/mixed_traced.a";
    if (!write_library(*library, archive, false, diags) || !write_library(*library, traced, true, diags)) return;
    std::vector<Blob> inputs;
    for (std::size_t run = 0; run < runs_of(m); ++run)
      for (const evaluate::Tensor& t : m.inputs) inputs.push_back(t.bytes);
    const SimulateRequest request{.target = job.target,
                                  .model = library->interface(),
                                  .archive = archive,
                                  .traced_archive = traced,
                                  .header = companions_of(archive, library->prefix, false).header,
                                  .inputs = inputs,
                                  .dump = true,
                                  .libraries = c_.options.link,
                                  .link_libraries = library->link_libraries};
    const auto result = simulate(request, diags);
    if (!result) return c_.add("A16", m.name + ": " + error_text(diags).substr(0, 600));
    compare(m, inputs, result->dumps);
  }

  static std::size_t runs_of(const Mixed& m) { return m.inputs.empty() ? 1 : kRuns; }

  void compare(const Mixed& m, const std::vector<Blob>& inputs, const std::vector<DumpedTensor>& dumps) {
    Diagnostics diags;
    const auto compared =
        compare_with_evaluator(m.graph, stated(m.graph, m.placed), evaluate::agreement_on(c_.options.target), inputs,
                               runs_of(m), false, dumps, diags);
    if (!compared) return;  // the evaluator has no answer either
    runs_ += runs_of(m);
    if (compared->difference)
      c_.add("V4",
             m.name + ", run " + std::to_string(compared->run) + ": " + to_string(m.graph, *compared->difference));
  }

  Context& c_;
  std::vector<codegen::Codegen*> codegens_;  // the plug-in's, the reference backend's
  std::map<std::string, std::vector<std::byte>> kernels_;
  std::size_t graphs_ = 0, runs_ = 0;
};

void check_mixed(Context& c) {
  if (c.corpus.claimed.empty()) return c.findings.skip(c.check, "no graph of the kit's is claimed as a whole");
  if (c.options.reference == nullptr) return c.findings.skip(c.check, "there is no reference backend");
  MixedChecks(c).run();
}

}  // namespace

std::vector<Unit> mixed_units() {
  return {
      {{{"mixed", "emitted code", "A6 A16 V4", "it shares graphs with the reference backend: control flow, states"}},
       Unit::Gate::none,
       true,
       check_mixed}};
}

}  // namespace byoc::check
