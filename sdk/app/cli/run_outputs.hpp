// Prints the outputs and times of `byoc run`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "byoc/interface.hpp"
#include "byoc/run.hpp"
#include "byoc/vm.hpp"
#include "sdk/base/support/diagnostics.hpp"
#include "sdk/run/values/labels.hpp"
#include "sdk/run/values/output_difference.hpp"

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

// The largest elements of outputs, with their indices and the names of their classes; of equal ones the first.
struct TopValues {
  std::optional<std::size_t> most = {};  // nothing: three of those that look like the classes of a classifier
  std::vector<Labels> labels = {};
  void show(const IoTensor& tensor, std::span<const std::byte> bytes) const;
};
// True for an output of the shape 1xN, N > 1, that has a name for each of its elements, or whose real values are from 0
// to 1 and have the sum 1, but for their rounding.
[[nodiscard]] bool has_classes(const IoTensor& tensor, std::span<const std::byte> bytes,
                               std::span<const Labels> labels);

// Values that nobody gives, for comparisons: random:1, but zeros of integers of 32 bits and more, which may be indices
// or numbers of rounds.
[[nodiscard]] std::vector<std::vector<std::byte>> made_inputs(const ModelInterface& model);
// Where outputs come from that are compared: "reference: ..." begins a line, errors name --reference.
struct OtherSide {
  std::string line, name;
};
// Shows the differences. Error: one is beyond the bound.
Result<void> report_differences(const OtherSide& other, const std::string& model,
                                const std::vector<OutputDifference>& differences, bool quiet, const Bound& bound,
                                Diagnostics& diags);
// Shortest, median, mean and longest of them, in nanoseconds.
void show_times(std::vector<std::uint64_t> times);

}  // namespace byoc::cli
