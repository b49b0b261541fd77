// Strings as numbers, for operators that place, repeat or compare elements without looking into them: each is its rank
// among all strings of the operands in the order of their bytes, which is that of their code points. The empty string,
// rank 0, is there in any case: it is what stands where an operator puts zeros.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "sdk/model/evaluate/evaluate.hpp"

namespace byoc::evaluate {

// The element type of ranks.
inline constexpr DType kRank = DType::u64;

class Ranks {
 public:
  // The operands outlive this.
  explicit Ranks(std::span<const Tensor* const> operands);
  [[nodiscard]] Tensor rank(const Tensor& texts) const;
  // The strings of a result of ranks.
  [[nodiscard]] Tensor text(const Tensor& ranks) const;

 private:
  std::vector<std::string_view> texts_;  // in order, each once
};

[[nodiscard]] inline bool is_text(const Tensor& t) { return t.type.is_tensor() && t.type.dtype == DType::string; }

}  // namespace byoc::evaluate
