// Every operator whose types we infer: the shape rules that the registry's rows name.
#pragma once

#include "sdk/model/ir/operators.hpp"
#include "sdk/model/shapes/inference.hpp"

namespace byoc::shapes {

using Rule = Result<void> (*)(const Inference&);

// The shape rule of an operator of the registry.
[[nodiscard]] Rule rule_of(const ir::Operator&);

#define OPERATOR(domain, name, since, arity, traits, macs, rule, evaluator) Result<void> rule(const Inference&);
#include "sdk/model/ir/operators.inc"
#undef OPERATOR

}  // namespace byoc::shapes
