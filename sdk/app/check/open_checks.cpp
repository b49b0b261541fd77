// A check of nodes with dims that only a run knows, for those that say they take them (BYOC_CAP_OPEN_DIMS): each kind
// of node is compiled without the lengths of its inputs, loaded here and run with several.
#include <algorithm>
#include <cstring>
#include <set>

#include "sdk/app/check/context.hpp"
#include "sdk/codegen/plugin/abi/abi_codegen.hpp"
#include "sdk/export/export.hpp"
#include "sdk/model/evaluate/comparison.hpp"
#include "sdk/model/prepare/prepare.hpp"
#include "sdk/program/bytecode/lower.hpp"
#include "sdk/run/host/loaded_bytecode.hpp"

namespace byoc::check {
namespace {

using evaluate::Tensor;

constexpr std::uint64_t kMemory = std::uint64_t{1} << 30;  // of one run

// An axis with a scale for each of its elements has as many.
bool has_axis(const ir::TensorType& type) { return type.quantisation && type.quantisation->per_axis(); }

// Choices of open dims; those with more open dims come first.
using Opens = bool (*)(std::size_t k, std::size_t rank);
constexpr Opens kOpens[] = {
    [](std::size_t, std::size_t) { return true; },
    [](std::size_t k, std::size_t) { return k != 1; },                           // channels are known
    [](std::size_t k, std::size_t rank) { return k + 1 != rank || rank == 1; },  // of NHWC
    [](std::size_t k, std::size_t) { return k == 0; },
};

// The graph with a symbol for each of those dims of its inputs, and without the dims of what it computes; nothing where
// no input has any.
std::optional<ir::Graph> opened(const ir::Graph& from, Opens is_open) {
  ir::Graph out = from;
  for (const ir::ValueId v : out.inputs) {
    ir::TensorType& type = out.values[v].type;
    for (std::size_t k = 0; type.dims && !has_axis(type) && k < type.dims->size(); ++k) {
      if (!is_open(k, type.dims->size())) continue;
      (*type.dims)[k] = ir::symbol_dim(out.symbols.size());
      out.symbols.push_back("d" + std::to_string(out.symbols.size()));
    }
  }
  for (const ir::Node& node : out.nodes)
    for (const ir::ValueId v : node.outputs)
      if (v != ir::kNoValue && !has_axis(out.values[v].type)) {
        ir::TensorType& type = out.values[v].type;
        type = type.quantisation ? ir::TensorType{type.dtype, std::nullopt, type.quantisation} : ir::TensorType{};
      }
  if (out.symbols.empty()) return std::nullopt;
  PrepareOptions how;
  how.lift = false;
  how.open_types = true;
  Diagnostics diags;
  if (!prepare(out, how, diags)) return std::nullopt;
  return out;
}

// Repeats the elements.
Tensor with_dims(const Tensor& from, const std::vector<ir::Dim>& dims) {
  Tensor out{from.type, {}};
  out.type.dims = dims;
  std::vector<std::byte> bytes(static_cast<std::size_t>(out.type.bytes()));
  const auto have = from.bytes.bytes();
  for (std::size_t i = 0; i < bytes.size() && !have.empty(); ++i) bytes[i] = have[i % have.size()];
  out.bytes = Blob::own(std::move(bytes));
  return out;
}

// Inputs with the original lengths; longer ones; a longer first one; the first one empty.
std::vector<std::vector<Tensor>> length_sets(const Case& one, const ir::Graph& graph) {
  std::vector<std::vector<Tensor>> out = {one.inputs};
  const auto add = [&](const auto& length) {
    std::vector<Tensor>& inputs = out.emplace_back(one.inputs);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const std::vector<ir::Dim>& stated = *graph.values[graph.inputs[i]].type.dims;
      std::vector<ir::Dim> dims = *inputs[i].type.dims;
      for (std::size_t k = 0; k < dims.size(); ++k)
        if (ir::is_open(stated[k])) dims[k] = length(k, dims[k]);
      inputs[i] = with_dims(inputs[i], dims);
    }
  };
  add([](std::size_t, ir::Dim d) { return d == 1 ? d : d + 1; });
  add([](std::size_t k, ir::Dim d) { return k == 0 ? d + 5 : d; });
  add([](std::size_t k, ir::Dim d) { return k == 0 ? 0 : d; });
  return out;
}

class OpenChecks {
 public:
  explicit OpenChecks(Context& c) : c_(c) {}

