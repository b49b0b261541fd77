// Constants that the user's own tool makes an object of.
#pragma once

#include "byoc/options.hpp"
#include "sdk/base/support/diagnostics.hpp"
#include "sdk/library/object/constant_object.hpp"

namespace byoc {

// Calls the function or runs the command of `encoding`, which must have one, and compares what it made with `promised`.
// docs/formats.md says what a command is given. Errors: a command with an open quote or without {constants} or
// {output}, a program that is not there, one that fails (with its exit code and what it said), no object, those of
// take_encoded.
[[nodiscard]] Result<ConstantObject> pack_imports(const ConstantObject& promised, const TargetSpec&,
                                                  const ConstantEncoding& encoding, Diagnostics&);

}  // namespace byoc
