// The functions of islands: buffers for results and workspaces, and the steps in planned order.
#include <algorithm>

#include "sdk/codegen/codegen/region.hpp"
#include "sdk/program/bytecode/types.hpp"
#include "sdk/program/executor/vm/vm.hpp"

namespace byoc::executor {
namespace {

using bytecode::Op;

class IslandWriter {
 public:
  IslandWriter(const plan::Program& program, bytecode::Module& module, const bytecode::Island& island,
               std::size_t index)
      : program_(program), module_(module), island_(island), f_(module.functions[island.function]), index_(index) {}

  // True if the output of the program belongs to the island.
  [[nodiscard]] bool gives(std::uint32_t output) const {
    return output >= island_.first_output && output - island_.first_output < f_.results.size();
  }

  void begin() {
    f_.registers = static_cast<std::uint32_t>(f_.parameters.size());
    for (const std::uint32_t type : f_.results) {
      results_.push_back(f_.registers++);
      emit(Op::allocate, {results_.back(), type});
    }
    for (const plan::PoolUse& use : program_.main.workspaces) {
      workspaces_.push_back(f_.registers++);
      const std::uint32_t type = bytecode::add_type(module_, DType::u8, {static_cast<std::int64_t>(use.bytes)});
      emit(Op::allocate, {workspaces_.back(), type});
    }
  }

  // False: an operand is another island's.
  bool step(const plan::Call& call) {
    bytecode::Primitive p;
    p.name = call.step.symbol;
    p.inputs = static_cast<std::uint32_t>(call.inputs.size());
    p.uses_instance = call.uses_instance;
    p.instance_offset = call.uses_instance ? call.instance_offset : 0;
    std::vector<std::uint32_t> words{static_cast<std::uint32_t>(module_.primitives.size())};
    bool own = true;
    for (const auto* list : {&call.inputs, &call.outputs, &call.workspaces})
      for (const plan::Operand& o : *list) {
        own = put(o, words) && own;
        (list == &call.workspaces ? p.workspaces : p.operands).push_back(o.bytes);
      }
    module_.primitives.push_back(std::move(p));
    emit(Op::step, std::move(words));
    return own;
  }

  // A move after the program's last step, if it belongs to the island.
  void move(const plan::Move& m, std::uint32_t number) {
    const bool instance = m.to.place == Place::instance;
    if (instance ? index_ != 0 : m.to.place != Place::output || !gives(m.to.index)) return;
    std::vector<std::uint32_t> words;
    put(m.to, words);
    if (m.from.place == Place::constant) {
      words.push_back(number);
      put_wide(m.to.bytes, words);
      emit(Op::copy_constant, std::move(words));
      return;
    }
    put(m.from, words);
    put_wide(m.to.bytes, words);
    emit(Op::copy, std::move(words));
  }

  void end() { emit(Op::give, results_); }

 private:
  void emit(Op op, std::vector<std::uint32_t> words) { f_.code.push_back({op, std::move(words)}); }

  static void put_wide(std::uint64_t n, std::vector<std::uint32_t>& words) {
    words.push_back(static_cast<std::uint32_t>(n));
    words.push_back(static_cast<std::uint32_t>(n >> 32));
  }

  // Register and offset.
  bool put(const plan::Operand& o, std::vector<std::uint32_t>& words) const {
    bool own = true;
    std::uint32_t reg = bytecode::kNone;
    if (o.place == Place::input) {
      own = o.index >= island_.first_input && o.index - island_.first_input < f_.parameters.size();
      reg = o.index - island_.first_input;
    } else if (o.place == Place::output) {
      own = gives(o.index);
      reg = own ? results_[o.index - island_.first_output] : 0;
    } else if (o.place == Place::workspace) {
      reg = workspaces_[o.index];
    } else if (o.place == Place::instance) {
      reg = bytecode::kInstance;
    }
    words.push_back(reg);
    put_wide(o.offset, words);
    return own;
  }

  const plan::Program& program_;
  bytecode::Module& module_;
  const bytecode::Island& island_;
  bytecode::Function& f_;
  std::size_t index_;
  std::vector<std::uint32_t> results_, workspaces_;
};

// The operands of an open step: the node's operands that it names, and each length of its region.
bytecode::Primitive open_primitive(const plan::Call& call, const codegen::Region& region) {
  bytecode::Primitive p;
  p.name = call.step.symbol;
  p.inputs = static_cast<std::uint32_t>(call.inputs.size());
  p.open.emplace();
  for (const auto* list : {&call.inputs, &call.outputs})
    for (const plan::Operand& o : *list) p.open->operands.push_back(o.index);
  p.operands.assign(p.open->operands.size(), 0);
  for (const plan::Operand& w : call.workspaces) p.workspaces.push_back(w.bytes);
  // The first place of each.
  p.open->lengths.resize(region.symbols.size());
  std::vector<bool> known(region.symbols.size());
  std::uint32_t operand = 0;
  for (const auto* list : {&region.nodes[0].inputs, &region.nodes[0].outputs})
    for (const codegen::ValueId v : *list) {
      const auto dims = v == codegen::kNoValue ? std::vector<std::int64_t>() : region.values[v].dims;
      for (std::uint32_t axis = 0; axis < dims.size(); ++axis) {
        const auto symbol = static_cast<std::size_t>(-1 - dims[axis]);
        if (dims[axis] >= 0 || known[symbol]) continue;
        known[symbol] = true;
        p.open->lengths[symbol] = {operand, axis};
      }
      ++operand;
    }
  return p;
}

}  // namespace

Result<bytecode::Module> bytecode(const plan::Program& program, const std::string& prefix, bytecode::Lowered lowered,
                                  Diagnostics& diags) {
  bytecode::Module& module = lowered.module;
  module.prefix = prefix;
  module.instance_bytes = program.instance.bytes;
  plugin::RegionMaker regions(lowered.open);  // as its codegen was given it
  for (ir::NodeId n = 0; n < program.open.size(); ++n)
    module.primitives[n] = open_primitive(program.open[n], regions.make({&n, 1}, {}).region);
  for (std::size_t i = 0; i < lowered.islands.size(); ++i) {
    IslandWriter writer(program, module, lowered.islands[i], i);
    writer.begin();
    for (const plan::Call& call : program.main.calls) {
      if (lowered.islands.size() > 1 && !writer.gives(call.part)) continue;
      if (!writer.step(call))
        return diags.error(program.file, call.step.symbol,
                           "codegen '" + call.step.codegen +
                               "' has made one step of parts of the model that the VM "
                               "runs at different times");
    }
    for (std::uint32_t m = 0; m < program.main.moves.size(); ++m) writer.move(program.main.moves[m], m);
    writer.end();
  }
  return std::move(module);
}

}  // namespace byoc::executor
