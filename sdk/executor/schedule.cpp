#include "sdk/executor/schedule.hpp"

#include <algorithm>

namespace byoc::executor {
namespace {

constexpr std::uint32_t kNoBuffer = 0xffffffffu;
// What any C object may need; graph values are handed to vendor code that may load them by words.
constexpr std::uint32_t kValueAlign = 8;

class Scheduler {
 public:
  Scheduler(const ir::Graph& graph, const plugin::Compilation& compilation, const TargetSpec& target,
            Diagnostics& diags)
      : graph_(graph),
        compilation_(compilation),
        target_(target),
        diags_(diags),
        buffer_of_value_(graph.values.size(), kNoBuffer),
        buffer_of_private_(compilation.private_values.size(), kNoBuffer),
        defined_(graph.values.size(), false) {}

  Result<Schedule> run() {
    resolve_aliases();
    place_borders();
    out_.problem.steps = static_cast<std::uint32_t>(compilation_.steps.size());
    out_.workspaces.resize(compilation_.steps.size());
    for (std::uint32_t s = 0; s < compilation_.steps.size(); ++s) visit(s);
    for (ir::ValueId v : graph_.outputs)
      if (!defined_[out_.storage[v]]) error({}, "no step computes output '" + graph_.values[v].name + "'");
    if (!ok_) return failure;
    out_.plan = plan::make_plan(out_.problem);
    if (!plan::verify_plan(out_.problem, out_.plan, diags_) || !fits()) return failure;
    take_offsets();
    return std::move(out_);
  }

 private:
  void error(const std::string& where, const std::string& message, const std::string& found = {},
             const std::string& expected = {}) {
    ok_ = false;
    diags_.error(graph_.file, where, message, found, expected);
  }

  void resolve_aliases() {
    out_.storage.resize(graph_.values.size());
    for (ir::ValueId v = 0; v < graph_.values.size(); ++v) {
      ir::ValueId root = v;
      std::size_t hops = 0;
      for (auto at = compilation_.aliases.find(root); at != compilation_.aliases.end() && hops <= graph_.values.size();
           at = compilation_.aliases.find(root)) {
        root = at->second;
        ++hops;
      }
      if (hops > graph_.values.size()) error(graph_.values[v].name, "is an alias of itself");
      out_.storage[v] = root;
    }
  }

  // Inputs and constants stay where they are. What a step computes for an output goes there at once; everything else
  // that is given out is copied at the end.
  void place_borders() {
    out_.values.resize(graph_.values.size());
    for (ir::ValueId v = 0; v < graph_.values.size(); ++v)
      if (graph_.is_constant(v)) {
        out_.values[v].place = Place::constant;
        defined_[v] = true;
      }
    for (std::uint32_t i = 0; i < graph_.inputs.size(); ++i) {
      out_.values[graph_.inputs[i]] = {Place::input, i, 0};
      defined_[graph_.inputs[i]] = true;
    }
    for (std::uint32_t i = 0; i < graph_.outputs.size(); ++i) {
      const ir::ValueId storage = out_.storage[graph_.outputs[i]];
      if (out_.values[storage].place == Place::workspace)
        out_.values[storage] = {Place::output, i, 0};
      else
        out_.copies.push_back({i, storage});
    }
  }

  std::uint32_t touch(std::uint32_t& buffer, const std::string& name, std::uint64_t bytes, std::uint32_t align,
                      std::uint32_t step) {
    if (buffer == kNoBuffer) {
      buffer = static_cast<std::uint32_t>(out_.problem.buffers.size());
      out_.problem.buffers.push_back({name, bytes, align, step, step, 0});
    }
    plan::Buffer& b = out_.problem.buffers[buffer];
    b.first = std::min(b.first, step);
    b.last = std::max(b.last, step);
    return buffer;
  }

  // The buffer of an operand, or none where it is not in the workspace.
  std::uint32_t touch(const plugin::StepOperand& operand, std::uint32_t step) {
    if (operand.value == ir::kNoValue) {
      const codegen::PrivateValue& p = compilation_.private_values[operand.private_value];
      return touch(buffer_of_private_[operand.private_value], "private value " + std::to_string(operand.private_value),
                   p.bytes, p.align, step);
    }
    const ir::ValueId v = out_.storage[operand.value];
    if (out_.values[v].place != Place::workspace) return kNoBuffer;
    return touch(buffer_of_value_[v], graph_.values[v].name, graph_.values[v].type.bytes(), kValueAlign, step);
  }