  void run() {
    Diagnostics diags;
    const auto plugin = c_.load();
    if (!plugin) return;
    const auto codegen = plugin::create_codegen(*plugin, c_.options.target, c_.options.options, {}, diags);
    if (!codegen) return;  // an earlier check has told that
    if (!(*codegen)->takes_open_dims())
      return c_.findings.skip(c_.check, "it does not say that it takes dims that only a run knows");
    if (c_.options.target.name != "host") return c_.findings.skip(c_.check, "such models run here: --target host");
    auto folder = TemporaryDirectory::create(diags);
    if (!folder) return c_.findings.skip(c_.check, error_text(diags));
    codegen_ = codegen->get();
    library_ = folder->path() + "/open.so";
    std::set<std::string> met;
    for (const Case& one : c_.corpus.claimed) {
      if (one.graph.nodes.size() != 1 || !one.graph.states.empty()) continue;
      const std::string kind = forms_of(one.graph, one.graph.nodes[0]).op;
      if (met.contains(kind)) continue;
      c_.stage.enter(c_.check, one.name);
      if (std::any_of(std::begin(kOpens), std::end(kOpens), [&](Opens opens) { return check(one, opens); }))
        met.insert(kind);
    }
    c_.findings.note(c_.check, std::to_string(graphs_) + " graphs, " + std::to_string(runs_) + " runs");
    if (graphs_ == 0) c_.findings.skip(c_.check, "no node of the kit's is claimed with such dims");
  }

 private:
  // True if it claims the node with those dims open.
  bool check(const Case& one, Opens opens) {
    const auto graph = opened(one.graph, opens);
    if (!graph || graph->nodes.size() != 1 || !bytecode::is_open(*graph, graph->nodes[0])) return false;
    const auto verdicts = codegen_->verdicts(plugin::make_region(*graph).region, c_.options.target);
    if (verdicts.size() != 1 || !verdicts[0].claimed) return false;
    evaluate::Allowance allowed;
    allowed.add(evaluate::closeness(verdicts[0]));
    codegen::Codegen* const codegens[] = {codegen_};
    Job job;
    job.target = c_.options.target;
    job.name = "open";
    job.request.executor = "vm";
    job.codegens = codegens;
    job.request.add_files = c_.options.link;
    job.kernel_objects = &kernels_;
    Diagnostics diags;
    const auto library = compile_model(*graph, job, diags);
    if (!library || !write_library(*library, library_, false, diags)) {
      const std::string why = error_text(diags);
      c_.add(requirement_of(why), one.name + ": " + why);
      return true;
    }
    const auto loaded = LoadedBytecode::open(library_, "", diags);
    if (!loaded) {
      c_.add("A12", one.name + ": " + error_text(diags));
      return true;
    }
    ++graphs_;
    for (const std::vector<Tensor>& inputs : length_sets(one, *graph))
      run(one, *graph, allowed, (*loaded)->machine(), inputs);
    return true;
  }

  void run(const Case& one, const ir::Graph& graph, const evaluate::Allowance& allowed, bytecode::Machine& machine,
           const std::vector<Tensor>& inputs) {
    Diagnostics diags;
    const auto expected = evaluate::run(graph, inputs, diags);
    if (!expected) return;  // no lengths that it could have
    std::string lengths;
    for (const Tensor& t : inputs) lengths += (lengths.empty() ? "" : ", ") + ir::to_string(t.type, graph);
    const std::string what = one.name + ", given " + lengths + ": ";
    const auto found = machine.run(inputs, {.memory = kMemory}, diags);
    if (!found) return c_.add("A16", what + error_text(diags));
    ++runs_;
    // The comparison needs known types.
    ir::Graph known = graph;
    std::vector<Blob> bytes;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      known.values[known.inputs[i]].type = inputs[i].type;
      bytes.push_back(inputs[i].bytes);
    }
    evaluate::FoundTensors outputs;
    for (std::size_t k = 0; k < expected->size(); ++k) {
      const ir::TensorType& type = (*expected)[k].type;
      if ((*found)[k].type.dims != type.dims)
        return c_.add("V4", what + "an output has other dims", ir::to_string((*found)[k].type, graph),
                      ir::to_string(type, graph));
      known.values[known.outputs[k]].type = type;
      outputs[known.outputs[k]] = {(*found)[k].bytes};
    }
    evaluate::Comparison comparison(known, {allowed}, evaluate::agreement_on(c_.options.target));
    const auto difference = comparison.run(bytes, outputs, diags);
    if (difference && *difference) c_.add("V4", what + to_string(known, **difference));
  }

  Context& c_;
  codegen::Codegen* codegen_ = nullptr;
  std::string library_;
  std::map<std::string, std::vector<std::byte>> kernels_;
  std::size_t graphs_ = 0, runs_ = 0;
};

void check_open(Context& c) {
  if (c.corpus.claimed.empty()) return c.findings.skip(c.check, "no graph of the kit's is claimed as a whole");
  OpenChecks(c).run();
}

}  // namespace

std::vector<Unit> open_units() {
  return {{{{"open-dims", "emitted code", "V4 V10 A16", "its steps take lengths that only a run knows"}},
           Unit::Gate::none,
           true,
           check_open,
           "A16"}};  // what runs there and has not run before is its steps
}

}  // namespace byoc::check
