// Sequences, optionals and strings of a model that has tensors, counts and flags in their place.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "byoc/interface.hpp"
#include "byoc/vm.hpp"

namespace byoc {

// The model's own inputs, or outputs, in their order, with the tensors that each consists of: a tensor of numbers is
// one tensor.
[[nodiscard]] std::vector<BoundedValue> own_values(const ModelInterface&, bool outputs);
// The value's type as the model has it.
[[nodiscard]] ValueInfo info_of(const ModelInterface&, const BoundedValue&);

// Writes the bytes of all tensors that `value` becomes into `buffers`, which has one for each input. Errors: it has
// more elements, longer strings or other shapes than there is room for.
Result<void> spread_value(const ModelInterface&, const BoundedValue&, const HostValue& value,
                          std::span<std::vector<std::byte>> buffers, Diagnostics&);
// The value that these outputs are, `dims` and `buffers` of one run. Error: a count is out of range.
Result<HostValue> gather_value(const ModelInterface&, const BoundedValue&,
                               std::span<const std::vector<std::int64_t>> dims,
                               std::span<const std::vector<std::byte>> buffers, Diagnostics&);

// All outputs of one run as the model has them.
Result<std::vector<HostValue>> own_outputs(const ModelInterface&, std::span<const std::vector<std::int64_t>> dims,
                                           std::span<const std::vector<std::byte>> buffers, Diagnostics&);
[[nodiscard]] bool has_bounded(const ModelInterface&, bool outputs);

}  // namespace byoc
