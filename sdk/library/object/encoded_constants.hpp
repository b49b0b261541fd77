// Constants in an object that something else than byoc wrote: a compiler, or a command of the user's.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "byoc/target.hpp"
#include "sdk/base/support/diagnostics.hpp"
#include "sdk/library/object/constant_object.hpp"

namespace byoc {

// `promised` as it is in `object`, which must be of `target` and hold every constant as byoc itself would have written
// it: the same global symbols and no others, in sections of the same names and flags, one for each content, at least as
// aligned, with the same bytes and no relocation. `who` is for diagnostics. Symbols without type and size get theirs,
// for objcopy cannot give a symbol a size, and the ELF header the target's flags; on bare metal the stack note goes
// (stack_note.hpp). Errors: everything that differs.
[[nodiscard]] Result<ConstantObject> take_encoded(const ConstantObject& promised, std::vector<std::byte> object,
                                                  const TargetSpec& target, const std::string& who, Diagnostics&);

}  // namespace byoc
