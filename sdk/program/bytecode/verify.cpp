// The verifier walks each function once, from top to bottom, with the set of registers that are assigned. Where ways
// meet, what all of them have assigned is; a jump back must bring at least what its target began with.
#include <algorithm>
#include <map>
#include <optional>

#include "sdk/model/evaluate/call.hpp"
#include "sdk/model/ir/control.hpp"
#include "sdk/model/ir/texts.hpp"
#include "sdk/model/ir/verify.hpp"
#include "sdk/program/bytecode/assigned.hpp"
#include "sdk/program/bytecode/module.hpp"

namespace byoc::bytecode {
namespace {

constexpr std::uint32_t kMostRegisters = 1u << 20;
constexpr std::uint32_t kDeepestCall = 64;

std::uint64_t size_of(const ir::TensorType& type) { return type.is_static() ? type.bytes() : 0; }

class FunctionVerifier {
 public:
  FunctionVerifier(const Module& module, std::size_t index, const std::string& file, Diagnostics& diags)
      : module_(module), index_(index), function_(module.functions[index]), file_(file), diags_(diags), assigned_(0) {}

  Result<void> run() {
    if (!check_frame() || !check_shape() || !note_kinds()) return failure;
    assigned_ = Assigned(function_.registers);
    for (std::uint32_t r = 0; r < function_.parameters.size(); ++r) assigned_.set(r, true);
    reached_ = true;
    for (at_ = 0; at_ < function_.code.size(); ++at_)
      if (!step()) return failure;
    if (reached_) return error("the code does not end with 'give' or 'jump'");
    return {};
  }

 private:
  enum class Kind { unknown, value, list };

  Failure error(const std::string& what, const std::string& found = {}, const std::string& expected = {}) const {
    return diags_.error(file_, "function " + std::to_string(index_) + ", instruction " + std::to_string(at_), what,
                        found, expected);
  }
  Failure refuse(const ir::Node& node) const {
    const std::string before = ir::compiled_before(node);
    return diags_.error(file_, node.describe(), "operator is not supported" + (before.empty() ? "" : ": " + before),
                        node.full_name() + " version " + std::to_string(node.version));
  }
  Failure out_of_range(const std::string& what, std::uint64_t found, std::uint64_t count) const {
    return error(what + " is out of range", std::to_string(found), "less than " + std::to_string(count));
  }

  Result<void> check_frame() const {
    if (function_.registers > kMostRegisters || function_.parameters.size() > function_.registers)
      return error("wrong number of registers", std::to_string(function_.registers),
                   std::to_string(function_.parameters.size()) + " to " + std::to_string(kMostRegisters));
    if (function_.graph != kNone && function_.graph >= module_.graphs.size())
      return out_of_range("the graph", function_.graph, module_.graphs.size());
    for (const auto* list : {&function_.parameters, &function_.results})
      for (const std::uint32_t t : *list)
        if (t >= module_.types.values.size()) return out_of_range("a type", t, module_.types.values.size());
    return {};
  }

  // Opcodes and counts, so that everything behind may look at operands by position.
  Result<void> check_shape() {
    std::uint64_t words = function_.parameters.size();
    for (at_ = 0; at_ < function_.code.size(); ++at_) {
      const Instruction& i = function_.code[at_];
      if (static_cast<std::size_t>(i.op) >= rows().size())
        return error("unknown instruction", std::to_string(static_cast<std::uint32_t>(i.op)));
      const Row& row = rows()[static_cast<std::size_t>(i.op)];
      std::size_t least = 0;
      for (const Field f : row.fields) least += f == Field::wide ? 2 : 1;
      if (row.tail == Tail::results_and_operands) ++least;
      if (i.words.size() < least || (row.tail == Tail::none && i.words.size() != least))
        return error("'" + std::string(row.name) + "' has the wrong number of operands", std::to_string(i.words.size()),
                     std::to_string(least));
      if (row.tail == Tail::results_and_operands && i.words[least - 1] > i.words.size() - least)
        return error("'" + std::string(row.name) + "' has fewer operands than results");
      if (row.tail == Tail::places && (i.words.size() - least) % 3 != 0)
        return error("'" + std::string(row.name) + "' has a place that is cut off");
      for (std::size_t f = 0; f < row.fields.size() && row.fields[f] == Field::target; ++f) note_target(i.words[f]);
      if (i.op == Op::branch) note_target(i.words[1]);
      words += i.words.size();
    }
    if (function_.code.empty()) return error("the function has no code");
    if (function_.registers > words)
      return error("more registers than the code has operands", std::to_string(function_.registers),
                   "at most " + std::to_string(words));
    return {};
  }

