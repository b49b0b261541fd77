#include "sdk/program/plan/schedule.hpp"

#include <algorithm>
#include <optional>

#include "sdk/base/support/repeats.hpp"
#include "sdk/model/ir/control.hpp"
#include "sdk/program/plan/buffers.hpp"
#include "sdk/program/plan/commits.hpp"
#include "sdk/program/plan/control.hpp"
#include "sdk/program/plan/instance.hpp"
#include "sdk/program/plan/ram_pools.hpp"
#include "sdk/program/plan/steps.hpp"

namespace byoc::plan {
namespace {

std::string owner(const plugin::Step& step) {
  return "step '" + step.decl.symbol + "' of codegen '" + step.codegen + "'";
}

std::string join(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& n : names) out += (out.empty() ? "" : ", ") + n;
  return out;
}

class Scheduler {
 public:
  Scheduler(const ir::Graph& graph, const plugin::Compilation& compilation, const plugin::GraphPart& part,
            const TargetSpec& target, Diagnostics& diags, bool reuse_inputs)
      : graph_(graph),
        compilation_(compilation),
        target_(target),
        pools_(ram_pools(target)),
        diags_(diags),
        reuse_inputs_(reuse_inputs),
        steps_(graph, part),
        buffers_(graph, compilation.private_values, pools_, steps_.count()),
        defined_(graph.values.size(), false) {}

  Result<Schedule> run(bool is_body, std::vector<Carried> carried) {
    for (const ir::ValueId v : steps_.circular()) error(graph_.values[v].name, "is an alias of itself");
    out_.storage = steps_.storage();
    place_borders();
    plan_controls();
    out_.carried = std::move(carried);
    count_carried();
    for (Carried& c : out_.carried) c.in_place = may_overwrite(c);
    if (!is_body) {
      place_states();
      place_instance(instance_layout(graph_, compilation_.instances));
    }
    if (reuse_inputs_) offer_inputs();
    workspaces_.resize(steps_.count());
    for (std::uint32_t s = 0; s < steps_.count(); ++s) visit(s);
    check_outputs();
    wrong_.tell(diags_);
    if (!ok_ || wrong_.has_errors()) return failure;
    Commits commits(graph_, steps_, out_.values, buffers_);
    if (!is_body) commits.plan(out_.carried);
    if (reuse_inputs_) buffers_.offer_input_pools();
    assign_pools(buffers_.problem);
    out_.plan = make_plan(buffers_.problem);
    if (!verify_plan(buffers_.problem, out_.plan, diags_)) return failure;
    take_offsets();
    out_.commits = commits.placed(out_.values, out_.plan);
    out_.plan.pools.resize(pools_.size());
    out_.problem = std::move(buffers_.problem);
    return std::move(out_);
  }

 private:
  void error(const std::string& where, const std::string& message, const std::string& found = {},
             const std::string& expected = {}) {
    wrong_.error(graph_.file, where, message, found, expected);
  }
  // Reports an error in a codegen's step.
  void step_error(const plugin::Step& step, const std::string& message, const std::string& found = {},
                  const std::string& expected = {}) {
    wrong_.error_of(step.codegen, graph_.file, step.decl.symbol, message, found, expected);
  }

  // Inputs and constants stay where they are. A step writes a value of its own directly to the output; all other
  // outputs are copied at the end.
  void place_borders() {
    out_.values.resize(graph_.values.size());
    const auto place = [&](ir::ValueId v, Location at) {
      out_.values[v] = at;
      defined_[v] = true;
    };
    for (ir::ValueId v = 0; v < graph_.values.size(); ++v)
      if (graph_.is_constant(v)) place(v, {Place::constant, v, 0});
    for (std::uint32_t i = 0; i < graph_.inputs.size(); ++i) place(graph_.inputs[i], {Place::input, i, 0});
    const InstanceLayout layout = instance_layout(graph_, compilation_.instances);
    for (std::uint32_t i = 0; i < graph_.states.size(); ++i)
      place(graph_.states[i].value, {Place::instance, i, layout.states[i]});
    for (std::uint32_t i = 0; i < graph_.outputs.size(); ++i) {
      const ir::ValueId storage = steps_.storage(graph_.outputs[i]);
      if (out_.values[storage].place == Place::workspace)
        out_.values[storage] = {Place::output, i, 0};
      else
        out_.copies.push_back({i, storage});
    }
  }

