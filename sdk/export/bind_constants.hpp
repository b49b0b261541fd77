// Constants that leave the library for a file of weights.
#pragma once

#include <string>

#include "sdk/base/support/diagnostics.hpp"
#include "sdk/codegen/codegen/compilation.hpp"
#include "sdk/program/plan/program.hpp"
#include "sdk/target/module/bound_constants.hpp"

namespace byoc {

// The place of each constant that moves, in the order in which they were made, independent of their values, because a
// library must not change when only weights change. The layout is a hash of these places, of all C that was made from
// the graph, of the program, and of the types and quantisation of the model's inputs and outputs: a changed number
// there (a zero point, a stride) is another layout, and so is another kernel. The scale of an input is in no code of
// the library, but in the program that quantises for it. Error: no constant moves.
[[nodiscard]] Result<BoundConstants> bind_constants(const plugin::Compilation& compilation,
                                                    const plan::Program& program, const std::string& prefix,
                                                    Diagnostics&);

// "kws_npu_0 and 2 more of codegen 'acme'": what stays in the library; "" for nothing.
[[nodiscard]] std::string constants_that_stay(const plugin::Compilation& compilation);

}  // namespace byoc
