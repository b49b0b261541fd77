// LLVM 19 compares vectors of floats with a number by MVE's "less than" and "less or equal", which are true where an
// element is a NaN, for comparisons that are not to be. With the vector of that number it takes "greater than".
#pragma once

#include "byoc/target.hpp"

namespace clang {
class CodeGenOptions;
}

namespace byoc {

// For a target with MVE: makes such comparisons use a vector that LLVM does not recognise as a splat, once everything
// is optimised. All code generation for the target needs this.
void mend_mve_comparisons(const TargetSpec& target, clang::CodeGenOptions& options);
// As above, for a target that is known to have MVE.
void mend_mve_comparisons(clang::CodeGenOptions& options);

}  // namespace byoc
