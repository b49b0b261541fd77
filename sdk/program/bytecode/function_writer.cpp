#include "sdk/program/bytecode/function_writer.hpp"

#include <algorithm>
#include <cstring>
#include <set>

#include "sdk/model/ir/control.hpp"
#include "sdk/program/bytecode/types.hpp"

namespace byoc::bytecode {

FunctionWriter::FunctionWriter(Module& module, const ir::Graph& graph, const std::string& name)
    : module_(module), graph_(graph) {
  f_.name = name;
  nodes_.name = graph.name;
  nodes_.file = graph.file;
  nodes_.requant = graph.requant;
  nodes_.symbols = graph.symbols;
  for (const ir::ValueId v : graph.inputs) {
    f_.parameters.push_back(add_type(module, graph, graph.values[v].type, graph.values[v].name));
    registers_[v] = fresh();
  }
  for (std::size_t s = 0; s < graph.states.size(); ++s) {
    const std::uint32_t r = registers_[graph.states[s].value] = fresh();
    emit(Op::load_state, {r, static_cast<std::uint32_t>(s)});
  }
}

// Constants are loaded where they are needed first, in code that always runs.
std::uint32_t FunctionWriter::reg(ir::ValueId v) {
  if (v == ir::kNoValue) return kNone;
  const auto known = registers_.find(v);
  if (known != registers_.end()) return known->second;
  const ir::Value& value = graph_.values[v];
  if (!value.constant) return registers_[v] = fresh();
  return registers_[v] = constant(add_type(module_, graph_, value.type), value.constant->bytes);
}

std::uint32_t FunctionWriter::constant(std::uint32_t type, Blob bytes) {
  const std::uint32_t r = fresh();
  emit(Op::constant, {r, static_cast<std::uint32_t>(module_.constants.size())});
  module_.constants.push_back({type, std::move(bytes)});
  return r;
}

// A number or a truth value, as a scalar or as a tensor of one element.
template <class T>
std::uint32_t FunctionWriter::single(DType dtype, T value, std::size_t rank) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return constant(add_type(module_, dtype, std::vector<std::int64_t>(rank, 1)), Blob::own(std::move(bytes)));
}

ir::ValueId FunctionWriter::evaluated_id(ir::ValueId v) {
  if (v == ir::kNoValue) return v;
  const auto [at, added] = ids_.try_emplace(v, ir::kNoValue);
  if (added) {
    ir::Value copy = graph_.values[v];
    copy.constant.reset();
    copy.is_state = false;
    at->second = nodes_.add_value(std::move(copy));
  }
  return at->second;
}

std::uint32_t FunctionWriter::add_node(const ir::Node& node) {
  ir::Node copy = node;
  for (auto* list : {&copy.inputs, &copy.outputs})
    for (ir::ValueId& v : *list) v = evaluated_id(v);
  nodes_.nodes.push_back(std::move(copy));
  return static_cast<std::uint32_t>(nodes_.nodes.size() - 1);
}

void FunctionWriter::evaluate(const ir::Node& node) {
  std::vector<std::uint32_t> words{static_cast<std::uint32_t>(nodes_.nodes.size()),
                                   static_cast<std::uint32_t>(node.outputs.size())};
  for (const ir::ValueId v : node.outputs) words.push_back(reg(v));
  for (const ir::ValueId v : node.inputs) words.push_back(reg(v));
  emit(Op::evaluate, std::move(words));
  add_node(node);
}

// Integers may say what shape a result has.
bool FunctionWriter::is_in_library(ir::ValueId v) const {
  if (v == ir::kNoValue || !graph_.is_constant(v)) return false;
  const DType dtype = graph_.values[v].type.dtype;
  return dtype != DType::i64 && dtype != DType::i32;
}

void FunctionWriter::open_step(const ir::Node& node, std::uint32_t primitive) {
  std::vector<std::uint32_t> words{static_cast<std::uint32_t>(nodes_.nodes.size()), primitive,
                                   static_cast<std::uint32_t>(node.outputs.size())};
  for (const ir::ValueId v : node.outputs) words.push_back(reg(v));
  for (const ir::ValueId v : node.inputs) words.push_back(is_in_library(v) ? kNone : reg(v));
  emit(Op::open_step, std::move(words));
  add_node(node);
}

