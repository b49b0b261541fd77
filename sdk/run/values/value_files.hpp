// Values of a run as files: docs/formats.md has what is where.
#pragma once

#include <span>
#include <string>

#include "byoc/vm.hpp"
#include "sdk/base/support/output_set.hpp"

namespace byoc {

// output_0.raw, output_1.raw ... in `directory`, or .npy, as `form` says; of a sequence or an optional output_0/0.raw
// ... with an index.json; of strings output_0.json. outputs.json says the name, type and dims of each.
Result<void> add_values(const std::string& directory, std::span<const HostValue> values,
                        std::span<const ValueInfo> outputs, const std::string& form, OutputSet& files);

// "f32[3,2]", "sequence of 2"
[[nodiscard]] std::string type_text(const HostValue& value);

}  // namespace byoc
