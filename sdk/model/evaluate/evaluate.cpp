#include "sdk/model/evaluate/evaluate.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <optional>

#include "sdk/base/support/want_of_memory.hpp"
#include "sdk/model/evaluate/effort.hpp"
#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/ranks.hpp"
#include "sdk/model/evaluate/value.hpp"

namespace byoc::evaluate {
namespace {

// Operators read elements through typed pointers: an operand that is mapped from a file at an odd offset is copied, as
// are bools whose bytes are neither 0 nor 1.
bool needs_copy(const Tensor& t) {
  if (!t.type.is_tensor()) return false;
  if (t.type.dtype == DType::boolean)
    return std::any_of(t.bytes.bytes().begin(), t.bytes.bytes().end(),
                       [](std::byte b) { return std::to_integer<unsigned>(b) > 1; });
  return reinterpret_cast<std::uintptr_t>(t.bytes.data()) % 8 != 0;
}

Tensor copy_of(const Tensor& t) {
  const auto bytes = t.bytes.bytes();
  std::vector<std::byte> copy(bytes.begin(), bytes.end());
  if (t.type.dtype == DType::boolean)
    for (std::byte& b : copy) b = b == std::byte{0} ? std::byte{0} : std::byte{1};
  return {t.type, Blob::own(std::move(copy))};
}

// Integers of fewer than 8 bits as 8-bit ones. Null: bytes of another size.
std::optional<Tensor> unpacked(const Tensor& t) {
  const std::optional<std::int64_t> count = t.type.is_static() ? product(*t.type.dims) : std::nullopt;
  if (!count || static_cast<std::uint64_t>(*count) > 8 * t.bytes.size() || t.type.bytes() != t.bytes.size())
    return std::nullopt;
  std::vector<std::byte> out;
  for (const std::int64_t v : whole_numbers(t)) out.push_back(static_cast<std::byte>(v));
  Tensor result{t.type, Blob::own(std::move(out))};
  result.type.dtype = element_row(t.type.dtype).kind == ElementKind::whole ? DType::i8 : DType::u8;
  return result;
}

// Sequences, optionals and strings are accepted only by operators that know them.
Result<void> check_held(const Call& call, std::size_t i) {
  const Tensor& t = call.in(i);
  const std::string what = "input " + std::to_string(i);
  if (!is_whole(t)) return call.error("the data of " + what + " does not have the size of its type", describe(t));
  if (t.type.is_tensor() && !ir::has_trait(call.node, ir::kTexts))
    return call.unsupported_dtype(i, "a type that can be computed with");
  if (!t.type.is_tensor() && !ir::has_trait(call.node, ir::kHolds))
    return call.error(what + " is not a tensor", describe(t), "a tensor");
  return {};
}

// An operand has a known type, and bytes of exactly its size.
Result<void> check_operand(const Call& call, std::size_t i) {
  const Tensor& t = call.in(i);
  const std::string what = "input " + std::to_string(i);
  if (!t.type.is_tensor() || t.type.dtype == DType::string) return check_held(call, i);
  if (!t.type.is_static()) return call.error("the type of " + what + " is not known", to_string(t.type, call.graph));
  const bool computed = !ir::has_trait(call.node, ir::kAnyElements);
  if (t.type.dtype == DType::undefined || (is_small(t.type.dtype) && computed))
    return call.unsupported_dtype(i, "a type that can be computed with");
  const std::optional<std::int64_t> count = product(*t.type.dims);
  std::int64_t bits = 0;
  if (!count || __builtin_mul_overflow(*count, std::int64_t{bit_width(t.type.dtype)}, &bits))
    return call.error(what + " is too large", describe(t));
  if (t.type.bytes() != t.bytes.size())
    return call.error("the data of " + what + " does not have the size of its type",
                      std::to_string(t.bytes.size()) + " bytes",
                      std::to_string(t.type.bytes()) + " bytes for " + describe(t));
  return {};
}

// The computed result must have the type that the graph states.
Result<void> check_result(const Call& call, std::size_t i, const Tensor& result) {
  const ir::TensorType* stated = call.declared(i);
  if (stated == nullptr) return {};
  if (fits(*stated, result)) return {};
  return call.error("output " + std::to_string(i) + " does not have the type that the graph states", describe(result),
                    to_string(*stated, call.graph));
}

// Counts, operands, and the function.
Outcome compute(const ir::Operator& op, const Call& call) {
  if (const auto problem = ir::check_counts(op, call.count(), call.node.outputs.size()); problem.what != nullptr)
    return call.error(problem.what, std::to_string(problem.found), problem.expected);
  for (std::size_t i = 0; i < call.count(); ++i) {
    if (call.find(i) == nullptr) {
      if (i < op.arity.least_inputs) return call.error("input " + std::to_string(i) + " is missing");
      continue;
    }
    if (!check_operand(call, i)) return failure;
  }
  return function_of(op)(call);
}

// Computes an operator with strings among its operands by way of their ranks. It only moves and compares them.
Outcome compute_ranks(const ir::Operator& op, const Call& call, std::span<const Tensor* const> operands) {
  const std::string reduction = call.node.text("reduction", "none");
  if (reduction != "none") return call.error("strings cannot be combined", "reduction " + reduction, "none");
  for (std::size_t i = 0; i < operands.size(); ++i)
    if (operands[i] != nullptr && !is_whole(*operands[i]) && !check_operand(call, i)) return failure;
  const Ranks ranks(operands);
  std::vector<const Tensor*> numbers(operands.begin(), operands.end());
  std::vector<Tensor> ranked;
  ranked.reserve(numbers.size());
  for (const Tensor*& t : numbers)
    if (t != nullptr && is_text(*t)) t = &ranked.emplace_back(ranks.rank(*t));
  Outcome out = compute(op, Call(call.graph, call.node, numbers, call.diagnostics(), call.largest_result));
  if (!out) return failure;
  for (Tensor& t : *out)
    if (t.type.dtype == kRank) t = ranks.text(t);
  return out;
}

Result<std::vector<Tensor>> evaluate_checked(const ir::Operator& op, const Call& call,
                                             std::span<const Tensor* const> operands) {
  const bool ranks = op.has(ir::kRanks) && std::any_of(operands.begin(), operands.end(),
                                                       [](const Tensor* t) { return t != nullptr && is_text(*t); });
  Outcome results = ranks ? compute_ranks(op, call, operands) : compute(op, call);
  if (!results) return failure;
  if (results->size() < call.node.outputs.size())
    return call.error("output " + std::to_string(results->size()) + " is not computed by this operator");
  results->resize(call.node.outputs.size());
  for (std::size_t i = 0; i < results->size(); ++i)
    if (!check_result(call, i, (*results)[i])) return failure;
  return results;
}

}  // namespace

void Instance::reset() {
  states.clear();
  for (const ir::State& s : graph_.states)
    states.push_back({graph_.values[s.value].type, Blob::own(ir::initial_bytes(graph_, s))});
}

bool supports(const ir::Node& node) { return ir::find_operator(node.domain, node.op) != nullptr; }

Result<std::vector<Tensor>> evaluate_node(const ir::Graph& graph, const ir::Node& node,
                                          std::span<const Tensor* const> inputs, Diagnostics& diags,
                                          std::uint64_t largest_result) {
  const ir::Operator* op = ir::find_operator(node.domain, node.op);
  if (op == nullptr)
    return diags.error(
        graph.file, node.describe(), "the evaluator does not know this operator",
        (node.domain.empty() ? "" : node.domain + ".") + node.op + " version " + std::to_string(node.version));
  if (!check_effort(graph, node, inputs, largest_result, diags)) return failure;
  try {
    std::vector<const Tensor*> operands(inputs.begin(), inputs.end());
    std::vector<Tensor> copies;
    copies.reserve(operands.size());
    for (const Tensor*& t : operands) {
      if (t == nullptr) continue;
      const ElementKind kind = element_row(t->type.dtype).kind;
      if (t->type.is_tensor() && is_small(t->type.dtype) && kind != ElementKind::real && !op->has(ir::kAnyElements)) {
        // These integers are only read: operators see them as 8 bits.
        if (auto wide = unpacked(*t)) t = &copies.emplace_back(std::move(*wide));
      } else if (needs_copy(*t)) {
        t = &copies.emplace_back(copy_of(*t));
      }
    }
    return evaluate_checked(*op, Call(graph, node, operands, diags, largest_result), operands);
  } catch (const std::bad_alloc&) {
    return diags.error(graph.file, node.describe(), "not enough memory to compute this node", {}, memory_bound());
  } catch (const std::length_error&) {
    return diags.error(graph.file, node.describe(), "not enough memory to compute this node", {}, memory_bound());
  }
}

namespace {

class Run {
 public:
  Run(const ir::Graph& graph, Diagnostics& diags, const Observer& observe, Instance& instance)
      : graph_(graph),
        diags_(diags),
        observe_(observe),
        instance_(instance),
        values_(graph.values.size()),
        last_use_(graph.values.size(), 0) {}