  // Control nodes have overlays, too: a carried value may leave in the buffer in which it came in.
  void plan_controls() {
    for (std::uint32_t s = 0; s < steps_.count(); ++s) {
      const plugin::Step& step = steps_.all()[s];
      if (step.control == ir::kNoNode) continue;
      const ir::Node& node = graph_.nodes[step.control];
      auto planned = plan_control(node, compilation_, target_, diags_);
      if (!planned) {
        ok_ = false;
        continue;
      }
      if (node.op != "If") add_carried_overlays(s, ir::loop_form(node), planned->bodies[0].carried);
      out_.control.emplace(s, std::move(*planned));
    }
  }

  void add_carried_overlays(std::uint32_t s, const ir::LoopForm& form, const std::vector<Carried>& carried) {
    const std::vector<plugin::StepOperand>& inputs = steps_.all()[s].inputs;
    // Optional operands of the node that are not given have no place among the step's.
    const std::size_t absent = form.first_capture() + form.captures - inputs.size();
    std::map<ir::ValueId, std::size_t> readers;  // by storage
    for (const plugin::StepOperand& o : inputs)
      if (o.value != ir::kNoValue) ++readers[steps_.storage(o.value)];
    for (std::uint32_t k = 0; k < carried.size(); ++k) {
      const auto input = static_cast<std::uint32_t>(form.first_input + k - absent);
      const ir::ValueId storage = steps_.storage(inputs[input].value);
      if (carried[k].in_place && readers[storage] == 1) steps_.add_overlay(s, {k, input});
    }
  }

  // True if the buffer of `c.next` may start where `c.value` is.
  bool may_overwrite(const Carried& c) const {
    const ir::ValueId from = steps_.storage(c.value);
    const ir::ValueId to = steps_.storage(c.next);
    const Place place = out_.values[to].place;
    if (from == to || place == Place::input || place == Place::constant || place == Place::instance) return false;
    if (is_copied_[from] || becomes_[from] != 0 || becomes_[to] != 1) return false;
    return steps_.may_write_over(from, to);
  }

  void count_carried() {
    is_copied_.assign(graph_.values.size(), false);
    becomes_.assign(graph_.values.size(), 0);
    for (const OutputCopy& copy : out_.copies) is_copied_[copy.source] = true;
    for (const Carried& c : out_.carried) ++becomes_[steps_.storage(c.next)];
  }

  // A state's next value is written where the state lies where that is possible and nobody else wants it elsewhere.
  void place_states() {
    for (Carried& c : out_.carried) {
      const ir::ValueId to = steps_.storage(c.next);
      c.in_place = c.in_place && out_.values[to].place == Place::workspace;
      if (c.in_place) out_.values[to] = out_.values[c.value];
    }
  }

  // The inputs' buffers are memories, but for inputs that are copied at the end of a run: those are kept.
  void offer_inputs() {
    buffers_.add_input_pools();
    const auto keep = [&](ir::ValueId v) {
      if (out_.values[v].place == Place::input) buffers_.keep_value(v);
    };
    for (const OutputCopy& c : out_.copies) keep(c.source);
    for (const Carried& c : out_.carried) keep(steps_.storage(c.next));
  }

  void check_outputs() {
    for (ir::ValueId v : graph_.outputs)
      if (!defined_[steps_.storage(v)]) error("", "no step computes output '" + graph_.values[v].name + "'");
    for (const ir::State& s : graph_.states)
      if (!defined_[steps_.storage(s.next)])
        error("", "no step computes what state '" + graph_.values[s.value].name + "' becomes");
  }

  void visit(std::uint32_t s) {
    const plugin::Step& step = steps_.all()[s];
    std::vector<std::uint32_t> inputs, outputs;
    for (const plugin::StepOperand& o : step.inputs) {
      check_read(step, o);
      inputs.push_back(use(o, s));
    }
    for (const plugin::StepOperand& o : step.outputs) {
      check_written(step, o);
      outputs.push_back(use(o, s));
    }
    add_overlays(s, inputs, outputs);
    add_workspaces(s);
  }

  void check_read(const plugin::Step& step, const plugin::StepOperand& o) {
    if (o.value != ir::kNoValue && !defined_[steps_.storage(o.value)])
      step_error(step, "reads '" + graph_.values[o.value].name + "', which no step computes before it");
  }

