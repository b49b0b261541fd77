// If, Loop and Scan: the operands' types go into the bodies, the bodies' results come out.
#include "sdk/model/ir/control.hpp"
#include "sdk/model/shapes/control_flow.hpp"
#include "sdk/model/shapes/infer_shapes.hpp"
#include "sdk/model/shapes/rules.hpp"

namespace byoc::shapes {
namespace {

// Dims of one graph name symbols of that graph, so only tensor types without open dims cross into another graph.
// Sequences and optionals may have open dims.
bool all_closed(const Inference& call) {
  for (std::size_t i = 0; i < call.node.inputs.size(); ++i)
    if (const ir::TensorType* t = call.find(i); t != nullptr && t->is_tensor() && !t->is_shaped()) return false;
  return true;
}

// A sequence, an optional, or a tensor of strings.
bool is_no_number(const ir::TensorType& t) { return !t.is_tensor() || t.dtype == DType::string; }

// The type as another graph can have it.
ir::TensorType crossing(ir::TensorType t) {
  if (t.dims && !all_known(*t.dims)) t.dims.reset();
  return t;
}

std::string input_text(std::size_t i) { return "input " + std::to_string(i) + " of its body"; }

// Gives an input of a body its type; what the model states there must agree.
Result<void> give(const Inference& call, ir::Graph& body, std::size_t input, DType dtype, const Dims& dims) {
  ir::TensorType& t = body.values[body.inputs[input]].type;
  bool fits = t.dtype == DType::undefined || t.dtype == dtype;
  if (t.dims) {
    fits = fits && t.dims->size() == dims.size();
    for (std::size_t d = 0; fits && d < dims.size(); ++d) fits = ir::is_open((*t.dims)[d]) || (*t.dims)[d] == dims[d];
  }
  if (!fits)
    return call.error(input_text(input) + " is stated with another type than it gets", to_string(t, body),
                      std::string(byoc::to_string(dtype)) + call.text(dims));
  t.dtype = dtype;
  t.dims = dims;
  return {};
}

// An optional is given what it holds as well.
Result<void> give_held(const Inference& call, ir::Graph& body, std::size_t input, const ir::TensorType& type) {
  ir::TensorType& t = body.values[body.inputs[input]].type;
  const bool blank = t.dtype == DType::undefined && t.is_tensor() && !t.dims;
  const bool wraps = type.container == ir::Container::sequence && t.container == ir::Container::optional_sequence;
  if (!blank && ((t.container != type.container && !wraps) || (t.dtype != DType::undefined && t.dtype != type.dtype)))
    return call.error(input_text(input) + " is stated with another type than it gets", to_string(t, body),
                      to_string(type, call.graph));
  const ir::TensorType held = crossing(type);
  t.dtype = held.dtype;
  t.dims = held.dims;
  if (!wraps) t.container = held.container;
  return {};
}

Result<void> give(const Inference& call, ir::Graph& body, std::size_t input, const ir::TensorType& type) {
  if (!type.is_tensor()) return give_held(call, body, input, type);
  if (!give(call, body, input, type.dtype, *type.dims)) return failure;
  auto& to = body.values[body.inputs[input]].type;
  if (type.quantisation && !to.quantisation) to.quantisation = type.quantisation;
  return {};
}

Result<void> want_single(const Inference& call, std::size_t input, DType dtype, const char* what) {
  const ir::TensorType* t = call.find(input);
  if (t == nullptr) return {};
  if (t->is_tensor() && t->dtype == dtype && (!t->is_static() || t->elements() == 1)) return {};
  return call.error(std::string(what) + " is not a single " + std::string(byoc::to_string(dtype)), call.text(input),
                    std::string(byoc::to_string(dtype)) + "[]");
}

// An iteration number or a condition: scalar, or of one element where the body says so.
Result<void> give_single(const Inference& call, ir::Graph& body, std::size_t input, DType dtype) {
  const auto& stated = body.values[body.inputs[input]].type.dims;
  return give(call, body, input, dtype, stated && stated->size() == 1 ? Dims{1} : Dims{});
}

Result<void> give_captures(const Inference& call, const ir::LoopForm& form, ir::Graph& body) {
  for (std::size_t i = form.first_capture(); i < call.node.inputs.size(); ++i)
    if (!give(call, body, i, call.in(i))) return failure;
  return {};
}

Failure changes_type(const Inference& call, std::size_t k, const char* what, const std::string& found,
                     const std::string& expected) {
  return call.error("carried value " + std::to_string(k) + " changes its " + what + " from round to round", found,
                    expected);
}

// Gives an input of a body the type of what goes round: lengths that change (kUnknown) are open in it, and so is the
// whole shape where the rank changes.
Result<void> give_carried(const Inference& call, ir::Graph& body, std::size_t k, std::size_t input,
                          const ir::TensorType& type) {
  if (!type.is_tensor() || type.is_shaped()) return give(call, body, input, type);
  ir::Value& value = body.values[body.inputs[input]];
  ir::TensorType& to = value.type;
  bool fits = to.dtype == DType::undefined || to.dtype == type.dtype;
  if (to.dims) {
    fits = fits && type.dims && to.dims->size() == type.dims->size();
    for (std::size_t d = 0; fits && d < to.dims->size(); ++d)
      fits = ir::is_open((*to.dims)[d]) || (*to.dims)[d] == (*type.dims)[d];
  }
  if (!fits) return changes_type(call, k, "shape", "stated as " + to_string(to, body), "an open shape");
  to.dtype = type.dtype;
  if (!type.dims) return {};
  const Dims was = to.dims.value_or(Dims(type.dims->size(), kUnknown));
  to.dims = type.dims;
  for (std::size_t d = 0; d < was.size(); ++d) {
    ir::Dim& dim = (*to.dims)[d];
    if (dim != kUnknown) continue;
    dim = was[d];
    if (dim != kUnknown) continue;
    body.symbols.push_back((value.name.empty() ? "carried" + std::to_string(k) : value.name) + ".dim" +
                           std::to_string(d));
    dim = ir::symbol_dim(body.symbols.size() - 1);
  }
  return {};
}

// Opens the lengths that a round returns in another size, or in one that only a run tells. Returns true if there was
// one.
bool widen(ir::TensorType& carried, const ir::TensorType& out) {
  if (!carried.dims) return false;
  if (!out.dims || out.dims->size() != carried.dims->size()) {
    carried.dims.reset();
    return true;
  }
  bool widened = false;
  for (std::size_t d = 0; d < out.dims->size(); ++d) {
    ir::Dim& dim = (*carried.dims)[d];
    if (dim == kUnknown || dim == (*out.dims)[d]) continue;
    dim = kUnknown;
    widened = true;
  }
  return widened;
}

const ir::TensorType& carried_result(const ir::LoopForm& form, const ir::Graph& body, std::size_t k) {
  return body.values[body.outputs[form.first_output + k]].type;
}

// Infers the body from the types that go round and what else it is given. Where they may change (kOpenCarried), they
// are widened until a round changes nothing more, each time from the body as it was. The types that hold in all rounds.
template <class GiveOthers>
Result<std::vector<ir::TensorType>> infer_rounds(const Inference& call, const ir::LoopForm& form,
                                                 const GiveOthers& give_others) {
  std::vector<ir::TensorType> carried;
  for (std::size_t k = 0; k < form.carried; ++k) carried.push_back(call.in(form.first_input + k));
  const bool may_change = call.node.integer(kOpenCarried, 0) != 0;
  bool changed = false;  // from the body as it was to the body that holds in all rounds
  for (bool settled = false; !settled;) {
    ir::Graph copy;
    if (may_change) {
      copy = *form.body;
      ir::own_bodies(copy);
    }
    ir::Graph& body = may_change ? copy : *form.body;
    for (std::size_t k = 0; k < form.carried; ++k)
      if (!give_carried(call, body, k, form.first_input + k, carried[k])) return failure;
    if (!give_others(body)) return failure;
    const auto inferred = infer_shapes(body, call.diags);
    if (!inferred) return failure;
    changed = *inferred;
    settled = true;
    for (std::size_t k = 0; k < form.carried && may_change; ++k)
      if (carried[k].is_tensor() && widen(carried[k], carried_result(form, body, k))) settled = false;
    if (may_change && settled) *form.body = std::move(copy);
  }
  call.changed = call.changed || changed;
  return carried;
}

// A carried value has one type in all rounds.
Result<void> set_carried(const Inference& call, const ir::LoopForm& form, const std::vector<ir::TensorType>& carried) {
  for (std::size_t k = 0; k < form.carried; ++k) {
    const ir::TensorType& in = carried[k];
    const ir::TensorType& out = carried_result(form, *form.body, k);
    const bool known = out.dtype != DType::undefined;
    if (known && out.dtype != in.dtype && (is_no_number(in) || !in.is_shaped()))
      return changes_type(call, k, "element type", std::string(to_string(out.dtype)), std::string(to_string(in.dtype)));
    if (is_no_number(in)) {
      ir::TensorType type = crossing(known ? out : in);
      if (type.dims != in.dims) type.dims.reset();
      if (!call.give(k, type)) return failure;
      continue;
    }
    if (in.is_shaped() && out.is_static() && (out.dtype != in.dtype || out.dims != in.dims))
      return call.error("carried value " + std::to_string(k) +
                            " changes its type from round to round, which would be known only at run time",
                        to_string(out, *form.body), to_string(in, call.graph) + ", or --executor vm on a host");
    if (!call.give(k, in)) return failure;
  }
  return {};
}

std::optional<bool> constant_truth(const ir::Graph& graph, ir::ValueId v) {
  if (!graph.is_constant(v) || graph.values[v].type.dtype != DType::boolean) return std::nullopt;
  const auto bytes = graph.values[v].constant->bytes.bytes();
  if (bytes.size() != 1) return std::nullopt;
  return bytes[0] != std::byte{0};
}

// The number of rounds of the body, if it is known: a constant trip count, and a condition that never ends the loop.
std::optional<std::int64_t> trip_count(const Inference& call, const ir::LoopForm& form) {
  const auto given = call.constant(0);
  if (!given || given->size() != 1) return std::nullopt;
  if ((*given)[0] <= 0) return 0;
  const ir::ValueId start = call.node.input(1);
  if (start != ir::kNoValue) {
    const auto truth = constant_truth(call.graph, start);
    if (!truth) return std::nullopt;
    if (!*truth) return 0;
  }
  const ir::ValueId again = form.body->outputs[0];
  if (again == form.body->inputs[1]) return (*given)[0];
  const auto truth = constant_truth(*form.body, again);
  if (!truth) return std::nullopt;
  return *truth ? (*given)[0] : 1;
}

// Slices of a tensor are bytes of their own.
Result<void> whole_bytes(const Inference& call, const ir::TensorType& slice) {
  if (bit_width(slice.dtype) >= 8 || slice.dtype == DType::string) return {};
  return call.error("slices of elements of fewer than 8 bits are not supported", std::string(to_string(slice.dtype)),
                    "a Cast around the loop");
}

Result<void> set_stacked(const Inference& call, const ir::LoopForm& form, std::size_t k, std::size_t axis,
                         ir::Dim rounds) {
  const ir::TensorType& slice = form.body->values[form.body->outputs[form.first_output + form.carried + k]].type;
  if (!slice.is_tensor())
    return call.error("only tensors can be stacked", to_string(slice, *form.body), "a tensor of each round");
  if (!slice.is_shaped()) return {};
  if (!whole_bytes(call, slice)) return failure;
  Dims dims = *slice.dims;
  dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(axis), rounds);
  return call.set(form.carried + k, slice.dtype, std::move(dims));
}

}  // namespace