  Result<std::vector<Tensor>> operator()(std::span<const Tensor> inputs) {
    if (!take_inputs(inputs)) return failure;
    take_known();
    note_last_uses();
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n)
      if (!compute(n)) return failure;
    std::vector<Tensor> out;
    for (const ir::ValueId v : graph_.outputs) {
      if (!values_[v]) return diags_.error(graph_.file, name(v), "is a graph output but nothing computes it");
      out.push_back(*values_[v]);
    }
    if (!keep_states()) return failure;
    return out;
  }

 private:
  std::string name(ir::ValueId v) const {
    return graph_.values[v].name.empty() ? "value %" + std::to_string(v) : graph_.values[v].name;
  }

  bool take_inputs(std::span<const Tensor> inputs) {
    if (inputs.size() != graph_.inputs.size()) {
      diags_.error(graph_.file, {}, "wrong number of graph inputs", std::to_string(inputs.size()),
                   std::to_string(graph_.inputs.size()));
      return false;
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const ir::ValueId v = graph_.inputs[i];
      const ir::TensorType& type = graph_.values[v].type;
      Tensor given = as_stated(type, inputs[i]);
      if (!is_whole(given) || !fits(type, given)) {
        diags_.error(graph_.file, name(v), "the graph input does not have the type that the graph states",
                     describe(given) + " of " + std::to_string(given.bytes.size()) + " bytes", to_string(type, graph_));
        return false;
      }
      given.type.quantisation = type.quantisation;
      values_[v] = std::move(given);
    }
    return true;
  }

