// Tensors that programs hand over, as a model wants them. Internal to this folder.
#pragma once

#include <cstdint>
#include <string>

#include "byoc/interface.hpp"
#include "byoc/rt/dlpack.h"
#include "sdk/base/support/diagnostics.hpp"

namespace byoc::runtime {

// The alignment of an element of the tensor, if the interface states none.
[[nodiscard]] std::uint32_t alignment_of(const IoTensor& tensor);

// The address of the first element. Errors: whatever is not as `expected`; `library` and the tensor's name are said.
[[nodiscard]] Result<void*> address_of(const byoc_dl_tensor_t* tensor, const IoTensor& expected,
                                       const std::string& library, Diagnostics&);

}  // namespace byoc::runtime