  void note_target(std::uint32_t target) { targets_[target].last_jump = at_; }

  // Each register holds values or lists, never both; the size of one that only `allocate` or `constant` writes is
  // known.
  Result<void> note_kinds() {
    kinds_.assign(function_.registers, Kind::unknown);
    sizes_.assign(function_.registers, std::nullopt);
    writable_.assign(function_.registers, true);
    for (std::size_t r = 0; r < function_.parameters.size(); ++r) kinds_[r] = Kind::value, writable_[r] = false;
    for (at_ = 0; at_ < function_.code.size(); ++at_) {
      const Instruction& i = function_.code[at_];
      const Row& row = rows()[static_cast<std::size_t>(i.op)];
      std::size_t w = 0;
      for (const Field f : row.fields) {
        if (f == Field::new_list && !note(i.words[w], Kind::list)) return failure;
        if (f == Field::to && !note(i.words[w], Kind::value)) return failure;
        if (f == Field::to && i.op != Op::allocate) writable_[i.words[w]] = false;
        if (f == Field::to && i.op == Op::allocate && !note_size(i.words[w], i.words[1])) return failure;
        w += f == Field::wide ? 2 : 1;
      }
      if (row.tail != Tail::results_and_operands) continue;
      for (std::size_t r = 0; r < i.words[w]; ++r) {
        const std::uint32_t reg = i.words[w + 1 + r];
        if (reg == kNone) continue;
        if (!note(reg, Kind::value)) return failure;
        writable_[reg] = false;
      }
    }
    return {};
  }

  Result<void> note(std::uint32_t reg, Kind kind) {
    if (reg >= function_.registers) return out_of_range("a register", reg, function_.registers);
    if (kinds_[reg] != Kind::unknown && kinds_[reg] != kind)
      return error("a register holds a value and a list", "r" + std::to_string(reg));
    kinds_[reg] = kind;
    return {};
  }

  Result<void> note_size(std::uint32_t reg, std::uint32_t type) {
    if (type >= module_.types.values.size()) return out_of_range("a type", type, module_.types.values.size());
    if (!module_.type(type).is_static()) return error("a tensor whose type is open cannot be allocated");
    const std::uint64_t size = size_of(module_.type(type));
    sizes_[reg] = std::min(sizes_[reg].value_or(size), size);
    return {};
  }

  Result<void> step() {
    if (const auto target = targets_.find(static_cast<std::uint32_t>(at_)); target != targets_.end())
      if (!arrive(target->second)) return failure;
    if (!reached_) return error("nothing reaches this code");
    const Instruction& i = function_.code[at_];
    const Row& row = rows()[static_cast<std::size_t>(i.op)];
    std::size_t w = 0;
    std::vector<std::uint32_t> written;
    for (const Field f : row.fields) {
      if (!check_field(f, i, w, written)) return failure;
      w += f == Field::wide ? 2 : 1;
    }
    if (!check_tail(row.tail, i, w, written)) return failure;
    for (const std::uint32_t reg : written) assigned_.set(reg, true);
    if (i.op == Op::kill) assigned_.set(i.words[0], false);
    if (i.op == Op::jump && !go_to(i.words[0])) return failure;
    if (i.op == Op::branch && !go_to(i.words[1])) return failure;
    if (i.op == Op::jump || i.op == Op::give) reached_ = false;
    return {};
  }

  // A position that jumps lead to. Its place is followed from the first jump that comes before it, or from itself, to
  // the last jump.
  struct Target {
    std::size_t last_jump = 0;
    std::optional<unsigned> place = {};
  };

  // The walk is at the target.
  Result<void> arrive(Target& target) {
    if (target.place) {
      reached_ ? assigned_.meet_here(*target.place) : assigned_.go(*target.place);
      reached_ = true;
    }
    if (target.last_jump >= at_) {
      if (!follow(target)) return failure;
      assigned_.take(*target.place);
    } else if (target.place) {
      assigned_.leave(*target.place);
    }
    return {};
  }

  Result<void> follow(Target& target) {
    if (!target.place) target.place = assigned_.follow();
    if (target.place) return {};
    return error("jumps cross more others than in code that byoc writes", {},
                 "at most " + std::to_string(Assigned::kMostPlaces) + " targets at one place");
  }