  void take_known() {
    for (ir::ValueId v = 0; v < graph_.values.size(); ++v) {
      const ir::Value& value = graph_.values[v];
      if (value.constant) values_[v] = value_of(value.type, value.constant->bytes);
    }
    for (std::size_t i = 0; i < graph_.states.size(); ++i) values_[graph_.states[i].value] = instance_.states[i];
  }

  bool keep_states() {
    std::vector<Tensor> next;
    for (const ir::State& s : graph_.states) {
      const ir::TensorType& type = graph_.values[s.value].type;
      if (!values_[s.next] || values_[s.next]->bytes.size() != type.bytes()) {
        diags_.error(graph_.file, name(s.next), "is what a state becomes, but nothing computes that type of it");
        return false;
      }
      next.push_back({type, values_[s.next]->bytes});
    }
    instance_.states = std::move(next);
    return true;
  }

  void note_last_uses() {
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n)
      for (const ir::ValueId v : graph_.nodes[n].inputs)
        if (v != ir::kNoValue) last_use_[v] = n;
    for (const ir::ValueId v : graph_.outputs) last_use_[v] = graph_.nodes.size();
    for (const ir::State& s : graph_.states) last_use_[s.next] = graph_.nodes.size();
  }

  bool compute(std::size_t n) {
    const ir::Node& node = graph_.nodes[n];
    std::vector<const Tensor*> operands;
    for (const ir::ValueId v : node.inputs) {
      if (v != ir::kNoValue && !values_[v]) {
        diags_.error(graph_.file, node.describe(), "reads " + name(v) + ", which nothing computes before it");
        return false;
      }
      operands.push_back(v == ir::kNoValue ? nullptr : &*values_[v]);
    }
    Result<std::vector<Tensor>> results = evaluate_node(graph_, node, operands, diags_);
    if (!results) return false;
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      const ir::ValueId v = node.outputs[i];
      if (v == ir::kNoValue) continue;
      values_[v] = std::move((*results)[i]);
      if (observe_) observe_(v, *values_[v]);
    }
    for (const ir::ValueId v : node.inputs)
      if (v != ir::kNoValue && last_use_[v] == n && !graph_.is_constant(v)) values_[v].reset();
    return true;
  }

  const ir::Graph& graph_;
  Diagnostics& diags_;
  const Observer& observe_;
  Instance& instance_;
  std::vector<std::optional<Tensor>> values_;
  std::vector<std::size_t> last_use_;
};

}  // namespace

Result<std::vector<Tensor>> run(const ir::Graph& graph, std::span<const Tensor> inputs, Diagnostics& diags,
                                const Observer& observe, Instance* instance) {
  if (instance != nullptr) return Run(graph, diags, observe, *instance)(inputs);
  Instance once(graph);
  return Run(graph, diags, observe, once)(inputs);
}

}  // namespace byoc::evaluate
