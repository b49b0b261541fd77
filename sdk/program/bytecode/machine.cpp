#include "sdk/program/bytecode/machine.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <optional>

#include "sdk/base/support/want_of_memory.hpp"
#include "sdk/model/evaluate/value.hpp"
#include "sdk/program/bytecode/slices.hpp"

namespace byoc::bytecode {

using evaluate::Tensor;

namespace {

constexpr std::size_t kAlign = 64;  // of buffers that steps write
constexpr std::size_t kMostPlaces = 64;

// Bytes that steps write, aligned, zero at first.
struct Buffer {
  explicit Buffer(std::size_t size) : bytes(static_cast<std::byte*>(::operator new(size, std::align_val_t{kAlign}))) {
    std::memset(bytes, 0, size);
  }
  ~Buffer() { ::operator delete(bytes, std::align_val_t{kAlign}); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  std::byte* bytes;
};

template <class T>
Tensor single(const ir::TensorType& type, T value) {
  std::vector<std::byte> bytes(sizeof(T));
  std::memcpy(bytes.data(), &value, sizeof(T));
  return {type, Blob::own(std::move(bytes))};
}

std::optional<std::int64_t> number(const Tensor& t) {
  if (t.type.dtype != DType::i64 || t.bytes.size() != sizeof(std::int64_t)) return std::nullopt;
  std::int64_t out = 0;
  std::memcpy(&out, t.bytes.data(), sizeof out);
  return out;
}

// True if the meaning of its attributes depends on the size of its input.
bool pads_by_size(const ir::Node& node) {
  return node.text("auto_pad", "NOTSET") != "NOTSET" || node.find<std::vector<std::int64_t>>("output_shape") != nullptr;
}

ir::TensorType scalar(DType dtype) {
  ir::TensorType out;
  out.dtype = dtype;
  out.dims.emplace();
  return out;
}

}  // namespace

class Run {
 public:
  Run(Machine& machine, const Limits& limits, Diagnostics& diags)
      : machine_(machine), module_(*machine.module_), limits_(limits), diags_(diags), states_(machine.states_) {}

  Result<std::vector<Tensor>> model(std::span<const Tensor> inputs) {
    const Function& f = module_.functions[0];
    if (inputs.size() != f.parameters.size())
      return diags_.error(machine_.file_, {}, "wrong number of inputs", std::to_string(inputs.size()),
                          std::to_string(f.parameters.size()));
    std::vector<Tensor> arguments;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const ir::Value& stated = module_.types.values[f.parameters[i]];
      arguments.push_back(evaluate::as_stated(stated.type, inputs[i]));
      if (!check_input(arguments.back(), stated)) return failure;
    }
    auto out = call(0, std::move(arguments));
    if (out) machine_.states_ = std::move(states_);
    return out;
  }

 private:
  struct Register {
    Tensor value;
    std::byte* writable = nullptr;  // of a buffer
    std::uint64_t counted = 0;      // bytes that the limit was told of
    std::vector<Tensor> list;
  };
  struct Frame {
    std::uint32_t index;
    const Function& function;
    std::vector<Register> registers;
    std::size_t at = 0;
    std::vector<Tensor> results;
    bool done = false;
  };

  Failure error(const Frame& f, const std::string& what, const std::string& found = {},
                const std::string& expected = {}) {
    return diags_.error(machine_.file_, f.function.name, what, found, expected);
  }

  Result<void> check_input(const Tensor& given, const ir::Value& stated) {
    if (!evaluate::is_whole(given) || !evaluate::fits(stated.type, given))
      return diags_.error(machine_.file_, stated.name, "the input does not have the type that the model states",
                          to_string(given.type, module_.types), to_string(stated.type, module_.types));
    if (!check_lengths(given, stated)) return failure;
    alive_ += evaluate::memory_of(given);  // as long as the run lasts
    if (limits_.memory == 0 || alive_ <= limits_.memory) return {};
    return diags_.error(machine_.file_, stated.name, "the inputs of the run take more memory than its values may",
                        std::to_string(alive_) + " bytes", std::to_string(limits_.memory));
  }

  // Checks the dims for which the user has given a range by --dim.
  Result<void> check_lengths(const Tensor& given, const ir::Value& stated) {
    if (!given.type.is_tensor() || !stated.type.dims) return {};
    for (std::size_t d = 0; d < stated.type.dims->size(); ++d) {
      const auto symbol = static_cast<std::size_t>(-1 - (*stated.type.dims)[d]);
      if (!ir::is_open((*stated.type.dims)[d]) || symbol >= module_.types.ranges.size()) continue;
      const DimRange& range = module_.types.ranges[symbol];
      const ir::Dim length = (*given.type.dims)[d];
      if (length < range.least || length > range.most)
        return diags_.error(machine_.file_, stated.name,
                            "dimension '" + module_.types.symbols[symbol] + "' has another length than it may have",
                            std::to_string(length), std::to_string(range.least) + " to " + std::to_string(range.most));
    }
    return {};
  }

