#pragma once

#include "sdk/model/import/tflite/model.hpp"

namespace byoc::tflite {

// A damaged model can name one long vector many times. The bytes that are copied must be in proportion to the file; an
// error if they are not.
[[nodiscard]] bool is_in_proportion(const Model&, Diagnostics&);

}  // namespace byoc::tflite
