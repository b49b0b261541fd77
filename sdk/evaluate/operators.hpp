// Every operator the evaluator knows.
#pragma once

#include <span>
#include <string_view>

#include "sdk/evaluate/call.hpp"

namespace byoc::evaluate {

inline constexpr std::size_t kAny = SIZE_MAX;

struct Operator {
  std::string_view domain;
  std::string_view op;
  std::size_t least_inputs;  // these are given whenever the function runs
  std::size_t most_inputs;
  std::size_t most_outputs;
  Outcome (*function)(const Call&);
};

// Ordered by domain and name.
[[nodiscard]] std::span<const Operator> operators();
// Null for an operator that is not in the table.
[[nodiscard]] const Operator* find_operator(std::string_view domain, std::string_view op);

Outcome add(const Call&);
Outcome average_pool(const Call&);
Outcome conv(const Call&);
Outcome fully_connected(const Call&);
Outcome relu(const Call&);
Outcome reshape(const Call&);
Outcome softmax(const Call&);

}  // namespace byoc::evaluate
