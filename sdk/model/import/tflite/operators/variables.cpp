// VAR_HANDLE, READ_VARIABLE, ASSIGN_VARIABLE and CALL_ONCE. A variable is a state: a read gives its value at that point
// of the model, an assignment sets its value from there on. The values that the subgraph of CALL_ONCE assigns are the
// initial values of the states, also after a reset.
#include "sdk/model/import/tflite/variables.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {
namespace {

using Place = VariableScope::Place;

Result<Variable*> variable(OperatorImport& l) {
  const auto handle = l.variables().handles.find(l.input(0));
  if (handle == l.variables().handles.end()) return l.refuse("input 0 is not the handle of a variable");
  return &l.variables().all.at(handle->second);
}

// The state of the variable, which holds tensors of the type of `v`.
Result<ir::State*> state_of(OperatorImport& l, Variable& variable, ir::ValueId v) {
  ir::Graph& graph = l.graph();
  const ir::TensorType type = l.type(v);
  const auto differs = [&](const ir::TensorType& known) {
    const bool scales = known.dtype == type.dtype && known.dims == type.dims;
    return l.refuse("variable '" + variable.name + "' holds another type",
                    to_string(type, graph) + (scales ? " with another quantisation" : ""), to_string(known, graph));
  };
  if (variable.state == ir::kNoValue) {
    Blob initial;
    if (variable.initial) {
      // The bytes count: upstream does not look at the quantisation of what it copies.
      if (variable.initial->type.dtype != type.dtype || variable.initial->type.dims != type.dims)
        return differs(variable.initial->type);
      initial = variable.initial->bytes;
    }
    ir::Value value;
    value.name = variable.name;
    value.type = type;
    value.is_state = true;
    variable.state = graph.add_value(std::move(value));
    graph.states.push_back({variable.state, variable.state, std::move(initial)});
  } else if (graph.values[variable.state].type != type) {
    return differs(graph.values[variable.state].type);
  }
  for (ir::State& s : graph.states)
    if (s.value == variable.state) return &s;
  return failure;  // unreachable: the state has just been found or made
}

}  // namespace

Result<void> import_var_handle(OperatorImport& l) {
  auto options = l.options<schema::VarHandleOptions>();
  if (!options) return failure;
  if (l.variables().place == Place::body) return l.refuse("variables in the body of an operator are not supported");
  const auto text = [](const flatbuffers::String* s) { return s == nullptr ? std::string{} : s->str(); };
  l.variables().handles[l.output()] =
      l.variables().all.find_or_add(text((*options)->container()), text((*options)->shared_name()));
  return {};
}

Result<void> import_read_variable(OperatorImport& l) {
  if (!l.optional_options<schema::ReadVariableOptions>()) return failure;
  if (l.variables().place == Place::initialisation)
    return l.refuse("an initialisation that reads variables is not supported");
  auto v = variable(l);
  if (!v) return failure;
  auto state = state_of(l, **v, l.output());
  if (!state) return failure;
  l.node("Identity", {(*state)->next});
  return {};
}

Result<void> import_assign_variable(OperatorImport& l) {
  if (!l.optional_options<schema::AssignVariableOptions>()) return failure;
  auto v = variable(l);
  if (!v) return failure;
  const ir::ValueId x = l.input(1);
  if (l.variables().place == Place::initialisation) {
    if ((*v)->state != ir::kNoValue)
      return l.refuse("an initialisation behind operators that use the variable is not supported", (*v)->name);
    if (!l.value(x).constant) return l.refuse("the initial value of a variable must be constant", "a computed tensor");
    (*v)->initial = InitialValue{l.type(x), l.value(x).constant->bytes};
    return {};
  }
  auto state = state_of(l, **v, x);
  if (!state) return failure;
  (*state)->next = x;
  return {};
}

Result<void> import_call_once(OperatorImport& l) {
  auto options = l.options<schema::CallOnceOptions>();
  if (!options) return failure;
  if (l.variables().place != Place::model)
    return l.refuse("an initialisation inside another subgraph is not supported");
  auto assigned = l.initialisation((*options)->init_subgraph_index());
  if (!assigned) return failure;
  if (assigned->inputs.empty() && assigned->outputs.empty()) return {};
  return l.refuse("the subgraph of an initialisation has inputs or outputs",
                  std::to_string(assigned->inputs.size()) + " and " + std::to_string(assigned->outputs.size()), "none");
}

}  // namespace byoc::tflite