  Result<void> count(Frame& f, Register& r, std::uint64_t bytes) {
    alive_ += bytes - r.counted;
    r.counted = bytes;
    if (limits_.memory == 0 || alive_ <= limits_.memory) return {};
    return error(f, "the values of the run take more memory than they may", std::to_string(alive_) + " bytes",
                 std::to_string(limits_.memory));
  }

  // Constants and states are somebody else's.
  Result<void> set(Frame& f, std::uint32_t reg, Tensor value, bool counted = true) {
    if (reg == kNone) return {};
    Register& r = f.registers[reg];
    r.writable = nullptr;
    r.value = std::move(value);
    return count(f, r, counted ? evaluate::memory_of(r.value) : 0);
  }

  void release(Register& r) {
    alive_ -= r.counted;
    r = Register();
  }

  Result<std::vector<Tensor>> call(std::uint32_t index, std::vector<Tensor> arguments) {
    Frame f{index, module_.functions[index], {}, 0, {}, false};
    f.registers.resize(f.function.registers);
    for (std::size_t i = 0; i < arguments.size(); ++i) f.registers[i].value = std::move(arguments[i]);
    while (!f.done) {
      if (limits_.instructions != 0 && ++executed_ > limits_.instructions)
        return error(f, "the run takes more instructions than it may", {}, std::to_string(limits_.instructions));
      if (!execute(f, f.function.code[f.at++])) return failure;
    }
    for (Register& r : f.registers) release(r);
    return std::move(f.results);
  }

  Result<void> execute(Frame& f, const Instruction& i) {
    const auto& w = i.words;
    switch (i.op) {
      case Op::constant: {
        const Constant& c = module_.constants[w[1]];
        return set(f, w[0], evaluate::value_of(module_.type(c.type), c.bytes), false);
      }
      case Op::move: return set(f, w[0], f.registers[w[1]].value, false);
      case Op::kill: release(f.registers[w[0]]); return {};
      case Op::evaluate: return evaluate(f, i);
      case Op::allocate: return allocate(f, w[0], w[1]);
      case Op::step: return step(f, i);
      case Op::open_step: return open_step(f, i);
      case Op::copy:
        return copy(f, w[0], wide(w[1], w[2]), at(f, w[3], wide(w[4], w[5]), wide(w[6], w[7])), wide(w[6], w[7]));
      case Op::copy_constant: return copy_constant(f, i);
      case Op::jump: f.at = w[0]; return {};
      case Op::branch: return branch(f, i);
      case Op::call: return call_function(f, i);
      case Op::give:
        for (const std::uint32_t r : w) f.results.push_back(f.registers[r].value);
        f.done = true;
        return {};
      case Op::load_state: return set(f, w[0], states_[w[1]], false);
      case Op::store_state: return store_state(f, i);
      default: return control(f, i);
    }
  }

  // Runs an instruction of a loop.
  Result<void> control(Frame& f, const Instruction& i) {
    const auto& w = i.words;
    switch (i.op) {
      case Op::increment: {
        const auto n = number(f.registers[w[1]].value);
        if (!n || *n == INT64_MAX) return error(f, "not a number that can be counted up");
        return set(f, w[0], single<std::int64_t>(f.registers[w[1]].value.type, *n + 1));
      }
      case Op::less: {
        const auto a = number(f.registers[w[1]].value);
        const auto b = number(f.registers[w[2]].value);
        if (!a || !b) return error(f, "the trip count is not one number", "", "i64[]");
        return set(f, w[0], single<std::uint8_t>(scalar(DType::boolean), *a < *b ? 1 : 0));
      }
      case Op::length: return length(f, i);
      case Op::same: {
        const auto a = number(f.registers[w[0]].value);
        const auto b = number(f.registers[w[1]].value);
        if (a && b && *a == *b) return {};
        return error(f, "the scanned inputs have different lengths", a ? std::to_string(*a) : "",
                     b ? std::to_string(*b) : "");
      }
      case Op::slice: return take_slice(f, i);
      case Op::list: f.registers[w[0]].list.clear(); return {};
      case Op::append: {
        Register& r = f.registers[w[0]];
        r.list.push_back(f.registers[w[1]].value);
        return count(f, r, r.counted + evaluate::memory_of(r.list.back()));
      }
      default: return put_together(f, i);
    }
  }