Result<void> if_else(const Inference& call) {
  if (!ir::check_control(call.graph, call.node, call.diags)) return failure;
  if (!want_single(call, 0, DType::boolean, "the condition")) return failure;
  if (will_choose(call.graph, call.node)) return {};
  if (!all_closed(call)) return {};
  const std::shared_ptr<ir::Graph> branches[] = {ir::body_of(call.node, "then_branch"),
                                                 ir::body_of(call.node, "else_branch")};
  for (const auto& body : branches) {
    for (std::size_t i = 1; i < call.node.inputs.size(); ++i)
      if (!give(call, *body, i - 1, call.in(i))) return failure;
    const auto inferred = infer_shapes(*body, call.diags);
    if (!inferred) return failure;
    call.changed = call.changed || *inferred;
  }
  for (std::size_t k = 0; k < call.node.outputs.size(); ++k) {
    const ir::TensorType& a = branches[0]->values[branches[0]->outputs[k]].type;
    const ir::TensorType& b = branches[1]->values[branches[1]->outputs[k]].type;
    if (a.dtype != DType::undefined && b.dtype != DType::undefined && (is_no_number(a) || is_no_number(b))) {
      if (a.dtype != b.dtype || a.container != b.container)
        return call.error("the branches give output " + std::to_string(k) + " different types",
                          to_string(a, *branches[0]), to_string(b, *branches[1]));
      ir::TensorType type = crossing(a);
      if (type.dims != b.dims) type.dims.reset();
      if (!call.give(k, type)) return failure;
      continue;
    }
    if (!a.is_static() || !b.is_static()) continue;
    // If the shapes differ, only a run tells the shape; the model must not state one.
    const ir::TensorType* stated = call.stated(k);
    if (a.dtype != b.dtype || (a.dims != b.dims && stated != nullptr && stated->is_static()))
      return call.error("the branches give output " + std::to_string(k) + " different types",
                        to_string(a, *branches[0]), to_string(b, *branches[1]));
    if (a.dims == b.dims ? !call.set(k, a.dtype, *a.dims) : !call.set_dtype(k, a.dtype)) return failure;
  }
  return {};
}