void FunctionWriter::call_registers(std::uint32_t function, const std::vector<std::uint32_t>& results,
                                    const std::vector<std::uint32_t>& arguments) {
  std::vector<std::uint32_t> words{function, static_cast<std::uint32_t>(results.size())};
  words.insert(words.end(), results.begin(), results.end());
  words.insert(words.end(), arguments.begin(), arguments.end());
  emit(Op::call, std::move(words));
}

void FunctionWriter::call(std::uint32_t function, const std::vector<ir::ValueId>& results,
                          const std::vector<ir::ValueId>& arguments) {
  std::vector<std::uint32_t> to, from;
  for (const ir::ValueId v : results) to.push_back(reg(v));
  for (const ir::ValueId v : arguments) from.push_back(reg(v));
  call_registers(function, to, from);
}

void FunctionWriter::branch(const ir::Node& node, std::uint32_t then_function, std::uint32_t else_function) {
  std::vector<std::uint32_t> results, arguments;
  for (const ir::ValueId v : node.outputs) results.push_back(reg(v));
  for (std::size_t i = 1; i < node.inputs.size(); ++i) arguments.push_back(reg(node.inputs[i]));
  const std::uint32_t condition = reg(node.inputs[0]);
  const std::uint32_t start = here();
  emit(Op::branch, {condition, start + 3});
  call_registers(then_function, results, arguments);
  emit(Op::jump, {start + 4});
  call_registers(else_function, results, arguments);
  // A jump goes to an instruction, and there is one more at least: the function's end.
}

// Registers of a Loop or Scan.
struct FunctionWriter::Round {
  ir::LoopForm form;
  std::vector<std::uint32_t> carried, captures, scanned, slices, lists, stacked;
  std::uint32_t counter = 0;
  std::uint32_t rounds = kNone;  // not given
  std::uint32_t again = kNone;   // of a Loop
  std::uint32_t one = kNone;     // the condition that its body is given
};

void FunctionWriter::begin_rounds(const ir::Node& node, Round& r) {
  const ir::LoopForm& form = r.form;
  const auto input_rank = [&](std::size_t i) {
    const auto& dims = form.body->values[form.body->inputs[i]].type.dims;
    return dims && dims->size() == 1 ? std::size_t{1} : std::size_t{0};
  };
  for (std::size_t k = 0; k < form.carried; ++k) {
    const std::uint32_t from = reg(node.inputs[form.first_input + k]);
    r.carried.push_back(node.outputs[k] == ir::kNoValue ? fresh() : reg(node.outputs[k]));
    emit(Op::move, {r.carried.back(), from});
  }
  for (std::size_t k = 0; k < form.captures; ++k) r.captures.push_back(reg(node.inputs[form.first_capture() + k]));
  for (std::size_t k = 0; k < form.scanned; ++k) r.scanned.push_back(reg(node.inputs[form.carried + k]));
  // Both are counted with: a scalar, whatever rank the body states.
  r.counter = single<std::int64_t>(DType::i64, 0, form.is_scan ? 0 : input_rank(0));
  const std::uint32_t start = fresh();
  emit(Op::move, {start, r.counter});
  r.counter = start;
  if (form.is_scan) {
    const std::vector<std::int64_t> axes = node.integers("scan_input_axes", {});
    for (std::size_t k = 0; k < form.scanned; ++k) {
      const std::uint32_t length = fresh();
      emit(Op::length, {length, r.scanned[k], static_cast<std::uint32_t>(k < axes.size() ? axes[k] : 0)});
      if (k == 0)
        r.rounds = length;
      else
        emit(Op::same, {r.rounds, length});
    }
  } else {
    if (node.inputs[0] != ir::kNoValue) r.rounds = reg(node.inputs[0]);
    r.one = single<std::uint8_t>(DType::boolean, 1, input_rank(1));
    const std::uint32_t first = node.inputs[1] == ir::kNoValue ? r.one : reg(node.inputs[1]);
    r.again = fresh();
    emit(Op::move, {r.again, first});
  }
  for (std::size_t k = 0; k < form.stacked; ++k) {
    r.lists.push_back(fresh());
    emit(Op::list, {r.lists.back()});
    r.stacked.push_back(fresh());
  }
}

// The jumps that leave the loop; their targets come later.
std::vector<std::size_t> FunctionWriter::leave_if_done(const Round& r) {
  std::vector<std::size_t> out;
  if (r.again != kNone) {
    out.push_back(f_.code.size());
    emit(Op::branch, {r.again, 0});
  }
  if (r.rounds != kNone) {
    const std::uint32_t more = fresh();
    emit(Op::less, {more, r.counter, r.rounds});
    out.push_back(f_.code.size());
    emit(Op::branch, {more, 0});
  }
  return out;
}

