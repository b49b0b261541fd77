#pragma once

#include "sdk/import/tflite/model.hpp"

namespace byoc::tflite {

// A damaged model can name one long vector from everywhere. What is copied must be in proportion to the file; error
// where it is not.
[[nodiscard]] bool is_in_proportion(const Model&, Diagnostics&);

}  // namespace byoc::tflite
