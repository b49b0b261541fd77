// The registry of operators: what each is, for everybody who asks. docs/graph-language.md says what they mean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "sdk/model/ir/graph.hpp"

namespace byoc::ir {

inline constexpr std::size_t kAny = SIZE_MAX;  // as many inputs, or outputs, as there are

// Properties of an operator that passes and reports ask for.
enum Trait : std::uint32_t {
  kPlain = 0,
  // A result element is made of the elements at the same place alone, after broadcasting.
  kElementwise = 1 << 0,
  // Result elements are elements of input 0, or of any input where there may be any number; further inputs say which.
  kMoves = 1 << 1,
  // All elements stay in their row-major order; the dims change.
  kReshapes = 1 << 2,
  // It compares, counts, places or casts quantised elements as they are stored; real numbers are not asked for.
  kStored = 1 << 3,
  // It has the attribute data_layout.
  kImages = 1 << 4,
  // It makes one element of those of a window, or of a whole channel.
  kPool = 1 << 5,
  // No result element gets smaller where an operand's element gets larger; sums that may wrap around are not among
  // these.
  kMonotone = 1 << 6,
  // It adds up elements in an order that is the implementation's choice.
  kSums = 1 << 7,
  // The elements of operands say how long results are, so only a run can tell, or folding.
  kRunTimeShape = 1 << 8,
  // Shapes and constants say all of its result: it is folded, and no backend ever sees it.
  kGenerates = 1 << 9,
  // It has bodies, which the executor runs.
  kControl = 1 << 10,
  // It places, repeats or compares elements without computing with them. It accepts strings, because their ranks can be
  // moved in their place.
  kAnyElements = 1 << 11,
  // It places, repeats or compares elements without computing with them, so that strings will do: their ranks are
  // moved.
  kRanks = 1 << 12,
  // It takes or gives strings as such.
  kTexts = 1 << 13,
  // It takes or gives sequences or optionals.
  kHolds = 1 << 14,
  // Results have room for the most there can be, and come with a count (sdk/model/ir/counted.hpp).
  kCounted = 1 << 15,
  // It runs in executors on hosts only: no backend has it.
  kForHosts = 1 << 16,
};

struct Arity {
  std::size_t least_inputs;  // these are given
  std::size_t most_inputs;
  std::size_t most_outputs;
};

struct Operator {
  std::string_view domain;
  std::string_view name;
  std::int64_t since;  // the version of the domain that brought it
  Arity arity;
  std::uint32_t traits;
  std::uint64_t (*macs)(const Graph&, const Node&);  // of one run; 0 where shapes are not known or do not fit

  [[nodiscard]] constexpr bool has(Trait trait) const { return (traits & trait) != 0; }
};

// Ordered by domain and name.
[[nodiscard]] std::span<const Operator> operators();
// Null for an operator that is not in the registry.
[[nodiscard]] const Operator* find_operator(std::string_view domain, std::string_view name);
// True if only a codegen can know the operator: its domain is neither ONNX's nor byoc's, and it is not in the registry.
// Nodes of such operators have the types that the model states.
[[nodiscard]] bool is_foreign(std::string_view domain, std::string_view name);
// The user's choice where another compiler left an operator in the model for its accelerator; "" for other operators.
[[nodiscard]] std::string compiled_before(const Node& node);
// Accepts any node that has `domain` and `op`, the graph's or a codegen's; false if the registry has no such operator.
template <class N>
[[nodiscard]] bool has_trait(const N& node, Trait trait) {
  const Operator* found = find_operator(node.domain, node.op);
  return found != nullptr && found->has(trait);
}

// A wrong number of inputs or outputs, in words for a diagnostic.
struct CountProblem {
  const char* what = nullptr;  // "wrong number of inputs"; null: it may
  std::size_t found = 0;
  std::string expected;
};
[[nodiscard]] CountProblem check_counts(const Operator&, std::size_t inputs, std::size_t outputs);

// Multiply-accumulates of one run of the node; 0 for operators that have none, or that the registry does not have.
[[nodiscard]] std::uint64_t macs_of(const Graph&, const Node&);

}  // namespace byoc::ir
