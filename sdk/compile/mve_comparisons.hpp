// LLVM 19 compares vectors of floats with a number by MVE's "less than" and "less or equal", which are true where an
// element is a NaN, for comparisons that are not to be. With the vector of that number it takes "greater than".
#pragma once

#include "byoc/target.hpp"

namespace clang {
class CodeGenOptions;
}

namespace byoc {

// For a target with MVE: has such comparisons use a vector that LLVM does not know to be one number, once everything is
// optimised. Whatever generates code for the target needs this.
void mend_mve_comparisons(const TargetSpec& target, clang::CodeGenOptions& options);
// The same where the target is known to have MVE.
void mend_mve_comparisons(clang::CodeGenOptions& options);

}  // namespace byoc
