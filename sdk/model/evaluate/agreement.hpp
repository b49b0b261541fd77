// Compares computed results with the evaluator's: one rule for `byoc run --compare`, `byoc check-plugin` and the tests.
// The only deviations allowed are those that codegens state in their verdicts.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "byoc/codegen.hpp"
#include "byoc/target.hpp"
#include "sdk/model/evaluate/evaluate.hpp"

namespace byoc::evaluate {

// The exactness that a verdict states for the results of a node.
struct Closeness {
  codegen::Exactness exactness = codegen::Exactness::exact;
  double tolerance = 0;
};
[[nodiscard]] inline Closeness closeness(const codegen::Verdict& v) { return {v.exactness, v.tolerance}; }
// "exact", "within 1 LSB", "within 2 ULP", "within 0.0001 relative"
[[nodiscard]] std::string to_string(Closeness);

// The largest deviation that a tensor may have.
struct Allowance {
  double steps = 0;         // integers
  double ulps = 0;          // floats: units in the last place
  double relative = 0;      // floats: of max(1, |expected|), and of a tenth of the largest element
  double absolute = 0;      // floats
  bool not_finite = false;  // floats: where an infinity or NaN is expected, anything will do

  [[nodiscard]] bool is_exact() const { return steps == 0 && ulps == 0 && relative == 0 && absolute == 0; }
  // Adds the deviation of one more computation; an exact one adds nothing.
  void add(Closeness);
  void add(const Allowance&);
};
// "exactly", "within 1 LSB", "within 0.0001 relative and 3e-06"
[[nodiscard]] std::string to_string(const Allowance&);

// Converts the allowance `from` of values of type `in` to values of type `out` that are computed from them without
// error. Steps of a quantised type become that many scales of a float; an integer computed from inexact floats may be
// off by one.
[[nodiscard]] Allowance carried(const Allowance& from, const ir::TensorType& in, DType out);

// Settings of the comparison, besides the stated deviations.
struct Agreement {
  // The target's vectors flush denormal numbers: an element may also be what the evaluator makes of zeros instead.
  bool flushes = false;
  // For the tests of our own backends, which keep more than they state: a relative tolerance counts for small elements,
  // too, and infinities and NaN must match.
  bool strict = false;
};
[[nodiscard]] Agreement agreement_on(const TargetSpec& target);

// The first element that is off by more than is allowed.
struct Mismatch {
  std::size_t element = 0;
  std::size_t count = 0;  // how many there are
  std::size_t elements = 0;
  double found = 0;  // NaN where there is no such element
  double expected = 0;
};
// "element 3 of 12 is 5, expected 7"
[[nodiscard]] std::string to_string(const Mismatch&);

// Compares two tensors; nullopt if they agree. Equal numbers agree, and NaN with NaN; 4-bit elements and bools are
// compared as bytes. With `other`, of the same type as `expected`, each element may match its element instead.
[[nodiscard]] std::optional<Mismatch> mismatch(const Tensor& found, const Tensor& expected, const Allowance&,
                                               Agreement how = {}, const Tensor* other = nullptr);

}  // namespace byoc::evaluate