void FunctionWriter::one_round(const ir::Node& node, const Round& r, std::uint32_t body) {
  const auto number_of = [&](const char* name, std::size_t k) {
    const std::vector<std::int64_t> list = node.integers(name, {});
    return k < list.size() ? list[k] : 0;
  };
  std::vector<std::uint32_t> arguments, results;
  if (!r.form.is_scan) arguments = {r.counter, r.one}, results = {r.again};
  arguments.insert(arguments.end(), r.carried.begin(), r.carried.end());
  std::vector<std::uint32_t> slices;
  for (std::size_t k = 0; k < r.form.scanned; ++k) {
    slices.push_back(fresh());
    emit(Op::slice, {slices[k], r.scanned[k], static_cast<std::uint32_t>(number_of("scan_input_axes", k)), r.counter,
                     number_of("scan_input_directions", k) != 0 ? 1u : 0u});
  }
  arguments.insert(arguments.end(), slices.begin(), slices.end());
  arguments.insert(arguments.end(), r.captures.begin(), r.captures.end());
  results.insert(results.end(), r.carried.begin(), r.carried.end());
  results.insert(results.end(), r.stacked.begin(), r.stacked.end());
  call_registers(body, results, arguments);
  for (std::size_t k = 0; k < r.form.stacked; ++k) emit(Op::append, {r.lists[k], r.stacked[k]});
  for (const std::uint32_t slice : slices) emit(Op::kill, {slice});
  for (const std::uint32_t stacked : r.stacked) emit(Op::kill, {stacked});
  emit(Op::increment, {r.counter, r.counter});
}

void FunctionWriter::end_rounds(const ir::Node& node, const Round& r) {
  const std::vector<std::int64_t> axes = node.integers("scan_output_axes", {});
  const std::vector<std::int64_t> backwards = node.integers("scan_output_directions", {});
  for (std::size_t k = 0; k < r.form.stacked; ++k) {
    const ir::ValueId slice = r.form.body->outputs[r.form.first_output + r.form.carried + k];
    const ir::TensorType& type = r.form.body->values[slice].type;
    const std::uint32_t like = type.dims ? add_type(module_, *r.form.body, type) : kNone;
    const ir::ValueId v = node.outputs[r.form.carried + k];
    const std::uint32_t to = v == ir::kNoValue ? fresh() : reg(v);
    emit(Op::stack, {to, r.lists[k], static_cast<std::uint32_t>(k < axes.size() ? axes[k] : 0),
                     k < backwards.size() && backwards[k] != 0 ? 1u : 0u, like});
    emit(Op::kill, {r.lists[k]});
    if (v == ir::kNoValue) emit(Op::kill, {to});
  }
}

void FunctionWriter::loop(const ir::Node& node, std::uint32_t body) {
  Round r;
  r.form = ir::loop_form(node);
  begin_rounds(node, r);
  const std::uint32_t head = here();
  const std::vector<std::size_t> exits = leave_if_done(r);
  one_round(node, r, body);
  emit(Op::jump, {head});
  for (const std::size_t e : exits) f_.code[e].words[1] = here();
  end_rounds(node, r);
}

void FunctionWriter::kill(ir::ValueId v) {
  const auto at = registers_.find(v);
  if (at == registers_.end()) return;
  emit(Op::kill, {at->second});
  registers_.erase(at);
}

Function FunctionWriter::finish() {
  std::vector<std::uint32_t> results;
  for (const ir::ValueId v : graph_.outputs) {
    f_.results.push_back(add_type(module_, graph_, graph_.values[v].type, graph_.values[v].name));
    results.push_back(reg(v));
  }
  for (std::size_t s = 0; s < graph_.states.size(); ++s)
    emit(Op::store_state, {static_cast<std::uint32_t>(s), reg(graph_.states[s].next)});
  emit(Op::give, std::move(results));
  if (!nodes_.nodes.empty()) {
    std::set<ir::ValueId> computed;
    for (const ir::Node& n : nodes_.nodes) computed.insert(n.outputs.begin(), n.outputs.end());
    for (ir::ValueId v = 0; v < nodes_.values.size(); ++v)
      if (!computed.contains(v)) nodes_.inputs.push_back(v);
    f_.graph = static_cast<std::uint32_t>(module_.graphs.size());
    module_.graphs.push_back(std::move(nodes_));
  }
  return std::move(f_);
}

}  // namespace byoc::bytecode
