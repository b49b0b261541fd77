// Transfers the results of runs by an executor that interprets from the process of the runs. Internal to this folder.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "byoc/vm.hpp"
#include "sdk/base/support/message.hpp"

namespace byoc::cli {

struct HostAnswer {
  std::vector<std::vector<HostValue>> results;  // by run, then by output
  std::vector<std::uint64_t> times;             // nanoseconds of each repetition
};

// Values of inputs.
void put_values(std::span<const HostValue> values, MessageWriter& message);
[[nodiscard]] std::vector<HostValue> get_values(MessageReader& message);

void put_answer(const HostAnswer& answer, MessageWriter& message);
// Nullopt if the message is no answer; each tensor of an answer has as many bytes as its type and dims say.
[[nodiscard]] std::optional<HostAnswer> read_answer(std::string_view message);

}  // namespace byoc::cli
