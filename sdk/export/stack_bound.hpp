// The stack that a library takes at most, by the call graph of its objects.
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "byoc/sizes.hpp"
#include "sdk/base/support/diagnostics.hpp"
#include "sdk/library/object/stack_use.hpp"
#include "sdk/library/pack/package.hpp"

namespace byoc {

// The bytes that a function of the C library or of the compiler's own may take, whatever it calls: memory functions,
// helpers of the compiler such as __aeabi_fmul, functions of <math.h>. 0: it is none of these.
[[nodiscard]] std::uint64_t stack_allowance(const std::string& function);

// The deepest chain of calls from the global functions of objects[root] whose names start with `prefix`. A function
// that no object has gets its allowance. No bound: a chain has a function whose frame is not known, or that calls
// itself, or one without an allowance. `data`: symbols that are no functions.
[[nodiscard]] StackBound bound_of_calls(std::span<const std::vector<FunctionStack>> objects, std::size_t root,
                                        const std::string& prefix, const std::set<std::string>& data = {});

// The bound of a compiled package; nothing at all for a target whose code is not read.
[[nodiscard]] Result<StackBound> stack_bound(const Package& package, Diagnostics& diags);

}  // namespace byoc
