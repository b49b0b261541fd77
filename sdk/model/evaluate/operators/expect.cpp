// byoc.Expect: x as it is, unless the numbers that were found are other ones of their kind than what is expected.
#include "sdk/model/evaluate/operators/expect.hpp"

#include <algorithm>

#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/movement.hpp"

namespace byoc::evaluate {

namespace {

// Each axis counts from the end where it is negative.
bool are_axes(const Dims& found, const Dims& expected, std::int64_t rank) {
  std::vector<std::int64_t> axes;
  for (const std::int64_t a : found) axes.push_back(a < 0 ? a + rank : a);
  std::sort(axes.begin(), axes.end());
  return axes == expected;
}

// Accepts the shapes of a Reshape: one -1 for the remaining elements, and 0 for a dim that stays.
bool is_shape(const Dims& found, const Dims& expected, const Dims& from) {
  const bool empty = std::count(expected.begin(), expected.end(), 0) != 0;
  std::size_t rest = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i] == -1 && !empty && ++rest == 1) continue;
    if ((found[i] == 0 && i < from.size() ? from[i] : found[i]) != expected[i]) return false;
  }
  return true;
}

}  // namespace

bool is_another_form(const ir::Node& node, const Dims& found, const Dims& expected) {
  if (const auto* rank = node.find<std::int64_t>("rank")) return are_axes(found, expected, *rank);
  if (const auto* from = node.find<Dims>("from")) return is_shape(found, expected, *from);
  const Dims otherwise = node.integers("or", {}), any = node.integers("any", {});
  if (otherwise.empty() && any.empty()) return false;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (std::count(any.begin(), any.end(), static_cast<std::int64_t>(i)) != 0) continue;
    if (found[i] != expected[i] && (i >= otherwise.size() || found[i] != otherwise[i])) return false;
  }
  return true;
}

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
  if (other && !is_another_form(call.node, *found, expected))
    return call.error(call.node.text("what", "the model was made for other numbers"), describe(*found),
                      describe(expected));
  return same_bytes(call, *call.in(0).type.dims);
}

}  // namespace byoc::evaluate
