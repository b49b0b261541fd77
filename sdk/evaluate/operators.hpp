// Every operator the evaluator knows: the functions that the registry's rows name.
#pragma once

#include "sdk/evaluate/call.hpp"
#include "sdk/ir/operators.hpp"

namespace byoc::evaluate {

using Function = Outcome (*)(const Call&);

// What computes an operator of the registry. It is called with numbers of inputs and outputs that the operator may
// have, of which the first `least_inputs` are given.
[[nodiscard]] Function function_of(const ir::Operator&);

#define OPERATOR(domain, name, since, arity, traits, macs, rule, evaluator) Outcome evaluator(const Call&);
#include "sdk/ir/operators.inc"
#undef OPERATOR

}  // namespace byoc::evaluate
