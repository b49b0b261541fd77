// Options that newer versions of operators have.
#pragma once

#include <tflite_schema/schema_generated.h>
#include <optional>

namespace byoc::tflite {

// The number of an option that is set and that the schema does not have: what is left of the options' table beside what
// its known fields make.
[[nodiscard]] std::optional<int> unknown_option(const schema::Operator& op);

}  // namespace byoc::tflite