  void visit(std::uint32_t s) {
    const plugin::Step& step = compilation_.steps[s];
    std::vector<std::uint32_t> inputs;
    std::vector<std::uint32_t> outputs;
    for (const plugin::StepOperand& o : step.inputs) {
      if (o.value != ir::kNoValue && !defined_[out_.storage[o.value]])
        error(step.decl.symbol, "reads '" + graph_.values[o.value].name + "', which no step computes before it");
      inputs.push_back(touch(o, s));
    }
    for (const plugin::StepOperand& o : step.outputs) {
      if (o.value != ir::kNoValue) {
        const ir::ValueId v = out_.storage[o.value];
        if (out_.values[v].place == Place::input || out_.values[v].place == Place::constant)
          error(step.decl.symbol, "writes '" + graph_.values[o.value].name + "', which is an input or a constant");
        defined_[v] = true;
      }
      outputs.push_back(touch(o, s));
    }
    for (const codegen::Overlay& o : step.decl.overlays)
      if (inputs[o.input] != kNoBuffer && outputs[o.output] != kNoBuffer)
        out_.problem.overlays.push_back({inputs[o.input], outputs[o.output]});
    for (const codegen::Workspace& w : step.decl.workspaces) add_workspace(step, w, s);
  }

  void add_workspace(const plugin::Step& step, const codegen::Workspace& w, std::uint32_t s) {
    const std::string pool = first_pool();
    if (!w.pools.empty() && std::find(w.pools.begin(), w.pools.end(), pool) == w.pools.end())
      error(step.decl.symbol, "its workspace cannot live in the memory pool of this target", join(w.pools), pool);
    std::uint32_t buffer = kNoBuffer;
    touch(buffer, "workspace of " + step.decl.symbol, w.bytes, w.align, s);
    out_.workspaces[s].push_back(buffer);  // becomes an offset in take_offsets()
  }

  static std::string join(const std::vector<std::string>& names) {
    std::string out;
    for (const std::string& n : names) out += (out.empty() ? "" : ", ") + n;
    return out;
  }

  const MemoryPool* ram() const {
    for (const MemoryPool& p : target_.pools)
      if (p.kind == PoolKind::ram) return &p;
    return nullptr;
  }
  std::string first_pool() const { return ram() ? ram()->name : "ram"; }

  bool fits() {
    std::uint64_t most = ram() ? ram()->size : 0;
    for (const MemoryPool& p : target_.pools)
      if (p.kind == PoolKind::ram && most != 0) most = p.size == 0 ? 0 : std::max(most, p.size);
    const std::uint64_t need = out_.plan.pools[0].bytes;
    if (most == 0 || need <= most) return true;
    diags_.error(graph_.file, {}, "the workspace does not fit into any RAM of target '" + target_.name + "'",
                 std::to_string(need) + " bytes", "at most " + std::to_string(most) + " bytes");
    return false;
  }

  void take_offsets() {
    auto offset = [&](std::uint64_t buffer) { return out_.plan.offsets[buffer]; };
    for (ir::ValueId v = 0; v < graph_.values.size(); ++v)
      if (buffer_of_value_[v] != kNoBuffer) out_.values[v].offset = offset(buffer_of_value_[v]);
    for (ir::ValueId v = 0; v < graph_.values.size(); ++v) out_.values[v] = out_.values[out_.storage[v]];
    out_.private_values.resize(buffer_of_private_.size());
    for (std::size_t p = 0; p < buffer_of_private_.size(); ++p)
      if (buffer_of_private_[p] != kNoBuffer) out_.private_values[p].offset = offset(buffer_of_private_[p]);
    for (auto& step : out_.workspaces)
      for (std::uint64_t& w : step) w = offset(w);
  }

  const ir::Graph& graph_;
  const plugin::Compilation& compilation_;
  const TargetSpec& target_;
  Diagnostics& diags_;
  std::vector<std::uint32_t> buffer_of_value_;
  std::vector<std::uint32_t> buffer_of_private_;
  std::vector<bool> defined_;
  Schedule out_;
  bool ok_ = true;
};

}  // namespace

Result<Schedule> make_schedule(const ir::Graph& graph, const plugin::Compilation& compilation, const TargetSpec& target,
                               Diagnostics& diags) {
  return Scheduler(graph, compilation, target, diags).run();
}

}  // namespace byoc::executor
