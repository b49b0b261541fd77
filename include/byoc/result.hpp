// Result<T>: a value, or a failure that has already been told to a Diagnostics.
#pragma once

#include <cassert>
#include <optional>
#include <utility>

namespace byoc {

// Returned by a function that has reported at least one error.
struct Failure {};
inline constexpr Failure failure{};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(Failure) {}                             // NOLINT(google-explicit-constructor)
  Result(T value) : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor)
  [[nodiscard]] explicit operator bool() const { return value_.has_value(); }
  [[nodiscard]] T& operator*() {
    assert(value_);
    return *value_;
  }
  [[nodiscard]] const T& operator*() const {
    assert(value_);
    return *value_;
  }
  [[nodiscard]] T* operator->() {
    assert(value_);
    return &*value_;
  }
  [[nodiscard]] const T* operator->() const {
    assert(value_);
    return &*value_;
  }

 private:
  std::optional<T> value_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Failure) : ok_(false) {}  // NOLINT(google-explicit-constructor)
  [[nodiscard]] explicit operator bool() const { return ok_; }

 private:
  bool ok_ = true;
};

}  // namespace byoc