  Result<void> evaluate(Frame& f, const Instruction& i) {
    const ir::Graph& graph = module_.graphs[f.function.graph];
    const std::uint32_t results = i.words[1];
    std::vector<const Tensor*> operands;
    for (std::size_t k = 2 + results; k < i.words.size(); ++k)
      operands.push_back(i.words[k] == kNone ? nullptr : &f.registers[i.words[k]].value);
    const ir::Node& node = graph.nodes[i.words[0]];
    const bool by_size = pads_by_size(node);
    if (by_size && !open_types(graph, node).infer(operands, diags_)) return failure;
    const ir::Graph& settled = by_size ? open_types(graph, node).graph() : graph;
    auto out = evaluate::evaluate_node(settled, by_size ? settled.nodes[0] : node, operands, diags_,
                                       std::min(evaluate_limit(), evaluate::kLargestResult));
    if (!out) return failure;
    for (std::size_t r = 0; r < results; ++r)
      if (!set(f, i.words[2 + r], std::move((*out)[r]))) return failure;
    return {};
  }

  Result<void> allocate(Frame& f, std::uint32_t reg, std::uint32_t type) {
    return allocate(f, f.registers[reg], module_.type(type));
  }

  Result<void> allocate(Frame& f, Register& r, const ir::TensorType& type) {
    if (!reserve(f, r, type.bytes())) return failure;
    r.value.type = type;
    return {};
  }

  // Bytes that may be written.
  Result<void> reserve(Frame& f, Register& r, std::uint64_t size) {
    if (size > evaluate_limit()) return error(f, "a value is too large", std::to_string(size) + " bytes");
    release(r);
    if (!count(f, r, size)) return failure;
    auto buffer = std::make_shared<Buffer>(size);
    r.writable = buffer->bytes;
    r.value.bytes = Blob::view({buffer->bytes, size}, buffer);
    return {};
  }

  [[nodiscard]] std::uint64_t evaluate_limit() const { return limits_.memory == 0 ? UINT64_MAX / 2 : limits_.memory; }

  // The bytes of an operand, or null where it has fewer.
  std::byte* at(Frame& f, std::uint32_t reg, std::uint64_t offset, std::uint64_t bytes) {
    if (reg == kInstance) return machine_.instance_ + offset;  // the verifier has seen its size
    Register& r = f.registers[reg];
    const std::uint64_t size = r.value.bytes.size();
    if (offset > size || bytes > size - offset) return nullptr;
    // Steps do not write what they are given to read.
    return (r.writable != nullptr ? r.writable : const_cast<std::byte*>(r.value.bytes.data())) + offset;
  }

  Result<void> copy(Frame& f, std::uint32_t reg, std::uint64_t offset, const std::byte* from, std::uint64_t bytes) {
    std::byte* to = at(f, reg, offset, bytes);
    if (to == nullptr || from == nullptr) return error(f, "bytes beyond the end of a value");
    if (bytes != 0) std::memmove(to, from, bytes);
    return {};
  }

  Result<void> copy_constant(Frame& f, const Instruction& i) {
    const auto& w = i.words;
    const std::uint64_t bytes = wide(w[4], w[5]);
    const byoc_step_table_t* table = machine_.table_;
    if (table == nullptr || w[3] >= table->move_count || table->moves[w[3]].from.constant == nullptr ||
        table->moves[w[3]].to.bytes != bytes)
      return error(f, "the library has another constant there", std::to_string(w[3]));
    return copy(f, w[0], wide(w[1], w[2]), static_cast<const std::byte*>(table->moves[w[3]].from.constant), bytes);
  }

  Result<void> step(Frame& f, const Instruction& i) {
    const byoc_step_entry_t& entry = *machine_.steps_[i.words[0]];
    const Primitive& p = module_.primitives[i.words[0]];
    const std::size_t count = p.operands.size() + p.workspaces.size();
    void* near[kMostPlaces];
    std::vector<void*> far;
    if (count > kMostPlaces) far.resize(count);
    void** places = count > kMostPlaces ? far.data() : near;
    for (std::size_t k = 0; k < count; ++k) {
      const std::uint32_t* w = &i.words[1 + 3 * k];
      const bool is_operand = k < p.operands.size();
      const std::uint64_t bytes = is_operand ? p.operands[k] : p.workspaces[k - p.operands.size()];
      const auto* constant =
          is_operand && w[0] == kNone ? static_cast<const std::byte*>(entry.operands[k].constant) : nullptr;
      places[k] = w[0] == kNone ? const_cast<std::byte*>(constant) : at(f, w[0], wide(w[1], w[2]), bytes);
      if (places[k] == nullptr && bytes != 0)
        return error(f, "step '" + p.name + "' reads or writes beyond the end of a value");
    }
    return call_step(f, entry, p, places, nullptr);
  }