  Result<void> go_to(std::uint32_t position) {
    if (position >= function_.code.size()) return out_of_range("a jump", position, function_.code.size());
    Target& target = targets_[position];
    if (position > at_) {
      if (!follow(target)) return failure;
      assigned_.meet_there(*target.place);
      return {};
    }
    if (const auto reg = assigned_.lost(*target.place))
      return error("a jump back comes without a register that its target began with", "r" + std::to_string(*reg));
    if (target.last_jump == at_) assigned_.leave(*target.place);
    return {};
  }

  Result<void> check_index(const char* what, std::uint32_t index, std::size_t count) const {
    if (index < count) return {};
    return out_of_range(what, index, count);
  }

  Result<void> check_read(std::uint32_t reg, Kind kind) const {
    if (!check_index("a register", reg, function_.registers)) return failure;
    if (!assigned_.has(reg)) return error("a register is not assigned on every way to here", "r" + std::to_string(reg));
    if (kinds_[reg] != kind)
      return error(kind == Kind::list ? "a register does not hold a list" : "a register does not hold a value",
                   "r" + std::to_string(reg));
    return {};
  }

  // Bytes [offset, offset + count) of a register or the instance.
  Result<void> check_bytes(std::uint32_t reg, std::uint64_t offset, std::uint64_t count, bool written) const {
    std::optional<std::uint64_t> size;
    if (reg == kInstance) {
      size = module_.instance_bytes;
    } else {
      if (!check_read(reg, Kind::value)) return failure;
      if (written && !writable_[reg])
        return error("a register that was not allocated is written", "r" + std::to_string(reg));
      if (writable_[reg]) size = sizes_[reg];
    }
    if (size ? offset > *size || count > *size - offset : count > UINT64_MAX - offset)
      return error("bytes beyond the end of a buffer", std::to_string(offset) + " + " + std::to_string(count),
                   std::to_string(size.value_or(UINT64_MAX)));
    return {};
  }

  Result<void> check_field(Field f, const Instruction& i, std::size_t w, std::vector<std::uint32_t>& written) const {
    const std::uint32_t word = i.words[w];
    const auto next = [&](std::size_t k) { return wide(i.words[w + k], i.words[w + k + 1]); };
    switch (f) {
      case Field::to:
      case Field::new_list: written.push_back(word); return {};
      case Field::from: return check_read(word, Kind::value);
      case Field::list: return check_read(word, Kind::list);
      case Field::ends: return check_ends(word);
      case Field::buffer:
        // buffer, offset, from, offset, bytes; or buffer, offset, number, bytes
        return check_bytes(word, next(1), i.op == Op::copy ? next(6) : next(4), true);
      case Field::bytes: return check_bytes(word, next(1), next(3), false);
      case Field::constant: return check_index("a constant", word, module_.constants.size());
      case Field::type: return check_index("a type", word, module_.types.values.size());
      case Field::type_or_none:
        return word == kNone ? Result<void>() : check_index("a type", word, module_.types.values.size());
      case Field::node: return check_node(i, i.op == Op::open_step ? 2 : 1);
      case Field::state: return check_index("a state", word, module_.states.size());
      case Field::primitive: return check_primitive(i, word);
      case Field::function: return check_call(i);
      case Field::target: return check_index("a jump", word, function_.code.size());
      case Field::flag: return check_index("a flag", word, 2);
      case Field::number:
      case Field::wide: return {};
    }
    return {};
  }

  Result<void> check_ends(std::uint32_t reg) const {
    if (!check_index("a register", reg, function_.registers)) return failure;
    if (!assigned_.has(reg)) return error("a register is not assigned on every way to here", "r" + std::to_string(reg));
    return {};
  }

