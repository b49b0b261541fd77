#include "sdk/model/evaluate/operators.hpp"

namespace byoc::evaluate {
namespace {

// The evaluators in the order of the registry.
#define OPERATOR(domain, name, since, arity, traits, macs, rule, evaluator) evaluator,
constexpr Function kEvaluators[] = {
#include "sdk/model/ir/operators.inc"
};
#undef OPERATOR

}  // namespace

Function function_of(const ir::Operator& op) { return kEvaluators[&op - ir::operators().data()]; }

}  // namespace byoc::evaluate