Result<void> loop(const Inference& call) {
  if (!ir::check_control(call.graph, call.node, call.diags)) return failure;
  const ir::LoopForm form = ir::loop_form(call.node);
  if (!want_single(call, 0, DType::i64, "the trip count") || !want_single(call, 1, DType::boolean, "the condition"))
    return failure;
  if (!all_closed(call)) return {};
  const auto carried = infer_rounds(call, form, [&](ir::Graph& body) -> Result<void> {
    if (!give_single(call, body, 0, DType::i64) || !give_single(call, body, 1, DType::boolean)) return failure;
    return give_captures(call, form, body);
  });
  if (!carried || !set_carried(call, form, *carried)) return failure;
  const ir::TensorType& again = form.body->values[form.body->outputs[0]].type;
  if (again.is_static() && (again.dtype != DType::boolean || again.elements() != 1))
    return call.error("the condition that its body gives is not a single bool", to_string(again, *form.body), "bool[]");
  const auto rounds = trip_count(call, form);
  for (std::size_t k = 0; k < form.stacked; ++k) {
    // Without a constant trip count, the length that the model states is used; the generated code checks it.
    const ir::TensorType* stated = call.stated(form.carried + k);
    if (rounds && !set_stacked(call, form, k, 0, *rounds)) return failure;
    if (!rounds && stated != nullptr && stated->dims && !stated->dims->empty() && is_known((*stated->dims)[0]) &&
        !set_stacked(call, form, k, 0, (*stated->dims)[0]))
      return failure;
  }
  return {};
}

