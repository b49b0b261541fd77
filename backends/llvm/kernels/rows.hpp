// Folds over the elements of a row, in vectors.
#pragma once

#include <cstdint>
#include <functional>

#include "backends/llvm/ir/code.hpp"

namespace byoc::bitcode {

// A row of `length` elements: whole vectors in a loop, then the rest. `f` gets where a vector starts, how many of its
// lanes are of the row, and the result so far; absent lanes are as it loads them.
class RowFold {
 public:
  RowFold(Code& code, std::int64_t length);
  using Step = std::function<Value(Value at, std::int64_t valid, Value before)>;

  using Join = std::function<Value(Value a, Value b)>;

  // A fold whose order does not matter: `join` makes one result of two, each of which began with `initial`.
  [[nodiscard]] Value fold(Value initial, const Join& join, const Step& f) const;
  // A vector whose lanes add up to the sum of what `f` adds. Sums of blocks are added up: a long plain sum of floats
  // would lose its small terms.
  [[nodiscard]] Value sum(const Step& f) const;

 private:
  [[nodiscard]] Value chains(Value first, Value end, Value initial, const Join& join, const Step& f) const;
  [[nodiscard]] Value vectors(Value first, Value end, Value initial, const Step& f) const;

  Code& code_;
  const std::int64_t lanes_, whole_, rest_;
};

}  // namespace byoc::bitcode