  // A step of control flow returns the code of one of its bodies' steps.
  [[nodiscard]] std::string why_failed(const std::string& step, std::int32_t status) const {
    for (const RunFailure& f : machine_.failures_)
      if (f.code == status) return f.text + ": ";
    for (const RunFailure& f : machine_.failures_)
      if (f.symbol == step) return f.text + ": ";
    return {};
  }

  Result<void> call_step(Frame& f, const byoc_step_entry_t& entry, const Primitive& p, void* const* places,
                         const std::int32_t* dims) {
    const byoc_step_args_t args{sizeof(byoc_step_args_t),
                                0,
                                places,
                                places + p.operands.size(),
                                p.uses_instance ? machine_.instance_ + p.instance_offset : nullptr,
                                nullptr,
                                dims};
    const std::int32_t status = entry.call(&args);
    if (status == 0) return {};
    return error(f, why_failed(p.name, status) + "step '" + p.name + "' failed", std::to_string(status), "0");
  }

  OpenTypes& open_types(const ir::Graph& graph, const ir::Node& node) {
    return machine_.open_types_.try_emplace(&node, graph, node).first->second;
  }

  // The operands of its node, with the results' buffers made. An error where one is larger than steps count to.
  Result<std::vector<const Tensor*>> open_operands(Frame& f, const Instruction& i, const ir::Node& node,
                                                   std::vector<Register>& results) {
    const std::size_t first = 3 + node.outputs.size();
    std::vector<const Tensor*> out;
    for (std::size_t k = 0; k < node.inputs.size(); ++k)
      out.push_back(i.words[first + k] == kNone ? nullptr : &f.registers[i.words[first + k]].value);
    const auto types = open_types(module_.graphs[f.function.graph], node).infer(out, diags_);
    if (!types) return failure;
    results.resize(types->size());
    for (std::size_t r = 0; r < results.size(); ++r) {
      if (node.outputs[r] != ir::kNoValue && !allocate(f, results[r], (*types)[r])) return failure;
      out.push_back(node.outputs[r] == ir::kNoValue ? nullptr : &results[r].value);
    }
    for (const Tensor* t : out)
      if (t != nullptr && t->bytes.size() > INT32_MAX)
        return error(f, "an operand of " + node.describe() + " is too large for a step",
                     std::to_string(t->bytes.size()) + " bytes", "at most " + std::to_string(INT32_MAX));
    return out;
  }

  Result<void> open_step(Frame& f, const Instruction& i) {
    const Primitive& p = module_.primitives[i.words[1]];
    const ir::Node& node = module_.graphs[f.function.graph].nodes[i.words[0]];
    std::vector<Register> results;
    const auto operands = open_operands(f, i, node, results);
    if (!operands) return failure;
    std::vector<void*> places;
    for (const std::uint32_t o : p.open->operands)
      places.push_back(const_cast<std::byte*>((*operands)[o]->bytes.data()));  // those it only reads are not written
    std::vector<Register> workspaces(p.workspaces.size());
    for (std::size_t w = 0; w < workspaces.size(); ++w) {
      if (!reserve(f, workspaces[w], p.workspaces[w])) return failure;
      places.push_back(workspaces[w].writable);
    }
    std::vector<std::int32_t> dims;
    for (const OpenOperands::Length& l : p.open->lengths) {
      const Tensor* t = (*operands)[l.operand];
      const ir::TensorType& stated = type_of(f, node, l.operand);
      dims.push_back(static_cast<std::int32_t>((*(t == nullptr ? stated : t->type).dims)[l.axis]));
    }
    // Without elements to compute, kernels are not called: they might divide by a length.
    const bool any = std::any_of(results.begin(), results.end(), [](const Register& r) { return r.counted != 0; });
    if (any && !call_step(f, *machine_.steps_[i.words[1]], p, places.data(), dims.data())) return failure;
    for (Register& w : workspaces) release(w);
    for (std::size_t r = 0; r < results.size(); ++r) {
      const std::uint32_t to = i.words[3 + r];
      if (to == kNone) {
        release(results[r]);
        continue;
      }
      release(f.registers[to]);
      f.registers[to] = std::move(results[r]);
      f.registers[to].writable = nullptr;
    }
    return {};
  }

