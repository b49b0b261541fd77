#include "sdk/plan/schedule.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "sdk/ir/control.hpp"
#include "sdk/plan/control.hpp"
#include "sdk/plan/instance.hpp"
#include "sdk/plan/ram_pools.hpp"

namespace byoc::plan {
namespace {

constexpr std::uint32_t kNoBuffer = 0xffffffffu;

class Scheduler {
 public:
  Scheduler(const ir::Graph& graph, const plugin::Compilation& compilation, const plugin::GraphPart& part,
            const TargetSpec& target, Diagnostics& diags, bool reuse_inputs)
      : graph_(graph),
        compilation_(compilation),
        part_(part),
        target_(target),
        pools_(ram_pools(target)),
        diags_(diags),
        reuse_inputs_(reuse_inputs),
        buffer_of_value_(graph.values.size(), kNoBuffer),
        buffer_of_private_(compilation.private_values.size(), kNoBuffer),
        defined_(graph.values.size(), false) {}

  Result<Schedule> run(bool is_body, std::vector<Carried> carried) {
    resolve_aliases();
    place_borders();
    plan_controls();
    out_.carried = std::move(carried);
    for (Carried& c : out_.carried) c.in_place = may_overwrite(c);
    if (!is_body) place_states();
    out_.problem.steps = static_cast<std::uint32_t>(part_.steps.size());
    out_.problem.pools = static_cast<std::uint32_t>(pools_.size());
    for (const RamPool& p : pools_) out_.problem.sizes.push_back(p.size);
    out_.overwritten.assign(graph_.inputs.size(), false);
    if (reuse_inputs_) add_input_pools();
    workspaces_.resize(part_.steps.size());
    for (std::uint32_t s = 0; s < part_.steps.size(); ++s) visit(s);
    check_outputs();
    if (!ok_) return failure;
    if (!is_body) plan_commits();
    if (reuse_inputs_) offer_input_pools();
    assign_pools(out_.problem);
    out_.plan = make_plan(out_.problem);
    if (!verify_plan(out_.problem, out_.plan, diags_)) return failure;
    take_offsets();
    out_.plan.pools.resize(pools_.size());
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
      for (auto at = part_.aliases.find(root); at != part_.aliases.end() && hops <= graph_.values.size();
           at = part_.aliases.find(root)) {
        root = at->second;
        ++hops;
      }
      if (hops > graph_.values.size()) error(graph_.values[v].name, "is an alias of itself");
      out_.storage[v] = root;
    }
  }

  // What the executor itself does comes with overlays too: what goes round in one buffer may go out where it came in.
  void plan_controls() {
    overlays_.resize(part_.steps.size());
    for (std::uint32_t s = 0; s < part_.steps.size(); ++s) {
      const plugin::Step& step = part_.steps[s];
      overlays_[s] = step.decl.overlays;
      if (step.control == ir::kNoNode) continue;
      const ir::Node& node = graph_.nodes[step.control];
      auto planned = plan_control(node, compilation_, target_, diags_);
      if (!planned) {
        ok_ = false;
        continue;
      }
      if (node.op != "If") add_carried_overlays(step, ir::loop_form(node), planned->bodies[0].carried, overlays_[s]);
      out_.control.emplace(s, std::move(*planned));
    }
  }

  void add_carried_overlays(const plugin::Step& step, const ir::LoopForm& form, const std::vector<Carried>& carried,
                            std::vector<codegen::Overlay>& overlays) const {
    // Optional operands of the node that are not given have no place among the step's.
    const std::size_t absent = form.first_capture() + form.captures - step.inputs.size();
    for (std::uint32_t k = 0; k < carried.size(); ++k) {
      const auto input = static_cast<std::uint32_t>(form.first_input + k - absent);
      const ir::ValueId storage = out_.storage[step.inputs[input].value];
      const auto readers = std::count_if(step.inputs.begin(), step.inputs.end(),
                                         [&](const plugin::StepOperand& o) { return is(o, storage); });
      if (carried[k].in_place && readers == 1) overlays.push_back({k, input});
    }
  }