  void check_written(const plugin::Step& step, const plugin::StepOperand& o) {
    if (o.value == ir::kNoValue) return;
    const ir::ValueId v = steps_.storage(o.value);
    const std::string writes = "writes '" + graph_.values[o.value].name + "', which is ";
    if (out_.values[v].place == Place::input || out_.values[v].place == Place::constant)
      step_error(step, writes + "an input or a constant");
    if (graph_.values[v].is_state) step_error(step, writes + "a state", {}, "writes to what the state becomes");
    defined_[v] = true;
  }

  // The buffer of an operand, or none where it is not in the workspace.
  std::string private_name(std::uint32_t id, std::uint32_t s) const {
    const std::string& name = compilation_.private_values[id].name;
    return (name.empty() ? "private value " + std::to_string(id) : "'" + name + "'") + " of " + owner(steps_.all()[s]);
  }

  std::uint32_t use(const plugin::StepOperand& operand, std::uint32_t s) {
    if (operand.value == ir::kNoValue) {
      const bool is_new = !buffers_.has_private(operand.private_value);
      const std::uint32_t buffer =
          buffers_.use_private(operand.private_value, s, private_name(operand.private_value, s));
      if (is_new)
        choose(buffer, steps_.all()[s], "private value", compilation_.private_values[operand.private_value].pools);
      return buffer;
    }
    const ir::ValueId v = steps_.storage(operand.value);
    const bool reused = reuse_inputs_ && out_.values[v].place == Place::input;
    return out_.values[v].place == Place::workspace || reused ? buffers_.use_value(v, s) : kNoBuffer;
  }

  void add_overlays(std::uint32_t s, const std::vector<std::uint32_t>& inputs,
                    const std::vector<std::uint32_t>& outputs) {
    if (steps_.overlays(s).empty()) return;
    std::multimap<std::uint32_t, std::uint32_t> operands;  // by buffer
    for (std::uint32_t i = 0; i < inputs.size(); ++i) operands.emplace(inputs[i], i);
    for (const codegen::Overlay& o : steps_.overlays(s)) {
      if (inputs[o.input] == kNoBuffer || outputs[o.output] == kNoBuffer) continue;
      // A value may be several operands, of which another is still read when the output is written.
      const auto [first, last] = operands.equal_range(inputs[o.input]);
      if (std::all_of(first, last, [&](const auto& i) { return steps_.overlays(s, {o.output, i.second, o.lead}); }))
        buffers_.problem.overlays.push_back({inputs[o.input], outputs[o.output], o.lead});
    }
  }

  void add_workspaces(std::uint32_t s) {
    const plugin::Step& step = steps_.all()[s];
    const auto add = [&](std::uint64_t bytes, std::uint32_t align) {
      workspaces_[s].push_back(buffers_.add("workspace of " + owner(step), bytes, align, s));
      return workspaces_[s].back();
    };
    for (const codegen::Workspace& w : step.decl.workspaces) choose(add(w.bytes, w.align), step, "workspace", w.pools);
    const auto control = out_.control.find(s);
    if (control == out_.control.end()) return;
    // A part of the bodies' own plans: each stays in its pool.
    for (std::uint32_t p = 0; p < pools_.size(); ++p) {
      const PoolUse& use = control->second.pools[p];
      if (p != 0 && use.bytes == 0) continue;
      buffers_.problem.buffers[add(use.bytes, use.align)].choices = {p};
    }
  }

  // Sets the pools of a buffer: the named memories that the target has.
  void choose(std::uint32_t buffer, const plugin::Step& step, const std::string& what,
              const std::vector<std::string>& names) {
    if (names.empty()) return;
    Buffer& b = buffers_.problem.buffers[buffer];
    b.choices = named_pools(pools_, names);
    if (b.choices.empty()) no_pool(step.decl.symbol, step.codegen, what, names);
    // An empty buffer needs no place in a memory of its own.
    if (b.bytes == 0) b.choices.clear();
  }

  void no_pool(const std::string& where, const std::string& codegen, const std::string& what,
               const std::vector<std::string>& names) {
    std::vector<std::string> known;
    for (const RamPool& p : pools_) known.push_back(p.name);
    wrong_.error_of(codegen, graph_.file, where,
                    "its " + what + " may live in no RAM pool of target '" + target_.name + "'", join(names),
                    (known.size() > 1 ? "one of " : "") + join(known));
  }