  [[nodiscard]] const ir::TensorType& type_of(const Frame& f, const ir::Node& node, std::uint32_t operand) const {
    const ir::ValueId v =
        operand < node.inputs.size() ? node.inputs[operand] : node.outputs[operand - node.inputs.size()];
    return module_.graphs[f.function.graph].values[v].type;
  }

  Result<void> branch(Frame& f, const Instruction& i) {
    const Tensor& t = f.registers[i.words[0]].value;
    if (t.type.dtype != DType::boolean || t.bytes.size() != 1)
      return error(f, "a condition is not one truth value", to_string(t.type, module_.types), "bool[]");
    if (*t.bytes.data() == std::byte{0}) f.at = i.words[1];
    return {};
  }

  Result<void> call_function(Frame& f, const Instruction& i) {
    const std::uint32_t results = i.words[1];
    std::vector<Tensor> arguments;
    for (std::size_t k = 2 + results; k < i.words.size(); ++k) {
      const std::size_t p = arguments.size();
      const ir::TensorType& stated = module_.type(module_.functions[i.words[0]].parameters[p]);
      arguments.push_back(evaluate::as_stated(stated, f.registers[i.words[k]].value));
      if (!evaluate::fits(stated, arguments[p]))
        return error(
            f, "argument " + std::to_string(p) + " of '" + module_.functions[i.words[0]].name + "' has another type",
            to_string(arguments[p].type, module_.types), to_string(stated, module_.types));
    }
    auto out = call(i.words[0], std::move(arguments));
    if (!out) return failure;
    for (std::size_t r = 0; r < results; ++r)
      if (!set(f, i.words[2 + r], std::move((*out)[r]))) return failure;
    return {};
  }

  Result<void> store_state(Frame& f, const Instruction& i) {
    const ir::TensorType& type = module_.type(module_.states[i.words[0]].type);
    const Tensor& next = f.registers[i.words[1]].value;
    if (!evaluate::fits(type, next))
      return error(f, "a state gets another type", to_string(next.type, module_.types), to_string(type, module_.types));
    states_[i.words[0]] = {type, next.bytes, next.texts};
    return {};
  }

  Result<void> length(Frame& f, const Instruction& i) {
    const Tensor& t = f.registers[i.words[1]].value;
    const auto rank = t.type.dims ? t.type.dims->size() : 0;
    const auto axis = axis_of(static_cast<std::int32_t>(i.words[2]), rank);
    if (!axis) return error(f, "a tensor has no such axis", std::to_string(static_cast<std::int32_t>(i.words[2])));
    return set(f, i.words[0], single<std::int64_t>(scalar(DType::i64), (*t.type.dims)[*axis]));
  }

  Result<void> take_slice(Frame& f, const Instruction& i) {
    const Tensor& t = f.registers[i.words[1]].value;
    const auto axis = static_cast<std::int32_t>(i.words[2]);
    auto index = number(f.registers[i.words[3]].value);
    const auto whole = axis_of(axis, t.type.dims ? t.type.dims->size() : 0);
    if (index && whole && i.words[4] != 0) index = (*t.type.dims)[*whole] - 1 - *index;
    auto out = index ? slice(t, axis, *index) : std::nullopt;
    if (!out) return error(f, "a tensor cannot be taken apart so", to_string(t.type, module_.types));
    return set(f, i.words[0], std::move(*out));
  }

  Result<void> put_together(Frame& f, const Instruction& i) {
    std::vector<Tensor> slices = f.registers[i.words[1]].list;
    if (i.words[3] != 0) std::reverse(slices.begin(), slices.end());
    const ir::TensorType* like = i.words[4] == kNone ? nullptr : &module_.type(i.words[4]);
    auto out = stack(slices, static_cast<std::int32_t>(i.words[2]), like);
    if (!out)
      return error(f, "the rounds of a loop give slices that cannot be put together",
                   std::to_string(slices.size()) + " slices");
    return set(f, i.words[0], std::move(*out));
  }

  Machine& machine_;
  const Module& module_;
  const Limits& limits_;
  Diagnostics& diags_;
  std::vector<Tensor> states_;  // as this run leaves them
  std::uint64_t alive_ = 0;
  std::uint64_t executed_ = 0;
};

Result<std::vector<Tensor>> Machine::run(std::span<const Tensor> inputs, const Limits& limits, Diagnostics& diags) {
  if (module_->lacks_constants())
    return diags.error(file_, {}, "its constants are in a file of their own, which is not given", {},
                       "what --weights-blob wrote");
  try {
    return Run(*this, limits, diags).model(inputs);
  } catch (const std::bad_alloc&) {
    return diags.error(file_, {}, "not enough memory for the values of the run", {}, memory_bound());
  }
}

}  // namespace byoc::bytecode