  // Inputs and constants stay where they are. What a step computes for an output goes there at once; everything else
  // that is given out is copied at the end.
  void place_borders() {
    out_.values.resize(graph_.values.size());
    for (ir::ValueId v = 0; v < graph_.values.size(); ++v)
      if (graph_.is_constant(v)) {
        out_.values[v] = {Place::constant, v, 0};
        defined_[v] = true;
      }
    for (std::uint32_t i = 0; i < graph_.inputs.size(); ++i) {
      out_.values[graph_.inputs[i]] = {Place::input, i, 0};
      defined_[graph_.inputs[i]] = true;
    }
    const InstanceLayout layout = instance_layout(graph_, compilation_.instances);
    for (std::uint32_t i = 0; i < graph_.states.size(); ++i) {
      out_.values[graph_.states[i].value] = {Place::instance, i, layout.states[i]};
      defined_[graph_.states[i].value] = true;
    }
    for (std::uint32_t i = 0; i < graph_.outputs.size(); ++i) {
      const ir::ValueId storage = out_.storage[graph_.outputs[i]];
      if (out_.values[storage].place == Place::workspace)
        out_.values[storage] = {Place::output, i, 0};
      else
        out_.copies.push_back({i, storage});
    }
  }

  // Each input is a buffer that fills a memory of its own: it is there from the start, through the whole first step,
  // and until it has been read for the last time.
  void add_input_pools() {
    for (const ir::ValueId v : graph_.inputs) {
      const std::uint64_t bytes = graph_.values[v].type.bytes();
      const std::uint32_t buffer = touch(buffer_of_value_[v], graph_.values[v].name, bytes, kValueAlign, 0);
      out_.problem.buffers[buffer].pool = out_.problem.pools++;
      out_.problem.sizes.push_back(std::max<std::uint64_t>(bytes, 1));  // 0 would be no bound
    }
    for (const OutputCopy& c : out_.copies) keep_input(c.source);
    for (const Carried& c : out_.carried) keep_input(out_.storage[c.next]);
  }

  // What is copied at the end of a run.
  void keep_input(ir::ValueId v) {
    if (out_.values[v].place != Place::input) return;
    const auto end = static_cast<std::uint32_t>(part_.steps.size());
    touch(buffer_of_value_[v], {}, 0, 1, end);
    out_.problem.steps = end + 1;
  }

  // What may live in the first RAM may live in an input buffer as well, if there is room; the smallest comes first.
  void offer_input_pools() {
    std::vector<std::uint32_t> inputs(graph_.inputs.size());
    std::iota(inputs.begin(), inputs.end(), static_cast<std::uint32_t>(pools_.size()));
    const std::vector<std::uint64_t>& sizes = out_.problem.sizes;
    std::stable_sort(inputs.begin(), inputs.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return sizes[a] < sizes[b]; });
    for (std::uint32_t i = 0; i < out_.problem.buffers.size(); ++i) {
      Buffer& b = out_.problem.buffers[i];
      if (b.pool != 0 || !b.choices.empty() || b.bytes == 0 || fixed_.contains(i)) continue;
      for (const std::uint32_t pool : inputs)
        if (b.bytes <= sizes[pool]) b.choices.push_back(pool);
      if (!b.choices.empty()) b.choices.push_back(0);
    }
  }

  void check_outputs() {
    for (ir::ValueId v : graph_.outputs)
      if (!defined_[out_.storage[v]]) error({}, "no step computes output '" + graph_.values[v].name + "'");
    for (const ir::State& s : graph_.states)
      if (!defined_[out_.storage[s.next]])
        error({}, "no step computes what state '" + graph_.values[s.value].name + "' becomes");
  }

  // Whether what carries `c.next` may start where `c.value` lies: nobody reads the old value once the new one is being
  // written, but for steps that say they can take both at one address.
  bool may_overwrite(const Carried& c) const {
    const ir::ValueId from = out_.storage[c.value];
    const ir::ValueId to = out_.storage[c.next];
    const Place place = out_.values[to].place;
    if (from == to || place == Place::input || place == Place::constant || place == Place::instance) return false;
    for (const OutputCopy& copy : out_.copies)
      if (copy.source == from) return false;
    for (const Carried& other : out_.carried)
      if (&other != &c && (out_.storage[other.next] == from || out_.storage[other.next] == to)) return false;
    // The step that begins to write it is the last that may read the old value.
    for (std::uint32_t s = 0; s < part_.steps.size(); ++s) {
      const plugin::Step& step = part_.steps[s];
      bool begins = false;
      for (std::uint32_t o = 0; o < step.outputs.size(); ++o) {
        if (!is(step.outputs[o], to)) continue;
        begins = true;
        if (!can_take_both(s, o, from)) return false;
      }
      if (begins) return !read_after(step, from);
    }
    return false;
  }

