// Prints the outputs and times of `byoc run`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "byoc/interface.hpp"
#include "byoc/run.hpp"
#include "byoc/vm.hpp"
#include "sdk/base/support/diagnostics.hpp"

namespace byoc::cli {

// Output number `i` of all runs, with the dims that it has there.
[[nodiscard]] IoTensor output_of(const ModelInterface& model, const RunResult& result, std::size_t i);
[[nodiscard]] IoTensor as_tensor(const std::string& name, const HostValue& value);
// The type of an output and how it starts; of a sequence or an optional also what it holds.
void show_value(const std::string& name, const HostValue& value);
// The outputs of one of the runs, sequences, optionals and strings as the model has them.
[[nodiscard]] Result<std::vector<HostValue>> outputs_of_run(const ModelInterface& model, const RunResult& result,
                                                            std::size_t run, Diagnostics& diags);
// Shows all outputs, with a line for each run if there are several.
void show_outputs(const ModelInterface& model, const RunResult& result);
// Shows the largest elements of a tensor with their indices, the largest first; of equal ones the first.
void show_top(const IoTensor& tensor, std::span<const std::byte> bytes, std::size_t most);
// Shortest, median, mean and longest of them, in nanoseconds.
void show_times(std::vector<std::uint64_t> times);

}  // namespace byoc::cli
