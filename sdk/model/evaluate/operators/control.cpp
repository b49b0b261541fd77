// If, Loop and Scan as ONNX defines them: the bodies are run as graphs of their own.
#include <algorithm>
#include <cstring>

#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/ranks.hpp"
#include "sdk/model/ir/control.hpp"

namespace byoc::evaluate {
namespace {

using Tensors = std::vector<Tensor>;

// One element of type i64 or bool, in the shape the body gives its input.
template <class T>
Tensor single_element(const ir::Graph& body, std::size_t input, DType dtype, T value) {
  Tensor t;
  t.type.dtype = dtype;
  t.type.dims.emplace();
  const auto& stated = body.values[body.inputs[input]].type.dims;
  if (stated && stated->size() == 1) t.type.dims = Dims{1};
  std::vector<std::byte> bytes(sizeof(T));
  std::memcpy(bytes.data(), &value, sizeof(T));
  t.bytes = Blob::own(std::move(bytes));
  return t;
}

Result<bool> condition(const Call& call, const Tensor& t, const std::string& what) {
  if (!t.type.is_tensor() || t.type.dtype != DType::boolean || t.bytes.size() != 1)
    return call.error(what + " is not one truth value", describe(t), "bool[]");
  return *t.bytes.data() != std::byte{0};
}

Result<Tensors> run_body(const Call& call, const ir::Graph& body, const Tensors& arguments) {
  return run(body, arguments, call.diagnostics());
}

// Slice `index` along `axis`, without that axis.
Tensor slice(const Tensor& from, std::size_t axis, std::int64_t index) {
  Dims dims = *from.type.dims;
  if (is_text(from)) {
    const Tensor* operand[] = {&from};
    const Ranks ranks(operand);
    return ranks.text(slice(ranks.rank(from), axis, index));
  }
  const std::size_t element = bit_width(from.type.dtype) / 8;
  std::size_t inner = element;
  std::size_t outer = 1;
  for (std::size_t d = 0; d < dims.size(); ++d)
    (d < axis ? outer : inner) *= d == axis ? 1 : static_cast<std::size_t>(dims[d]);
  const auto length = static_cast<std::size_t>(dims[axis]);
  std::vector<std::byte> bytes(outer * inner);
  for (std::size_t o = 0; o < outer && inner != 0; ++o)
    std::memcpy(bytes.data() + o * inner, from.bytes.data() + (o * length + static_cast<std::size_t>(index)) * inner,
                inner);
  dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(axis));
  Tensor out{from.type, Blob::own(std::move(bytes))};
  out.type.dims = std::move(dims);
  return out;
}

Result<Tensor> stack(const Call&, const Tensors&, const ir::TensorType&, std::int64_t, std::size_t);

Result<Tensor> stack_texts(const Call& call, const Tensors& slices, const ir::TensorType& like, std::int64_t axis,
                           std::size_t output) {
  std::vector<const Tensor*> operands;
  for (const Tensor& t : slices) operands.push_back(&t);
  const Ranks ranks(operands);
  Tensors numbers;
  for (const Tensor& t : slices) numbers.push_back(ranks.rank(t));
  ir::TensorType type = like;
  type.dtype = kRank;
  auto y = stack(call, numbers, type, axis, output);
  if (!y) return failure;
  return ranks.text(*y);
}

// Slices put together along a new axis. `like` tells the type where there are none.
Result<Tensor> stack(const Call& call, const Tensors& slices, const ir::TensorType& like, std::int64_t axis_given,
                     std::size_t output) {
  const ir::TensorType& one = slices.empty() ? like : slices[0].type;
  if (!one.is_tensor()) return call.error("only tensors can be stacked", to_string(one, call.graph), "a tensor");
  const bool texts = std::all_of(slices.begin(), slices.end(), is_text);
  if (one.is_shaped() && one.dtype == DType::string && texts) return stack_texts(call, slices, one, axis_given, output);
  if (!one.is_static()) return call.error("the type of what it stacks is not known");
  Dims dims = *one.dims;
  auto axis = call.axis(axis_given, dims.size() + 1);
  if (!axis) return failure;
  for (const Tensor& t : slices)
    if (t.type.dims != one.dims || t.type.dtype != one.dtype)
      return call.error("the rounds give slices of different types", describe(t), describe(slices[0]));
  const std::size_t element = bit_width(one.dtype) / 8;
  std::size_t inner = element;
  std::size_t outer = 1;
  for (std::size_t d = 0; d < dims.size(); ++d) (d < *axis ? outer : inner) *= static_cast<std::size_t>(dims[d]);
  dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(*axis), static_cast<std::int64_t>(slices.size()));
  auto y = call.allocate(one.dtype, std::move(dims), output);
  if (!y) return failure;
  for (std::size_t s = 0; s < slices.size() && inner != 0; ++s)
    for (std::size_t o = 0; o < outer; ++o)
      std::memcpy(y->bytes.data() + (o * slices.size() + s) * inner, slices[s].bytes.data() + o * inner, inner);
  return std::move(*y).finish();
}

// Carried values, then the stacks.
Outcome results(const Call& call, const ir::LoopForm& form, Tensors carried, const std::vector<Tensors>& stacks,
                const std::vector<std::int64_t>& axes) {
  for (std::size_t k = 0; k < form.stacked; ++k) {
    const ir::ValueId like = form.body->outputs[form.first_output + form.carried + k];
    auto y = stack(call, stacks[k], form.body->values[like].type, axes[k], form.carried + k);
    if (!y) return failure;
    carried.push_back(std::move(*y));
  }
  return carried;
}

