#include "sdk/model/import/tflite/operator_import.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "byoc/flexbuffer.hpp"
#include "sdk/model/import/tflite/variables.hpp"

namespace byoc::tflite {
namespace {

// Nodes follow this operator set of ONNX, the first in which ReduceMean's axes and all of Pad's are inputs.
constexpr std::int64_t kOpset = 18;
constexpr std::int64_t kByocVersion = 1;

// The difference that upstream's kernels allow between the given scale and the one that they assume.
constexpr float kScaleTolerance = 1e-3f;

std::string text(const std::vector<ir::Dim>& dims) {
  std::string out = "[";
  for (std::size_t i = 0; i < dims.size(); ++i) out += (i == 0 ? "" : ",") + std::to_string(dims[i]);
  return out + "]";
}

std::string text(const Quantisation& q) {
  if (q.scales.size() != 1) return std::to_string(q.scales.size()) + " scales";
  char scale[32];
  std::snprintf(scale, sizeof scale, "%.9g", static_cast<double>(q.scales[0]));
  return "scale " + std::string(scale) + " and zero point " + std::to_string(q.zero_points[0]);
}

template <class T>
Blob blob_of(const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return Blob::own(std::move(bytes));
}

template <class T>
std::vector<std::int64_t> widened(const Blob& blob) {
  std::vector<T> narrow(blob.size() / sizeof(T));
  if (!narrow.empty()) std::memcpy(narrow.data(), blob.data(), narrow.size() * sizeof(T));
  return {narrow.begin(), narrow.end()};
}

}  // namespace

Failure OperatorImport::refuse(std::string message, std::string found, std::string expected) {
  return diags_.error(graph_.file, where_, std::move(message), std::move(found), std::move(expected));
}

Failure OperatorImport::wrong_options() {
  return refuse("the options are of another operator",
                "options number " + std::to_string(static_cast<int>(source_.builtin_options_type())));
}

std::string OperatorImport::describe(ir::ValueId v) const {
  const std::string& name = value(v).name;
  const std::string quoted = name.empty() ? "" : " '" + name + "'";
  for (std::size_t i = 0; i < inputs_.size(); ++i)
    if (inputs_[i] == v) return "input " + std::to_string(i) + quoted;
  for (std::size_t i = 1; i < outputs_.size(); ++i)
    if (outputs_[i] == v) return "output " + std::to_string(i) + quoted;
  return "the output" + quoted;
}

Result<void> OperatorImport::expect_dtype(ir::ValueId v, std::initializer_list<DType> allowed) {
  const DType found = type(v).dtype;
  if (std::find(allowed.begin(), allowed.end(), found) != allowed.end()) return {};
  std::string expected;
  for (const DType* t = allowed.begin(); t != allowed.end(); ++t)
    expected += (t == allowed.begin() ? "" : t + 1 == allowed.end() ? " or " : ", ") + std::string(to_string(*t));
  return refuse("unsupported element type of " + describe(v), std::string(to_string(found)), expected);
}

Result<void> OperatorImport::expect_rank(ir::ValueId v, std::size_t expected) {
  if (rank(v) == expected) return {};
  return refuse("unsupported shape of " + describe(v), text(dims(v)), std::to_string(expected) + " dimensions");
}

Result<void> OperatorImport::expect_dims(ir::ValueId v, const std::vector<ir::Dim>& expected) {
  const bool is_output = std::find(outputs_.begin(), outputs_.end(), v) != outputs_.end();
  if (is_output && (follows_ || (resizes() && rank(v) == expected.size()))) {
    if (!is_countable(type(v).dtype, expected))
      return refuse(describe(v) + " is too large, or has a negative dimension", text(expected));
    corrected_ = corrected_ || dims(v) != expected;
    graph_.values[v].type.dims = expected;
    given_.push_back(v);
    return {};
  }
  if (dims(v) == expected) return {};
  return refuse("the shape of " + describe(v) + " does not fit", text(dims(v)), text(expected));
}

bool OperatorImport::is_resized(ir::ValueId v) const {
  for (std::size_t d = 0; resizes() && d < rank(v); ++d)
    if (is_open(*resized_, v, d)) return true;
  return false;
}

Result<std::vector<ir::Dim>> OperatorImport::resized_like(ir::ValueId output, ir::ValueId v) {
  std::vector<ir::Dim> out = dims(output);
  std::optional<std::size_t> open;
  std::int64_t rest = 1;
  for (std::size_t d = 0; d < out.size(); ++d) {
    const bool is = resizes() && is_open(*resized_, output, d);
    if (is && open) return refuse("more than one dimension of " + describe(output) + " is computed");
    if (is)
      open = d;
    else if (__builtin_mul_overflow(rest, out[d], &rest))
      return refuse(describe(output) + " is too large");
  }
  if (open && rest > 0) out[*open] = static_cast<ir::Dim>(type(v).elements()) / rest;
  return out;
}

Result<void> OperatorImport::check_resized() {
  for (const ir::ValueId v : outputs_)
    if (is_resized(v) && type(v).dims && std::find(given_.begin(), given_.end(), v) == given_.end())
      return refuse("the shape of " + describe(v) + " does not follow from those of its inputs", text(dims(v)),
                    "no other length of an input than the model states");
  return {};
}

Result<void> OperatorImport::give_dims(ir::ValueId v, const std::vector<ir::Dim>& expected) {
  if (rank(v) == 0) graph_.values[v].type.dims = expected;
  return expect_dims(v, expected);
}

Result<void> OperatorImport::expect_activation(ir::ValueId v) {
  const ir::TensorType& t = type(v);
  if (t.dtype == DType::u8) return refuse("uint8 kernels are not supported: " + describe(v), "u8", "f32, i8 or i16");
  if (!expect_dtype(v, {DType::f32, DType::i8, DType::i16})) return failure;
  if (t.dtype == DType::f32) return {};
  if (!t.quantisation) return refuse(describe(v) + " has no quantisation", std::string(to_string(t.dtype)));
  if (t.quantisation->per_axis())
    return refuse(describe(v) + " is quantised per axis", text(*t.quantisation), "one scale");
  const std::int64_t zero_point = t.quantisation->zero_points[0];
  if (t.dtype == DType::i16 && zero_point != 0)
    return refuse("unsupported zero point of " + describe(v), std::to_string(zero_point), "0 for int16");
  if (t.dtype == DType::i8 && (zero_point < -128 || zero_point > 127))
    return refuse("unsupported zero point of " + describe(v), std::to_string(zero_point), "-128 to 127");
  return {};
}

Result<void> OperatorImport::expect_activations(ir::ValueId a, ir::ValueId b) {
  if (!expect_activation(a) || !expect_activation(b)) return failure;
  if (type(a).dtype == type(b).dtype) return {};
  return refuse("element types of " + describe(a) + " and " + describe(b) + " differ",
                std::string(to_string(type(a).dtype)) + " and " + std::string(to_string(type(b).dtype)));
}

Result<void> OperatorImport::expect_equal_quantisation(ir::ValueId a, ir::ValueId b) {
  const auto& qa = type(a).quantisation;
  const auto& qb = type(b).quantisation;
  if (qa == qb || !qa || !qb) return {};
  if (qa->scales.size() == 1 && qb->scales.size() == 1 && qa->zero_points == qb->zero_points &&
      std::abs(qa->scales[0] - qb->scales[0]) <= 1e-6f)
    return {};  // the tolerance of upstream's kernels, which then move the integers as they are
  return refuse("quantisation of " + describe(a) + " and " + describe(b) + " must be equal", text(*qa), text(*qb));
}

Result<void> OperatorImport::expect_quantisation(ir::ValueId v, float scale, std::int64_t zero_point) {
  const Quantisation& q = *type(v).quantisation;
  if (q.zero_points[0] == zero_point && std::abs(q.scales[0] - scale) <= scale * kScaleTolerance) return {};
  return refuse("unsupported quantisation of " + describe(v), text(q), text(Quantisation{{scale}, {zero_point}, -1}));
}

Result<void> OperatorImport::expect_quantised(ir::ValueId v, std::initializer_list<DType> allowed) {
  if (!expect_dtype(v, allowed)) return failure;
  const ir::TensorType& t = type(v);
  if (!t.quantisation) return refuse(describe(v) + " has no quantisation", std::string(to_string(t.dtype)));
  if (t.quantisation->per_axis())
    return refuse(describe(v) + " is quantised per axis", text(*t.quantisation), "one scale");
  const unsigned bits = bit_width(t.dtype);
  const bool is_unsigned = t.dtype == DType::u8;
  const std::int64_t low = is_unsigned ? 0 : -(std::int64_t{1} << (bits - 1));
  const std::int64_t high = low + (std::int64_t{1} << bits) - 1;
  const std::int64_t zero_point = t.quantisation->zero_points[0];
  if (zero_point >= low && zero_point <= high) return {};
  return refuse("unsupported zero point of " + describe(v), std::to_string(zero_point),
                std::to_string(low) + " to " + std::to_string(high));
}

Result<void> OperatorImport::expect_moved(ir::ValueId from, ir::ValueId to) {
  for (const ir::ValueId v : {from, to}) {
    const ir::TensorType& t = type(v);
    if (t.dtype == DType::u8)
      return refuse("uint8 kernels are not supported: " + describe(v), "u8", "f32, i8, i16, i32, i64 or bool");
    if (!expect_dtype(v, {DType::f32, DType::i8, DType::i16, DType::i32, DType::i64, DType::boolean})) return failure;
    if (t.quantisation && t.quantisation->per_axis())
      return refuse(describe(v) + " is quantised per axis", text(*t.quantisation), "one scale");
  }
  if (type(from).dtype == type(to).dtype) return {};
  return refuse("element types of " + describe(from) + " and " + describe(to) + " differ",
                std::string(to_string(type(from).dtype)) + " and " + std::string(to_string(type(to).dtype)));
}

Result<std::size_t> OperatorImport::axis(std::int64_t named, std::size_t rank) {
  const auto dims = static_cast<std::int64_t>(rank);
  if (named >= -dims && named < dims) return static_cast<std::size_t>(named < 0 ? named + dims : named);
  return refuse("axis out of range", std::to_string(named),
                dims == 0 ? "none of a scalar" : std::to_string(-dims) + " to " + std::to_string(dims - 1));
}

Result<std::vector<std::int64_t>> OperatorImport::integers(ir::ValueId v, std::string_view what) {
  if (!expect_dtype(v, {DType::i32, DType::i64})) return failure;
  if (!is_known(v)) return refuse(std::string(what) + " must be constant", "a computed tensor");
  const bool is_constant = value(v).constant.has_value();
  follows_ = follows_ || !is_constant;
  const Blob& bytes = is_constant ? value(v).constant->bytes : *elements_->bytes(v);
  return type(v).dtype == DType::i32 ? widened<std::int32_t>(bytes) : widened<std::int64_t>(bytes);
}

Result<void> OperatorImport::expect_no_placeholder(ir::ValueId shape, ir::ValueId output) {
  bool is_input = false, leaves_open = false;
  for (std::size_t i = 0; i < length(subgraph_->inputs()); ++i)
    is_input = is_input ||
               subgraph_->inputs()->Get(static_cast<flatbuffers::uoffset_t>(i)) == static_cast<std::int32_t>(shape);
  for (std::size_t d = 0; d < rank(output); ++d) leaves_open = leaves_open || is_open(*subgraph_, output, d);
  if (!is_input || !leaves_open) return {};
  return refuse("the shape of " + describe(output) + " is an input of the model", describe(shape),
                "a shape that is constant, or that the model computes");
}

bool OperatorImport::is_known(ir::ValueId v) const {
  return value(v).constant || (elements_ != nullptr && elements_->bytes(v) != nullptr);
}

bool OperatorImport::has_option(std::string_view name) const {
  return FlexValue::root(custom_options_).find(name).integer().has_value();
}

Result<std::int64_t> OperatorImport::option(std::string_view name, std::int64_t low, std::int64_t high) {
  const FlexValue options = FlexValue::root(custom_options_);
  if (!options.is_map()) return refuse("the options are no map of a FlexBuffer");
  const auto found = options.find(name).integer();
  if (!found) return refuse("the options have no number '" + std::string(name) + "'");
  if (*found >= low && *found <= high) return *found;
  return refuse("option '" + std::string(name) + "' is out of range", std::to_string(*found),
                std::to_string(low) + " to " + std::to_string(high));
}

Result<float> OperatorImport::real_option(std::string_view name) {
  const FlexValue options = FlexValue::root(custom_options_);
  if (!options.is_map()) return refuse("the options are no map of a FlexBuffer");
  const auto found = options.find(name).real();
  if (!found) return refuse("the options have no number '" + std::string(name) + "'");
  const auto value = static_cast<float>(*found);
  if (std::isfinite(value)) return value;
  return refuse("option '" + std::string(name) + "' is out of range", std::to_string(*found), "a finite number");
}

Result<void> OperatorImport::keep_option(ir::Node& node, std::string_view name, std::int64_t low, std::int64_t high) {
  const auto found = option(name, low, high);
  if (!found) return failure;
  node.attributes[std::string(name)] = *found;
  return {};
}

Result<void> OperatorImport::expect_option_type(ir::ValueId v) {
  if (!has_option("T")) return {};
  const auto found = option("T", INT64_MIN, INT64_MAX);
  if (!found) return failure;
  const auto number = type(v).dtype == DType::i16   ? schema::TensorType::INT16
                      : type(v).dtype == DType::i32 ? schema::TensorType::INT32
                                                    : schema::TensorType::FLOAT32;
  if (*found == static_cast<std::int64_t>(number)) return {};
  return refuse("option 'T' is not the type of " + describe(v), std::to_string(*found),
                std::to_string(static_cast<int>(number)));
}

Result<ir::ValueId> OperatorImport::add_state(const ir::TensorType& type) {
  if (variables_->place != VariableScope::Place::model)
    return refuse("operators that keep a state are not supported in the body of an operator");
  ir::Value value;
  value.type = type;
  value.is_state = true;
  const ir::ValueId state = graph_.add_value(std::move(value));
  graph_.states.push_back({state, state, {}});
  return state;
}

void OperatorImport::set_next_state(ir::ValueId state, ir::ValueId next) {
  for (ir::State& s : graph_.states)
    if (s.value == state) s.next = next;
}

Result<ir::ValueId> OperatorImport::state(std::size_t i) {
  const ir::ValueId v = input(i);
  if (v == ir::kNoValue) return refuse("input " + std::to_string(i) + " is not given");
  if (!value(v).is_state) return refuse(describe(v) + " must be a variable tensor", "one that is none");
  for (const ir::State& s : graph_.states)
    if (s.value == v) return s.next;  // an operator before this one has changed it
  graph_.states.push_back({v, v, {}});
  return v;
}

Result<void> OperatorImport::give_constant(ir::ValueId v, Blob bytes) {
  if (graph_.is_constant(v)) return refuse("computes a tensor that is already given", describe(v));
  graph_.values[v].constant.emplace().bytes = std::move(bytes);
  return {};
}

ir::ValueId OperatorImport::next_state(std::size_t i) {
  const ir::ValueId v = input(i);
  const ir::ValueId next = add_tensor(v, dims(v));
  set_next_state(v, next);
  return next;
}

ir::ValueId OperatorImport::add_integers(const std::vector<std::int64_t>& values) {
  const auto count = static_cast<ir::Dim>(values.size());
  return graph_.add_constant({}, {DType::i64, std::vector<ir::Dim>{count}, std::nullopt}, blob_of(values));
}

ir::ValueId OperatorImport::add_scalar(float scalar) {
  return graph_.add_constant({}, {DType::f32, std::vector<ir::Dim>{}, std::nullopt},
                             blob_of(std::vector<float>{scalar}));
}

ir::ValueId OperatorImport::add_reals(const std::vector<float>& values) {
  const auto count = static_cast<ir::Dim>(values.size());
  return graph_.add_constant({}, {DType::f32, std::vector<ir::Dim>{count}, std::nullopt}, blob_of(values));
}

ir::ValueId OperatorImport::add_tensor(ir::ValueId like, std::vector<ir::Dim> dims) {
  ir::Value v;
  v.type = type(like);
  v.type.dims = std::move(dims);
  return graph_.add_value(std::move(v));
}

ir::ValueId OperatorImport::add_tensor(DType dtype, std::vector<ir::Dim> dims) {
  ir::Value v;
  v.type = {dtype, std::move(dims), std::nullopt};
  return graph_.add_value(std::move(v));
}

void OperatorImport::reshape(ir::ValueId from, ir::ValueId to) {
  const std::vector<ir::Dim> shape = dims(to);
  ir::Node& n = node("Reshape", {from, add_integers(shape)}, {to});
  // ONNX reads a 0 as "what the input has" unless told otherwise.
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) n.attributes["allowzero"] = std::int64_t{1};
}

