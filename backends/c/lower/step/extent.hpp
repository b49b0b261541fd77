// Lengths, steps and counts of elements as C has them: numbers, or products of what a step is given when it runs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "byoc/codegen.hpp"

namespace byoc::c {

// factor * atoms: an integer, and C expressions of integers that stand for themselves ("dims[2]").
class Extent {
 public:
  Extent(std::int64_t number = 0) : number_(number) {}  // NOLINT(google-explicit-constructor): a number is one
  // `atom`: an expression that can be a factor as it stands.
  static Extent expression(std::string atom) {
    Extent out(1);
    out.atoms_.push_back(std::move(atom));
    return out;
  }

  [[nodiscard]] bool is_known() const { return atoms_.empty(); }
  [[nodiscard]] std::int64_t known() const { return number_; }  // is_known() only
  // A C expression that can be a factor or a term: "12", "dims[0] * 4".
  [[nodiscard]] std::string text() const;

  Extent& operator*=(const Extent& other);
  friend Extent operator*(Extent a, const Extent& b) { return a *= b; }
  // Two products that are written alike; others may have the same value in a run.
  friend bool operator==(const Extent&, const Extent&) = default;

 private:
  std::int64_t number_;
  std::vector<std::string> atoms_ = {};  // in order
};

// A sum as one factor.
[[nodiscard]] Extent operator+(const Extent& a, const Extent& b);
inline Extent& operator+=(Extent& a, const Extent& b) { return a = a + b; }

class Extents : public std::vector<Extent> {
 public:
  using std::vector<Extent>::vector;
  Extents(const std::vector<std::int64_t>& numbers)  // NOLINT(google-explicit-constructor): as of a single one
      : std::vector<Extent>(numbers.begin(), numbers.end()) {}
};

// True if some dims of the value are given to the step at run time.
[[nodiscard]] bool is_open(const codegen::Value& value);
// Dims as values of a region have them.
[[nodiscard]] Extent extent(std::int64_t dim);
[[nodiscard]] Extents extents(std::span<const std::int64_t> dims);
[[nodiscard]] Extents extents(const codegen::Value& value);
// `count` of them: what is not there yet comes first, as `with`.
[[nodiscard]] Extents filled_in_front(Extents list, std::size_t count, const Extent& with);
[[nodiscard]] Extent elements(const codegen::Value& value);

}  // namespace byoc::c