  // Behind `fields` words come the results and operands.
  Result<void> check_node(const Instruction& i, std::size_t fields) const {
    if (function_.graph == kNone) return error("the function has no graph to evaluate nodes of");
    const ir::Graph& graph = module_.graphs[function_.graph];
    if (!check_index("a node", i.words[0], graph.nodes.size())) return failure;
    const ir::Node& node = graph.nodes[i.words[0]];
    if (!evaluate::supports(node)) return refuse(node);
    // A control node would escape the limits on instructions.
    if (ir::is_control(node)) return error("a node that runs graphs is evaluated", node.describe());
    const std::uint32_t results = i.words[fields];
    if (results != node.outputs.size() || i.words.size() - fields - 1 - results != node.inputs.size())
      return error("a node has other operands", node.describe());
    for (std::size_t k = 0; k < node.inputs.size(); ++k) {
      const bool given = i.words[fields + 1 + results + k] != kNone;
      const bool in_library = i.op == Op::open_step && node.inputs[k] != ir::kNoValue && !given &&
                              graph.values[node.inputs[k]].type.is_static();
      if ((node.inputs[k] != ir::kNoValue) != given && !in_library)
        return error("a node has other operands", node.describe());
    }
    return {};
  }

  Result<void> check_primitive(const Instruction& i, std::uint32_t index) const {
    if (!check_index("a primitive", index, module_.primitives.size())) return failure;
    const Primitive& p = module_.primitives[index];
    if (p.open.has_value() != (i.op == Op::open_step))
      return error("a step is called in another way than it takes its operands", p.name);
    return p.open ? check_open(i, p) : Result<void>();
  }

  // The node has been checked.
  Result<void> check_open(const Instruction& i, const Primitive& p) const {
    const ir::Graph& graph = module_.graphs[function_.graph];
    const ir::Node& node = graph.nodes[i.words[0]];
    const std::size_t inputs = node.inputs.size(), operands = inputs + node.outputs.size();
    const auto value = [&](std::uint32_t o) { return o < inputs ? node.inputs[o] : node.outputs[o - inputs]; };
    for (std::size_t k = 0; k < p.open->operands.size(); ++k) {
      const std::uint32_t o = p.open->operands[k];
      const bool read = k < p.inputs;
      if (o >= operands || read != (o < inputs) || value(o) == ir::kNoValue ||
          (read && i.words[3 + node.outputs.size() + o] == kNone))
        return error("an open step has an operand that its node does not have", std::to_string(o));
    }
    for (const OpenOperands::Length& l : p.open->lengths) {
      const bool there = l.operand < operands && value(l.operand) != ir::kNoValue;
      const auto& dims = there ? graph.values[value(l.operand)].type.dims : std::nullopt;
      if (!dims || l.axis >= dims->size())
        return error("an open step has a length that its node does not have",
                     std::to_string(l.operand) + ", axis " + std::to_string(l.axis));
    }
    return {};
  }

  Result<void> check_call(const Instruction& i) const {
    if (!check_index("a function", i.words[0], module_.functions.size())) return failure;
    if (i.words[0] <= index_)
      return error("a call of a function that is not behind the caller", std::to_string(i.words[0]));
    const Function& f = module_.functions[i.words[0]];
    if (i.words[1] != f.results.size() || i.words.size() - 2 - i.words[1] != f.parameters.size())
      return error("a call with the wrong number of operands",
                   std::to_string(i.words.size() - 2 - i.words[1]) + " -> " + std::to_string(i.words[1]),
                   std::to_string(f.parameters.size()) + " -> " + std::to_string(f.results.size()));
    return {};
  }

  Result<void> check_tail(Tail tail, const Instruction& i, std::size_t w, std::vector<std::uint32_t>& written) const {
    if (tail == Tail::none) return {};
    if (tail == Tail::places) return check_places(i, w);
    if (tail == Tail::operands && i.words.size() != function_.results.size())
      return error("'give' has the wrong number of operands", std::to_string(i.words.size()),
                   std::to_string(function_.results.size()));
    if (tail == Tail::results_and_operands) {
      const std::uint32_t results = i.words[w++];
      for (std::size_t r = 0; r < results; ++r, ++w)
        if (i.words[w] != kNone) written.push_back(i.words[w]);
    }
    for (; w < i.words.size(); ++w) {
      if ((i.op == Op::evaluate || i.op == Op::open_step) && i.words[w] == kNone) continue;
      if (!check_read(i.words[w], Kind::value)) return failure;
    }
    return {};
  }

  Result<void> check_places(const Instruction& i, std::size_t w) const {
    const Primitive& p = module_.primitives[i.words[0]];
    const std::size_t count = p.operands.size() + p.workspaces.size();
    if ((i.words.size() - w) / 3 != count)
      return error("a step with the wrong number of operands", std::to_string((i.words.size() - w) / 3),
                   std::to_string(count));
    for (std::size_t k = 0; k < count; ++k, w += 3) {
      const bool written = k >= p.inputs;
      const std::uint64_t bytes = k < p.operands.size() ? p.operands[k] : p.workspaces[k - p.operands.size()];
      if (i.words[w] == kNone && !written) continue;
      if (!check_bytes(i.words[w], wide(i.words[w + 1], i.words[w + 2]), bytes, written)) return failure;
    }
    return {};
  }