  bool is(const plugin::StepOperand& o, ir::ValueId storage) const {
    return o.value != ir::kNoValue && out_.storage[o.value] == storage;
  }
  bool reads(const plugin::Step& step, ir::ValueId storage) const {
    return std::any_of(step.inputs.begin(), step.inputs.end(),
                       [&](const plugin::StepOperand& o) { return is(o, storage); });
  }
  bool read_after(const plugin::Step& first, ir::ValueId storage) const {
    return std::any_of(part_.steps.begin(), part_.steps.end(),
                       [&](const plugin::Step& s) { return &s > &first && reads(s, storage); });
  }
  bool overlays(std::uint32_t step, const codegen::Overlay& overlay) const {
    return std::any_of(overlays_[step].begin(), overlays_[step].end(), [&](const codegen::Overlay& o) {
      return o.output == overlay.output && o.input == overlay.input && o.lead == overlay.lead;
    });
  }
  // Each input of the step that lies in `storage` may be at the address of this output.
  bool can_take_both(std::uint32_t s, std::uint32_t output, ir::ValueId storage) const {
    const plugin::Step& step = part_.steps[s];
    for (std::uint32_t i = 0; i < step.inputs.size(); ++i)
      if (is(step.inputs[i], storage) && !overlays(s, {output, i})) return false;
    return true;
  }

  // A state's next value is written where the state lies where that is possible and nobody else wants it elsewhere.
  void place_states() {
    for (std::size_t i = 0; i < out_.carried.size(); ++i) {
      Carried& c = out_.carried[i];
      const ir::ValueId to = out_.storage[c.next];
      c.in_place = c.in_place && out_.values[to].place == Place::workspace;
      if (c.in_place) out_.values[to] = out_.values[c.value];
    }
  }

  // What is left to be copied into the states at the end of a run, so that nothing is overwritten before it is read.
  void plan_commits() {
    const auto end = static_cast<std::uint32_t>(part_.steps.size());
    std::vector<Pending> pending;
    for (const Carried& c : out_.carried) {
      const ir::ValueId source = out_.storage[c.next];
      if (c.in_place || source == c.value) continue;
      pending.push_back({out_.values[c.value], source, kNoBuffer, graph_.values[c.value].type.bytes()});
      if (out_.values[source].place != Place::workspace) continue;
      touch(buffer_of_value_[source], graph_.values[source].name, graph_.values[source].type.bytes(), kValueAlign, end);
      out_.problem.steps = end + 1;
    }
    while (!pending.empty()) {
      const auto free =
          std::find_if(pending.begin(), pending.end(), [&](const Pending& p) { return !is_read(pending, p.to); });
      if (free != pending.end()) {
        moves_.push_back({free->to, free->source, free->spill, kNoBuffer, free->bytes});
        pending.erase(free);
      } else {
        spill(pending, end);
      }
    }
  }

  struct Pending {
    Location to;
    ir::ValueId source;
    std::uint32_t spill;  // the buffer that holds the source now, if any
    std::uint64_t bytes;
  };
  struct UnplacedMove {
    Location to;
    ir::ValueId source;
    std::uint32_t from_buffer, to_buffer;
    std::uint64_t bytes;
  };

  bool is_read(const std::vector<Pending>& pending, const Location& state) const {
    return std::any_of(pending.begin(), pending.end(), [&](const Pending& p) {
      const Location& from = out_.values[p.source];
      return p.spill == kNoBuffer && from.place == Place::instance && from.offset == state.offset;
    });
  }

  // States that change places in a circle: one of them goes through the workspace.
  void spill(std::vector<Pending>& pending, std::uint32_t end) {
    const Location state = pending.front().to;
    std::uint32_t buffer = kNoBuffer;
    for (Pending& p : pending) {
      const Location& from = out_.values[p.source];
      if (p.spill != kNoBuffer || from.place != Place::instance || from.offset != state.offset) continue;
      if (buffer == kNoBuffer) {
        touch(buffer, "a state that changes places", p.bytes, kValueAlign, end);
        moves_.push_back({{}, p.source, kNoBuffer, buffer, p.bytes});
      }
      p.spill = buffer;
    }
    out_.problem.steps = end + 1;
  }