  // There is one instance. It goes to the first pool that is in the lists of all codegens that give one, preferably to
  // one with room for it. Other buffers get the rest of that pool.
  void place_instance(const InstanceLayout& layout) {
    std::optional<std::vector<std::uint32_t>> common;
    std::string said;
    for (const plugin::InstanceArtifact& i : compilation_.instances) {
      if (i.decl.pools.empty()) continue;
      const std::vector<std::uint32_t> own = named_pools(pools_, i.decl.pools);
      if (own.empty()) return no_pool({}, i.codegen, "instance", i.decl.pools);
      said += (said.empty() ? "" : "; ") + i.codegen + ": " + join(i.decl.pools);
      if (common)
        std::erase_if(*common, [&](std::uint32_t p) { return std::find(own.begin(), own.end(), p) == own.end(); });
      else
        common = own;
    }
    if (!common) return;
    if (common->empty())
      return error(
          {}, "the codegens have their parts of the instance in no common RAM pool of target '" + target_.name + "'",
          said, "one that all of them list");
    const auto fits = [&](std::uint32_t p) { return pools_[p].size == 0 || layout.bytes <= pools_[p].size; };
    const auto roomy = std::find_if(common->begin(), common->end(), fits);
    out_.instance_pool = roomy == common->end() ? common->front() : *roomy;
    std::uint64_t& size = buffers_.problem.sizes[out_.instance_pool];
    if (out_.instance_pool != 0 && size > layout.bytes) size -= layout.bytes;
  }

  void take_offsets() {
    const auto place = [&](std::uint32_t buffer) { return buffers_.location(buffer, out_.plan); };
    out_.overwritten = buffers_.overwritten_inputs();
    for (ir::ValueId v = 0; v < graph_.values.size(); ++v)
      if (buffers_.of_value(v) != kNoBuffer) out_.values[v] = place(buffers_.of_value(v));
    for (ir::ValueId v = 0; v < graph_.values.size(); ++v) out_.values[v] = out_.values[steps_.storage(v)];
    out_.private_values.resize(compilation_.private_values.size());
    for (std::uint32_t p = 0; p < out_.private_values.size(); ++p)
      if (buffers_.has_private(p)) out_.private_values[p] = place(buffers_.of_private(p));
    for (const auto& step : workspaces_) {
      out_.workspaces.emplace_back();
      out_.workspace_bytes.emplace_back();
      for (const std::uint32_t buffer : step) {
        out_.workspaces.back().push_back(place(buffer));
        out_.workspace_bytes.back().push_back(buffers_.problem.buffers[buffer].bytes);
      }
    }
  }

  const ir::Graph& graph_;
  const plugin::Compilation& compilation_;
  const TargetSpec& target_;
  const std::vector<RamPool> pools_;
  Diagnostics& diags_;
  const bool reuse_inputs_;
  Steps steps_;
  Buffers buffers_;
  std::vector<bool> defined_;
  // Per storage: whether it is copied into an output at the end, and how many states or carried values it is the next
  // value of.
  std::vector<bool> is_copied_;
  std::vector<std::size_t> becomes_;
  std::vector<std::vector<std::uint32_t>> workspaces_;  // of each step, buffers
  Schedule out_;
  Repeats wrong_;
  bool ok_ = true;
};

}  // namespace

Result<Schedule> make_schedule(const ir::Graph& graph, const plugin::Compilation& compilation, const TargetSpec& target,
                               Diagnostics& diags, bool reuse_inputs) {
  std::vector<Carried> states;
  for (const ir::State& s : graph.states) states.push_back({s.value, s.next});
  return Scheduler(graph, compilation, compilation, target, diags, reuse_inputs).run(false, std::move(states));
}

Result<Schedule> make_body_schedule(const ir::Graph& graph, const plugin::Compilation& compilation,
                                    const TargetSpec& target, std::vector<Carried> carried, Diagnostics& diags) {
  const auto part = compilation.bodies.find(&graph);
  static const plugin::GraphPart kNothing;
  return Scheduler(graph, compilation, part == compilation.bodies.end() ? kNothing : part->second, target, diags, false)
      .run(true, std::move(carried));
}

}  // namespace byoc::plan
