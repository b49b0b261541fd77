// Transfers the results of runs by an executor that interprets from the process of the runs. Internal to this folder.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "byoc/vm.hpp"
#include "sdk/app/api/host/host_runs.hpp"
#include "sdk/base/support/message.hpp"

namespace byoc::api {

// Values of inputs.
void put_values(std::span<const HostValue> values, MessageWriter& message);
[[nodiscard]] std::vector<HostValue> get_values(MessageReader& message);

void put_answer(const HostResults& answer, MessageWriter& message);
// Nullopt if the message is no answer; each tensor of an answer has as many bytes as its type and dims say.
[[nodiscard]] std::optional<HostResults> read_answer(std::string_view message);

}  // namespace byoc::api