  std::uint32_t touch(std::uint32_t& buffer, const std::string& name, std::uint64_t bytes, std::uint32_t align,
                      std::uint32_t step) {
    if (buffer == kNoBuffer) {
      buffer = static_cast<std::uint32_t>(out_.problem.buffers.size());
      out_.problem.buffers.push_back({.name = name, .bytes = bytes, .align = align, .first = step, .last = step});
    }
    Buffer& b = out_.problem.buffers[buffer];
    b.first = std::min(b.first, step);
    b.last = std::max(b.last, step);
    return buffer;
  }

  // The buffer of an operand, or none where it is not in the workspace.
  std::uint32_t touch(const plugin::StepOperand& operand, std::uint32_t step) {
    if (operand.value == ir::kNoValue) {
      const codegen::PrivateValue& p = compilation_.private_values[operand.private_value];
      std::uint32_t& buffer = buffer_of_private_[operand.private_value];
      if (buffer != kNoBuffer) return touch(buffer, {}, p.bytes, p.align, step);
      const std::string name = "private value " + std::to_string(operand.private_value);
      touch(buffer, name + " of " + owner(part_.steps[step]), p.bytes, p.align, step);
      choose(buffer, part_.steps[step], "private value", p.pools);
      return buffer;
    }
    const ir::ValueId v = out_.storage[operand.value];
    const bool reused = reuse_inputs_ && out_.values[v].place == Place::input;
    if (out_.values[v].place != Place::workspace && !reused) return kNoBuffer;
    return touch(buffer_of_value_[v], graph_.values[v].name, graph_.values[v].type.bytes(), kValueAlign, step);
  }

