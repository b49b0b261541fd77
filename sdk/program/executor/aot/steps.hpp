// The calls of a model's steps, as text. Internal to this folder.
#pragma once

#include <cstddef>
#include <set>
#include <string>

#include "sdk/program/executor/aot/calls.hpp"
#include "sdk/program/executor/executor.hpp"

namespace byoc::executor {

// Compilers take longer than linear for a long function: calls are in functions of so many each.
constexpr std::size_t kStepsOfPart = 256;

class StepWriter {
 public:
  // `tapped`: as of root_text(). All of them have to outlive the writer.
  StepWriter(const PrintRequest& request, const CallWriter& writer, const std::set<std::size_t>& tapped)
      : request_(request), writer_(writer), tapped_(tapped) {}

  [[nodiscard]] std::size_t count() const { return request_.program.main.calls.size(); }

  // The call of a step with the hooks around it, in a function that has its operands and `status`.
  [[nodiscard]] std::string text(std::size_t step) const;

 private:
  const PrintRequest& request_;
  const CallWriter& writer_;
  const std::set<std::size_t>& tapped_;
};

}  // namespace byoc::executor
