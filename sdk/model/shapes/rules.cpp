#include "sdk/model/shapes/rules.hpp"

namespace byoc::shapes {
namespace {

// In the order of the registry.
#define OPERATOR(domain, name, since, arity, traits, macs, rule, evaluator) rule,
constexpr Rule kRules[] = {
#include "sdk/model/ir/operators.inc"
};
#undef OPERATOR

}  // namespace

Rule rule_of(const ir::Operator& op) { return kRules[&op - ir::operators().data()]; }

}  // namespace byoc::shapes