// The body's outputs from `first` on become the carried values; the rest go onto the stacks.
Result<void> take_round(const Call& call, const ir::LoopForm& form, Tensors out, Tensors& carried,
                        std::vector<Tensors>& stacks) {
  for (std::size_t k = 0; k < form.carried; ++k) {
    Tensor& next = out[form.first_output + k];
    const ir::TensorType& stated = form.body->values[form.body->inputs[form.first_input + k]].type;
    const bool same = next.type.dtype == carried[k].type.dtype && next.type.dims == carried[k].type.dims;
    if (stated.is_static() ? !same : next.type.dtype != carried[k].type.dtype)
      return call.error("carried value " + std::to_string(k) + " changes its type from round to round", describe(next),
                        describe(carried[k]));
    next.type.quantisation = carried[k].type.quantisation;
    carried[k] = std::move(next);
  }
  for (std::size_t k = 0; k < form.stacked; ++k)
    stacks[k].push_back(std::move(out[form.first_output + form.carried + k]));
  return {};
}

Tensors inputs_between(const Call& call, std::size_t first, std::size_t count) {
  Tensors out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(call.in(first + i));
  return out;
}

void append(Tensors& to, const Tensors& from) { to.insert(to.end(), from.begin(), from.end()); }

}  // namespace

Outcome if_else(const Call& call) {
  if (!ir::check_control(call.graph, call.node, call.diagnostics())) return failure;
  auto taken = condition(call, call.in(0), "the condition");
  if (!taken) return failure;
  return run_body(call, *ir::body_of(call.node, *taken ? "then_branch" : "else_branch"),
                  inputs_between(call, 1, call.count() - 1));
}

Outcome loop(const Call& call) {
  if (!ir::check_control(call.graph, call.node, call.diagnostics())) return failure;
  const ir::LoopForm form = ir::loop_form(call.node);
  std::int64_t trips = INT64_MAX;
  if (call.find(0) != nullptr) {
    auto given = call.integers(0);
    if (!given) return failure;
    if (given->size() != 1) return call.error("the trip count is not one number", describe(call.in(0)), "i64[]");
    trips = (*given)[0];
  }
  bool again = true;
  if (call.find(1) != nullptr) {
    auto given = condition(call, call.in(1), "the condition");
    if (!given) return failure;
    again = *given;
  }
  Tensors carried = inputs_between(call, form.first_input, form.carried);
  const Tensors captures = inputs_between(call, form.first_capture(), form.captures);
  std::vector<Tensors> stacks(form.stacked);
  for (std::int64_t i = 0; i < trips && again; ++i) {
    Tensors arguments = {single_element(*form.body, 0, DType::i64, i),
                         single_element(*form.body, 1, DType::boolean, true)};
    append(arguments, carried);
    append(arguments, captures);
    auto out = run_body(call, *form.body, arguments);
    if (!out) return failure;
    auto go_on = condition(call, (*out)[0], "the condition that the body gives");
    if (!go_on || !take_round(call, form, std::move(*out), carried, stacks)) return failure;
    again = *go_on;
  }
  return results(call, form, std::move(carried), stacks, std::vector<std::int64_t>(form.stacked, 0));
}

Outcome scan(const Call& call) {
  if (!ir::check_control(call.graph, call.node, call.diagnostics())) return failure;
  const ir::LoopForm form = ir::loop_form(call.node);
  auto option = [&](const char* name, std::size_t count) {
    auto list = call.node.integers(name, {});
    list.resize(count, 0);
    return list;
  };
  const auto axes = option("scan_input_axes", form.scanned);
  const auto backwards = option("scan_input_directions", form.scanned);
  const auto output_axes = option("scan_output_axes", form.stacked);
  const auto output_backwards = option("scan_output_directions", form.stacked);
  Tensors carried = inputs_between(call, 0, form.carried);
  const Tensors scanned = inputs_between(call, form.carried, form.scanned);
  const Tensors captures = inputs_between(call, form.first_capture(), form.captures);
  std::vector<std::size_t> axis;
  std::int64_t rounds = 0;
  for (std::size_t k = 0; k < form.scanned; ++k) {
    if (!scanned[k].type.is_tensor()) return call.error("only tensors can be scanned", describe(scanned[k]));
    auto a = call.axis(axes[k], scanned[k].type.dims->size());
    if (!a) return failure;
    axis.push_back(*a);
    const std::int64_t length = (*scanned[k].type.dims)[*a];
    if (k != 0 && length != rounds)
      return call.error("the scanned inputs have different lengths", std::to_string(length), std::to_string(rounds));
    rounds = length;
  }
  std::vector<Tensors> stacks(form.stacked);
  for (std::int64_t i = 0; i < rounds; ++i) {
    Tensors arguments = carried;
    for (std::size_t k = 0; k < form.scanned; ++k)
      arguments.push_back(slice(scanned[k], axis[k], backwards[k] != 0 ? rounds - 1 - i : i));
    append(arguments, captures);
    auto out = run_body(call, *form.body, arguments);
    if (!out || !take_round(call, form, std::move(*out), carried, stacks)) return failure;
  }
  for (std::size_t k = 0; k < form.stacked; ++k)
    if (output_backwards[k] != 0) std::reverse(stacks[k].begin(), stacks[k].end());
  return results(call, form, std::move(carried), stacks, output_axes);
}

}  // namespace byoc::evaluate
