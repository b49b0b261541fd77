// The interface of one shape rule: its node, the types of its operands, and functions that state the types of its
// results.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sdk/base/support/diagnostics.hpp"
#include "sdk/model/ir/graph.hpp"

namespace byoc::shapes {

using Dims = std::vector<ir::Dim>;

// An open dimension that no symbol names yet.
inline constexpr ir::Dim kUnknown = std::numeric_limits<ir::Dim>::min();

[[nodiscard]] inline bool is_known(ir::Dim d) { return !ir::is_open(d); }
// True if both are lengths, and not the same.
[[nodiscard]] inline bool differ(ir::Dim a, ir::Dim b) { return is_known(a) && is_known(b) && a != b; }
// True if every dim is a length.
[[nodiscard]] bool all_known(std::span<const ir::Dim> dims);

class Inference {
 public:
  Inference(ir::Graph& in_graph, ir::Node& in_node, Diagnostics& in_diags)
      : graph(in_graph), node(in_node), diags(in_diags) {}

  ir::Graph& graph;
  ir::Node& node;
  Diagnostics& diags;
  mutable bool changed = false;  // the rule stated a type, in a body too, that was not there before

  // The operand's type, or null where none is given. Operands that are given have a known dtype, and a rank where they
  // are tensors.
  [[nodiscard]] const ir::TensorType* find(std::size_t i) const;
  [[nodiscard]] const ir::TensorType& in(std::size_t i) const { return *find(i); }
  [[nodiscard]] const Dims& dims(std::size_t i) const { return *find(i)->dims; }
  [[nodiscard]] std::size_t rank(std::size_t i) const { return dims(i).size(); }
  [[nodiscard]] std::string text(std::size_t i) const { return to_string(in(i), graph); }
  [[nodiscard]] std::string text(const Dims& dims) const;
  // The type that the graph already states for an output; null where the output is not wanted.
  [[nodiscard]] const ir::TensorType* stated(std::size_t output) const;
  // The element type of output 0: that of input 0, but a quantised operator may change it to the stated one.
  [[nodiscard]] DType requantised_dtype() const;

  // The values of an i32 or i64 operand, or nullopt if it is not a constant (yet).
  [[nodiscard]] std::optional<std::vector<std::int64_t>> constant(std::size_t i) const;

  Failure error(std::string message, std::string found = {}, std::string expected = {}) const;

  // States an output's type. Where the graph states one already, the two must agree: lengths refine open dims, a
  // difference is an error with both. Also refused: negative dims and sizes of 2^63 bits or more.
  Result<void> set(std::size_t output, DType dtype, Dims dims) const;
  // States that an output is a sequence or an optional of tensors of this type. dims may be omitted, and count only if
  // all are known. A type that the graph states already counts as in set(), except that its dims may be wider.
  Result<void> hold(std::size_t output, ir::Container container, const ir::TensorType& element) const;
  // States the type of an output that is what an optional or a sequence holds: a tensor whose dims may not be known.
  Result<void> give(std::size_t output, const ir::TensorType& type) const;
  // States the element type of an output whose shape is not known yet.
  Result<void> set_dtype(std::size_t output, DType dtype) const;

  // Counts negative axes from the end. Error: outside [-rank, rank).
  Result<std::size_t> axis(std::int64_t value, std::size_t rank) const;
  Result<void> same_dtype(std::size_t a, std::size_t b) const;
  // Error unless the operand's element type is one of these.
  Result<void> one_of(std::size_t i, std::initializer_list<DType> allowed) const;
  Result<void> want_rank(std::size_t i, std::size_t least, std::size_t most) const;
  // The broadcast of two shapes; errors name both.
  Result<Dims> broadcast(const Dims& a, const Dims& b) const;

 private:
  Result<ir::TensorType> merge(const ir::TensorType& old, const ir::TensorType& inferred, std::size_t output) const;
  void set_type(std::size_t output, ir::TensorType type) const;
};

inline constexpr std::size_t kAny = SIZE_MAX;

}  // namespace byoc::shapes
