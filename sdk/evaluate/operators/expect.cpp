// byoc.Expect: x as it is, unless the numbers that were found are other ones of their kind than what is expected.
#include <algorithm>

#include "sdk/evaluate/operators.hpp"
#include "sdk/evaluate/operators/movement.hpp"

namespace byoc::evaluate {

Outcome expect(const Call& call) {
  const Result<std::vector<std::int64_t>> found = call.integers(1);
  if (!found) return failure;
  const Dims expected = call.node.integers("expected", {}), open = call.node.integers("open", {});
  if (found->size() != expected.size())
    return call.error("there must be one expected number for each that is found", describe(*found), describe(expected));
  bool other = *found != expected;
  for (std::size_t i = 0; !open.empty() && i < expected.size(); ++i) {
    const bool is_open = std::count(open.begin(), open.end(), static_cast<std::int64_t>(i)) != 0;
    other = other && (is_open ? (*found)[i] > 0 : (*found)[i] == expected[i]);
  }
  if (other) return call.error("the model was made for other numbers", describe(*found), describe(expected));
  return same_bytes(call, *call.in(0).type.dims);
}

}  // namespace byoc::evaluate