  void visit(std::uint32_t s) {
    const plugin::Step& step = part_.steps[s];
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
        if (graph_.values[v].is_state)
          error(step.decl.symbol, "writes '" + graph_.values[o.value].name + "', which is a state", {},
                "writes to what the state becomes");
        defined_[v] = true;
      }
      outputs.push_back(touch(o, s));
    }
    for (const codegen::Overlay& o : overlays_[s]) {
      if (inputs[o.input] == kNoBuffer || outputs[o.output] == kNoBuffer) continue;
      // A value may be several operands, of which another is still read when the output is written.
      bool each = true;
      for (std::uint32_t i = 0; i < inputs.size(); ++i)
        each = each && (inputs[i] != inputs[o.input] || overlays(s, {o.output, i, o.lead}));
      if (each) out_.problem.overlays.push_back({inputs[o.input], outputs[o.output], o.lead});
    }
    for (const codegen::Workspace& w : step.decl.workspaces) {
      const std::uint32_t buffer = add_workspace(step, w.bytes, w.align, s);
      choose(buffer, step, "workspace", w.pools);
    }
    if (const auto control = out_.control.find(s); control != out_.control.end())
      for (std::uint32_t p = 0; p < pools_.size(); ++p) {
        const PoolUse& use = control->second.pools[p];
        if (p != 0 && use.bytes == 0) continue;
        const std::uint32_t buffer = add_workspace(step, use.bytes, use.align, s);
        out_.problem.buffers[buffer].pool = p;
        fixed_.insert(buffer);
      }
  }

  std::uint32_t add_workspace(const plugin::Step& step, std::uint64_t bytes, std::uint32_t align, std::uint32_t s) {
    std::uint32_t buffer = kNoBuffer;
    touch(buffer, "workspace of " + owner(step), bytes, align, s);
    workspaces_[s].push_back(buffer);
    return buffer;
  }

  static std::string owner(const plugin::Step& step) {
    return "step '" + step.decl.symbol + "' of codegen '" + step.codegen + "'";
  }

  // Where a buffer may live: those of the named memories that the target has.
  void choose(std::uint32_t buffer, const plugin::Step& step, const std::string& what,
              const std::vector<std::string>& names) {
    if (names.empty()) return;
    Buffer& b = out_.problem.buffers[buffer];
    std::vector<std::string> known;
    for (const RamPool& p : pools_) known.push_back(p.name);
    for (const std::string& name : names) {
      const auto pool = std::find(known.begin(), known.end(), name);
      if (pool != known.end()) b.choices.push_back(static_cast<std::uint32_t>(pool - known.begin()));
    }
    if (b.choices.empty())
      error(step.decl.symbol,
            "codegen '" + step.codegen + "': its " + what + " may live in no RAM pool of target '" + target_.name + "'",
            join(names), (known.size() > 1 ? "one of " : "") + join(known));
    // Nothing needs no place in a memory of its own.
    if (b.bytes == 0) b.choices.clear();
  }

  static std::string join(const std::vector<std::string>& names) {
    std::string out;
    for (const std::string& n : names) out += (out.empty() ? "" : ", ") + n;
    return out;
  }

  void take_offsets() {
    const auto inputs = static_cast<std::uint32_t>(pools_.size());
    auto place = [&](std::uint32_t buffer) {
      const std::uint32_t pool = out_.problem.buffers[buffer].pool;
      if (pool >= inputs) return Location{Place::input, pool - inputs, out_.plan.offsets[buffer]};
      return Location{Place::workspace, pool, out_.plan.offsets[buffer]};
    };
    // The first of these buffers are the inputs themselves.
    for (std::size_t b = graph_.inputs.size(); reuse_inputs_ && b < out_.problem.buffers.size(); ++b)
      if (out_.problem.buffers[b].pool >= inputs) out_.overwritten[out_.problem.buffers[b].pool - inputs] = true;
    for (ir::ValueId v = 0; v < graph_.values.size(); ++v)
      if (buffer_of_value_[v] != kNoBuffer) out_.values[v] = place(buffer_of_value_[v]);
    for (ir::ValueId v = 0; v < graph_.values.size(); ++v) out_.values[v] = out_.values[out_.storage[v]];
    out_.private_values.resize(buffer_of_private_.size());
    for (std::size_t p = 0; p < buffer_of_private_.size(); ++p)
      if (buffer_of_private_[p] != kNoBuffer) out_.private_values[p] = place(buffer_of_private_[p]);
    for (const auto& step : workspaces_) {
      out_.workspaces.emplace_back();
      out_.workspace_bytes.emplace_back();
      for (const std::uint32_t buffer : step) {
        out_.workspaces.back().push_back(place(buffer));
        out_.workspace_bytes.back().push_back(out_.problem.buffers[buffer].bytes);
      }
    }
    for (const UnplacedMove& m : moves_) {
      Move move{m.to, out_.values[m.source], m.bytes};
      if (m.from_buffer != kNoBuffer) move.from = place(m.from_buffer);
      if (m.to_buffer != kNoBuffer) move.to = place(m.to_buffer);
      out_.commits.push_back(move);
    }
  }

  const ir::Graph& graph_;
  const plugin::Compilation& compilation_;
  const plugin::GraphPart& part_;
  const TargetSpec& target_;
  const std::vector<RamPool> pools_;
  Diagnostics& diags_;
  const bool reuse_inputs_;
  std::set<std::uint32_t> fixed_;  // buffers that must be in their pool
  std::vector<std::uint32_t> buffer_of_value_;
  std::vector<std::uint32_t> buffer_of_private_;
  std::vector<bool> defined_;
  std::vector<UnplacedMove> moves_;
  std::vector<std::vector<codegen::Overlay>> overlays_;  // of each step
  std::vector<std::vector<std::uint32_t>> workspaces_;   // of each step, buffers
  Schedule out_;
  bool ok_ = true;
};

}  // namespace

std::uint64_t workspace_limit(const TargetSpec& target) {
  std::uint64_t most = 0;
  for (const MemoryPool& p : target.pools) {
    if (p.kind != PoolKind::ram) continue;
    if (p.size == 0) return 0;
    most = std::max(most, p.size);
  }
  return most;
}

