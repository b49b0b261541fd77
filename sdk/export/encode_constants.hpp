// Makes an object of constants. byoc writes it itself, or another tool does and must give the same.
#pragma once

#include <vector>

#include "byoc/options.hpp"
#include "sdk/base/support/diagnostics.hpp"
#include "sdk/library/compile/compiler.hpp"
#include "sdk/library/object/constant_object.hpp"
#include "sdk/library/pack/package.hpp"
#include "sdk/target/module/module.hpp"

namespace byoc {

// The encoder: the C compiler of `choice`, or `function` if it is not empty.
struct EncodingTools {
  CompilerChoice choice;
  CompileFunction function = {};
};

// The constants of a library as one object, made as `encoding` says. Whatever made it, the object is read back and
// compared with what byoc would have written. Errors: those of ConstantObject::create and take_encoded; a compiler that
// does not know #embed; a temporary folder whose name cannot stand in a source; those of pack_imports; what the
// compiler says.
[[nodiscard]] Result<ConstantObject> encode_constants(const TargetSpec&, const std::vector<ConstantArtifact>&,
                                                      const ConstantEncoding&, const EncodingTools&, Diagnostics&);

// True if the pack writes the ELF itself, without a compiler or command.
[[nodiscard]] bool is_left_to_pack(const ConstantEncoding&);

// Encodes the constants among `members`, if that is not left to the pack.
Result<void> encode_members(std::vector<LibraryMember>& members, const TargetSpec&, const ConstantEncoding&,
                            const EncodingTools&, Diagnostics&);

}  // namespace byoc
