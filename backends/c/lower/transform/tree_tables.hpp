// Decision trees of byoc.TreeEnsemble as the C backend has them: tables that a loop walks, or code.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backends/c/emitter.hpp"

namespace byoc::c {

inline constexpr std::string_view kTreeTables = "tree_ensemble", kTreeCode = "tree_ensemble_code";

struct Trees {
  DType dtype = DType::f32;  // of elements, splits and weights
  std::int64_t rows = 0, features = 0, width = 0;
  std::string aggregate;
  std::vector<double> splits, weights;
  std::vector<std::int32_t> nodes;  // feature, mode, child if true, child if false; a child below 0 is leaf -1 - child
  std::vector<std::int32_t> roots, first, targets;

  // True if the contents of the tables fit 8 or 16 bits.
  [[nodiscard]] bool small_indices() const;
  [[nodiscard]] bool bytes() const;
  // The one mode of all nodes; -1: there are several.
  [[nodiscard]] std::int32_t mode() const;
  // Each leaf has one weight: `first` counts up.
  [[nodiscard]] bool one_weight_each() const;

  // Bytes of flash as tables, without the loop.
  [[nodiscard]] std::uint64_t table_bytes() const;
  // The size as Thumb-2 code, estimated (docs/generated-code.md); 0: too deep for a compiler, or shared nodes would be
  // repeated too often.
  [[nodiscard]] std::uint64_t code_bytes() const;
};

// The trees of a node whose inputs except the first are constants. Nullopt if the tables do not fit each other: bad
// children, features or targets, or cycles.
[[nodiscard]] std::optional<Trees> trees_of(const codegen::Region&, const codegen::Node&);

// A C function `static void name(const X* x, X* y)` of one row.
[[nodiscard]] std::string tree_code(const Trees&, const std::string& name);

}  // namespace byoc::c
