// Every operator the evaluator knows: the functions that the registry's rows name.
#pragma once

#include "sdk/model/evaluate/call.hpp"
#include "sdk/model/ir/operators.hpp"

namespace byoc::evaluate {

using Function = Outcome (*)(const Call&);

// The function that computes an operator of the registry. Its caller passes numbers of inputs and outputs that the
// operator may have; the first `least_inputs` are present.
[[nodiscard]] Function function_of(const ir::Operator&);

#define OPERATOR(domain, name, since, arity, traits, macs, rule, evaluator) Outcome evaluator(const Call&);
#include "sdk/model/ir/operators.inc"
#undef OPERATOR

}  // namespace byoc::evaluate
