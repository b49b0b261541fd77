// Sums of many floats in their own type: in blocks, which are added with what rounding cut off before (Kahan). A plain
// sum of ones in float32 stops at 2^24. Up to a block, the order is that of a plain sum.
#pragma once

#include <cmath>
#include <cstdint>

namespace byoc::evaluate {

template <class Real>
class BlockSum {
 public:
  void add(Real v) {
    part_ += v;
    if (++count_ == kBlock) end_block();
  }
  [[nodiscard]] Real total() {
    end_block();
    return sum_;
  }

 private:
  static constexpr std::int32_t kBlock = 256;

  void end_block() {
    const Real whole = part_ - lost_, sum = sum_ + whole;
    lost_ = std::isfinite(sum) ? (sum - sum_) - whole : 0;
    sum_ = sum;
    part_ = 0;
    count_ = 0;
  }

  Real part_ = 0, sum_ = 0, lost_ = 0;
  std::int32_t count_ = 0;
};

}  // namespace byoc::evaluate
