// Constants as globals of an LLVM module.
#pragma once

#include <vector>

#include "sdk/library/object/constant_object.hpp"

namespace byoc {

// Bitcode of a module without triple, for compile_llvm_module(): one constant array of bytes for each content, and
// aliases of it for further symbols. A large content (SHF_X86_64_LARGE) has no section of its own: the code generator
// of the medium code model finds it.
[[nodiscard]] std::vector<std::byte> write_llvm_constants(const ConstantObject&);

}  // namespace byoc