Result<void> scan(const Inference& call) {
  if (!ir::check_control(call.graph, call.node, call.diags)) return failure;
  const ir::LoopForm form = ir::loop_form(call.node);
  const std::pair<const char*, std::size_t> lists[] = {{"scan_input_axes", form.scanned},
                                                       {"scan_input_directions", form.scanned},
                                                       {"scan_output_axes", form.stacked},
                                                       {"scan_output_directions", form.stacked}};
  for (const auto& [name, count] : lists)
    if (const std::size_t n = call.node.integers(name, {}).size(); n != 0 && n != count)
      return call.error("attribute " + std::string(name) + " has the wrong length", std::to_string(n),
                        std::to_string(count));
  for (const char* name : {"scan_input_directions", "scan_output_directions"})
    for (const std::int64_t direction : call.node.integers(name, {}))
      if (direction != 0 && direction != 1)
        return call.error("attribute " + std::string(name) + " has an unknown direction", std::to_string(direction),
                          "0 or 1");
  if (!all_closed(call)) return {};
  auto axis_of = [&](const char* name, std::size_t k) {
    const auto list = call.node.integers(name, {});
    return k < list.size() ? list[k] : 0;
  };
  ir::Dim rounds = 0;
  std::vector<ir::TensorType> slices;
  for (std::size_t k = 0; k < form.scanned; ++k) {
    const ir::TensorType& whole = call.in(form.carried + k);
    if (!whole.is_tensor()) return call.error("only tensors can be scanned", call.text(form.carried + k), "a tensor");
    if (!call.want_rank(form.carried + k, 1, kAny) || !whole_bytes(call, whole)) return failure;
    auto axis = call.axis(axis_of("scan_input_axes", k), whole.dims->size());
    if (!axis) return failure;
    const ir::Dim length = (*whole.dims)[*axis];
    if (k != 0 && length != rounds)
      return call.error("the scanned inputs have different lengths", std::to_string(length), std::to_string(rounds));
    rounds = length;
    ir::TensorType slice = whole;
    slice.dims->erase(slice.dims->begin() + static_cast<std::ptrdiff_t>(*axis));
    if (slice.quantisation && slice.quantisation->per_axis()) slice.quantisation.reset();
    slices.push_back(std::move(slice));
  }
  const auto carried = infer_rounds(call, form, [&](ir::Graph& body) -> Result<void> {
    for (std::size_t k = 0; k < form.scanned; ++k)
      if (!give(call, body, form.carried + k, slices[k])) return failure;
    return give_captures(call, form, body);
  });
  if (!carried || !set_carried(call, form, *carried)) return failure;
  for (std::size_t k = 0; k < form.stacked; ++k) {
    const ir::TensorType& slice = form.body->values[form.body->outputs[form.carried + k]].type;
    if (!slice.is_shaped()) continue;
    auto axis = call.axis(axis_of("scan_output_axes", k), slice.dims->size() + 1);
    if (!axis || !set_stacked(call, form, k, *axis, rounds)) return failure;
  }
  return {};
}

}  // namespace byoc::shapes