namespace {

// Bytes that a pool's workspace may have; 0: not bounded.
std::uint64_t room(const Schedule& schedule, const std::vector<RamPool>& pools, std::size_t pool) {
  if (pool != 0) return pools[pool].size;
  std::uint64_t most = 0;
  for (std::size_t p = 0; p < pools.size(); ++p) {
    if (pools[p].size == 0) return 0;
    const std::uint64_t taken = p == 0 ? 0 : schedule.plan.pools[p].bytes;
    most = std::max(most, pools[p].size - std::min(taken, pools[p].size));
  }
  return most;
}

std::uint64_t excess(const Schedule& schedule, const std::vector<RamPool>& pools, std::size_t pool) {
  const std::uint64_t most = room(schedule, pools, pool), need = schedule.plan.pools[pool].bytes;
  return most == 0 || need <= most ? 0 : need - most;
}

// "4096 bytes, workspace of step 'm_a' of codegen 'x' 3000, ...": the largest of what is there at the fullest step.
std::string contents(const Schedule& schedule, std::uint32_t pool) {
  constexpr std::size_t kMost = 3;
  const std::vector<std::uint64_t> live = live_bytes(schedule.problem, pool);
  const auto fullest = static_cast<std::uint32_t>(std::max_element(live.begin(), live.end()) - live.begin());
  std::vector<const Buffer*> there;
  for (const Buffer& b : schedule.problem.buffers)
    if (b.pool == pool && b.first <= fullest && fullest <= b.last) there.push_back(&b);
  std::stable_sort(there.begin(), there.end(), [](const auto* a, const auto* b) { return a->bytes > b->bytes; });
  std::string out = std::to_string(schedule.plan.pools[pool].bytes) + " bytes";
  for (std::size_t i = 0; i < std::min(there.size(), kMost); ++i)
    out += ", " + there[i]->name + " " + std::to_string(there[i]->bytes);
  return out;
}

}  // namespace

std::uint64_t excess(const Schedule& schedule, const TargetSpec& target) {
  const std::vector<RamPool> pools = ram_pools(target);
  std::uint64_t most = 0;
  for (std::size_t p = 0; p < pools.size(); ++p) most = std::max(most, excess(schedule, pools, p));
  return most;
}

Result<void> check_fit(const Schedule& schedule, const ir::Graph& graph, const TargetSpec& target, Diagnostics& diags) {
  const std::vector<RamPool> pools = ram_pools(target);
  bool ok = true;
  for (std::uint32_t p = 0; p < pools.size(); ++p) {
    if (excess(schedule, pools, p) == 0) continue;
    ok = false;
    const std::string most = "at most " + std::to_string(room(schedule, pools, p)) + " bytes";
    if (p == 0)
      diags.error(graph.file, {}, "the workspace does not fit into any RAM of target '" + target.name + "'",
                  std::to_string(schedule.plan.pools[p].bytes) + " bytes", most);
    else
      diags.error(graph.file, {},
                  "the workspace in memory pool '" + pools[p].name + "' of target '" + target.name + "' does not fit",
                  contents(schedule, p), most);
  }
  return ok ? Result<void>() : failure;
}

Result<Schedule> make_schedule(const ir::Graph& graph, const plugin::Compilation& compilation, const TargetSpec& target,
                               Diagnostics& diags, bool reuse_inputs) {
  std::vector<Carried> states;
  for (const ir::State& s : graph.states) states.push_back({s.value, s.next});
  return Scheduler(graph, compilation, compilation, target, diags, reuse_inputs).run(false, std::move(states));
}

ModelRam ram_use(const Schedule& schedule, const ir::Graph& graph, const plugin::Compilation& compilation) {
  ModelRam out;
  for (const PoolUse& pool : schedule.plan.pools) out.workspaces += pool.bytes;
  out.instance = instance_layout(graph, compilation.instances).bytes;
  for (const ir::ValueId v : graph.inputs) out.inputs += graph.values[v].type.bytes();
  for (const ir::ValueId v : graph.outputs) out.outputs += graph.values[v].type.bytes();
  return out;
}

Result<Schedule> make_body_schedule(const ir::Graph& graph, const plugin::Compilation& compilation,
                                    const TargetSpec& target, std::vector<Carried> carried, Diagnostics& diags) {
  const auto part = compilation.bodies.find(&graph);
  static const plugin::GraphPart kNothing;
  return Scheduler(graph, compilation, part == compilation.bodies.end() ? kNothing : part->second, target, diags, false)
      .run(true, std::move(carried));
}

}  // namespace byoc::plan
