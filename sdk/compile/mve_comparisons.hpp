// LLVM 19 compares vectors of floats with a number by MVE's "less than" and "less or equal", which are true where an
// element is a NaN, for comparisons that are not to be. With the vector of that number it takes "greater than".
#pragma once

namespace llvm {
class PassBuilder;
}

namespace byoc {

// Has such comparisons use a vector that LLVM does not know to be one number, once everything is optimised.
void mend_mve_comparisons(llvm::PassBuilder& passes);

}  // namespace byoc