  const Module& module_;
  std::size_t index_;
  const Function& function_;
  const std::string& file_;
  Diagnostics& diags_;
  std::size_t at_ = 0;
  bool reached_ = false;
  Assigned assigned_;
  std::vector<Kind> kinds_;
  std::vector<std::optional<std::uint64_t>> sizes_;
  std::vector<bool> writable_;
  std::map<std::uint32_t, Target> targets_;
};

// True if the bytes are a value of the type. The verifier of graphs has checked its dims.
bool holds(const Blob& bytes, const ir::TensorType& type) {
  if (type.is_static()) return type.bytes() == bytes.size();
  if (!type.is_shaped()) return false;
  const auto count = evaluate::product(*type.dims);
  return count && ir::unpack_texts(bytes.bytes(), static_cast<std::uint64_t>(*count));
}

Result<void> check_data(const Module& module, const std::string& file, Diagnostics& diags) {
  const auto wrong = [&](const char* what, std::size_t index) {
    return diags.error(file, what + (" " + std::to_string(index)), "does not have the size of its type");
  };
  const std::size_t types = module.types.values.size();
  for (std::size_t c = 0; c < module.constants.size(); ++c) {
    if (module.constants[c].type >= types) return wrong("constant", c);
    const Constant& constant = module.constants[c];
    const ir::TensorType& type = module.type(constant.type);
    const bool waits = constant.late && type.is_static() && constant.bytes.size() == 0;
    if (!waits && !holds(constant.bytes, type)) return wrong("constant", c);
  }
  for (std::size_t s = 0; s < module.states.size(); ++s)
    if (module.states[s].type >= types || module.states[s].constant >= module.constants.size() ||
        module.type(module.states[s].type) != module.type(module.constants[module.states[s].constant].type))
      return wrong("state", s);
  for (std::size_t p = 0; p < module.primitives.size(); ++p) {
    const Primitive& primitive = module.primitives[p];
    if (primitive.inputs > primitive.operands.size() ||
        (primitive.uses_instance && primitive.instance_offset > module.instance_bytes))
      return diags.error(file, "primitive " + std::to_string(p), "does not fit the instance or its operands");
    const bool closed =
        std::any_of(primitive.operands.begin(), primitive.operands.end(), [](auto n) { return n != 0; });
    if (primitive.open &&
        (primitive.uses_instance || closed || primitive.open->operands.size() != primitive.operands.size()))
      return diags.error(file, "primitive " + std::to_string(p), "is open, and has operands as other steps do");
  }
  return {};
}

// Functions call only what is behind them, so the last is the one that calls nothing.
Result<void> check_depth(const Module& module, const std::string& file, Diagnostics& diags) {
  std::vector<std::uint32_t> depth(module.functions.size(), 1);
  for (std::size_t f = module.functions.size(); f-- > 0;)
    for (const Instruction& i : module.functions[f].code)
      if (i.op == Op::call) depth[f] = std::max(depth[f], depth[i.words[0]] + 1);
  for (const std::uint32_t d : depth)
    if (d > kDeepestCall)
      return diags.error(file, {}, "functions call each other too deep", std::to_string(d),
                         std::to_string(kDeepestCall));
  return {};
}

}  // namespace

Result<void> verify(const Module& module, const std::string& file, Diagnostics& diags) {
  if (module.functions.empty()) return diags.error(file, {}, "has no function");
  if (module.prefix.empty() && module.instance_bytes != 0)
    return diags.error(file, {}, "has an instance of a kernel library, and no library",
                       std::to_string(module.instance_bytes) + " bytes", "0 bytes");
  if (!ir::verify(module.types, diags) || !check_data(module, file, diags)) return failure;
  for (const ir::Graph& g : module.graphs)
    if (!ir::verify(g, diags)) return failure;
  for (std::size_t f = 0; f < module.functions.size(); ++f)
    if (!FunctionVerifier(module, f, file, diags).run()) return failure;
  return check_depth(module, file, diags);
}

}  // namespace byoc::bytecode
