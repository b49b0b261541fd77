// Helpers of the reductions: the mapping of elements to results.
#pragma once

#include "sdk/model/evaluate/call.hpp"

namespace byoc::evaluate {

struct Reduction {
  Dims out;            // as the result has it
  Dims write;          // strides of the result over the input's dims, 0 along what is reduced
  std::int64_t count;  // elements that go into one
  std::int64_t size;   // elements of the result
};

// The reduction that call.node names, on a plain tensor of floats, integers or (maximum, minimum) bool.
Outcome reduce_plain(const Call& call, const Reduction& r);

}  // namespace byoc::evaluate