ir::ValueId OperatorImport::joined(std::vector<ir::ValueId> parts, std::size_t axis) {
  std::vector<ir::Dim> whole = dims(parts[0]);
  for (std::size_t i = 1; i < parts.size(); ++i) whole[axis] += dims(parts[i])[axis];
  const ir::ValueId out = add_tensor(parts[0], std::move(whole));
  node("Concat", std::move(parts), {out}).attributes["axis"] = static_cast<std::int64_t>(axis);
  return out;
}

void OperatorImport::transpose(ir::ValueId from, ir::ValueId to, std::vector<std::int64_t> perm) {
  node("Transpose", {from}, {to}).attributes["perm"] = std::move(perm);
}

ir::Node& OperatorImport::add_node(std::string domain, std::string op, std::vector<ir::ValueId> inputs,
                                   std::vector<ir::ValueId> outputs) {
  ir::Node n;
  n.version = domain.empty() ? kOpset : kByocVersion;
  n.domain = std::move(domain);
  n.op = std::move(op);
  n.name = value(output()).name;
  n.position = position_;
  while (!inputs.empty() && inputs.back() == ir::kNoValue) inputs.pop_back();
  n.inputs = std::move(inputs);
  n.outputs = std::move(outputs);
  return graph_.add_node(std::move(n));
}

Result<void> OperatorImport::fuse(ir::Node& node, schema::ActivationFunctionType activation) {
  using schema::ActivationFunctionType;
  switch (activation) {
    case ActivationFunctionType::NONE: return {};
    case ActivationFunctionType::RELU: node.attributes["activation"] = std::string("relu"); return {};
    case ActivationFunctionType::RELU6: node.attributes["activation"] = std::string("relu6"); return {};
    case ActivationFunctionType::RELU_N1_TO_1: node.attributes["activation"] = std::string("relu_n1_to_1"); return {};
    default: break;
  }
  const char* name = schema::EnumNameActivationFunctionType(activation);
  return refuse("unsupported fused activation",
                *name != '\0' ? name : "number " + std::to_string(static_cast<int>(activation)),
                "NONE, RELU, RELU6 or RELU_N1_TO_1");
}

}  // namespace byoc::tflite
