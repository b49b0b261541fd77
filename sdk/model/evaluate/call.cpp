#include "sdk/model/evaluate/call.hpp"

#include "sdk/model/evaluate/small_element.hpp"

namespace byoc::evaluate {

std::optional<std::int64_t> product(std::span<const std::int64_t> dims) {
  std::int64_t n = 1;
  bool empty = false;
  for (std::int64_t d : dims) {
    if (d < 0) return std::nullopt;
    if (d == 0) {
      empty = true;
    } else if (__builtin_mul_overflow(n, d, &n)) {
      return std::nullopt;
    }
  }
  return empty ? 0 : n;
}

std::string describe(std::span<const std::int64_t> dims) {
  std::string out = "[";
  for (std::size_t i = 0; i < dims.size(); ++i) out += (i == 0 ? "" : ",") + std::to_string(dims[i]);
  return out + "]";
}

std::string describe(const Tensor& tensor) {
  if (!tensor.type.is_tensor())
    return std::string(ir::container_prefix(tensor.type.container))
        .append(to_string(tensor.type.dtype))
        .append(ir::container_suffix(tensor.type.container))
        .append(" of " + std::to_string(tensor.items ? tensor.items->size() : 0));
  return std::string(to_string(tensor.type.dtype)) + (tensor.type.dims ? describe(*tensor.type.dims) : "?");
}

const ir::TensorType* Call::declared(std::size_t output) const {
  if (output >= node.outputs.size() || node.outputs[output] == ir::kNoValue) return nullptr;
  return &graph.values[node.outputs[output]].type;
}

const Quantisation* Call::quantisation_of(std::size_t input) const {
  const Tensor* t = find(input);
  return t != nullptr && t->type.quantisation ? &*t->type.quantisation : nullptr;
}

const Quantisation* Call::quantisation_of_output(std::size_t output) const {
  const ir::TensorType* type = declared(output);
  return type != nullptr && type->quantisation ? &*type->quantisation : nullptr;
}

Failure Call::error(std::string message, std::string found, std::string expected) const {
  return diags_.error(graph.file, node.describe(), std::move(message), std::move(found), std::move(expected));
}

Failure Call::unsupported_dtype(std::size_t input, std::string expected) const {
  return error("element type of input " + std::to_string(input) + " is not supported",
               std::string(to_string(in(input).type.dtype)), std::move(expected));
}

std::string Call::largest_text() const {
  return largest_result == kLargestResult ? "at most 2 GiB" : "at most " + std::to_string(largest_result) + " bytes";
}

Result<void> Call::check_count(std::span<const std::int64_t> dims) const {
  const std::optional<std::int64_t> count_of = product(dims);
  if (count_of && static_cast<std::uint64_t>(*count_of) <= largest_result) return {};
  return error("the result is too large", describe(dims), largest_text());
}

Result<Buffer> Call::allocate(DType dtype, Dims dims, std::size_t output) const {
  if (dtype == DType::string) return error("has no result of this element type", std::string(to_string(dtype)));
  const std::optional<std::int64_t> count_of = product(dims);
  const std::uint64_t most = largest_result * 8 / std::max(bit_width(dtype), 1u);
  if (!count_of || static_cast<std::uint64_t>(*count_of) > most)
    return error("the result is too large or has a negative dimension", std::string(to_string(dtype)) + describe(dims),
                 largest_text());
  Buffer buffer;
  buffer.type.dtype = dtype;
  buffer.type.dims = std::move(dims);
  if (const Quantisation* q = quantisation_of_output(output)) buffer.type.quantisation = *q;
  buffer.bytes.resize(buffer.type.bytes());
  return buffer;
}

namespace {

template <class Real>
Result<Tensor> from_any_reals(const Call& call, DType dtype, Dims dims, std::span<const Real> values,
                              std::size_t output) {
  Result<Buffer> buffer = call.allocate(dtype, std::move(dims), output);
  if (!buffer) return failure;
  if (const SmallFloat* f = small_float(dtype)) {
    std::vector<unsigned> bits;
    for (const Real v : values) bits.push_back(encode_small(*f, static_cast<double>(v)));
    buffer->bytes = packed(dtype, bits);
    return std::move(*buffer).finish();
  }
  const bool known = dispatch(dtype, [&]<class T>() {
    const std::span<T> out = buffer->as<T>();
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = narrow<T>(static_cast<double>(values[i]));
  });
  if (!known) return call.error("cannot make a result of this element type", std::string(to_string(dtype)));
  return std::move(*buffer).finish();
}

}  // namespace

Result<Tensor> Call::from_reals(DType dtype, Dims dims, std::span<const double> values, std::size_t output) const {
  return from_any_reals(*this, dtype, std::move(dims), values, output);
}

Result<Tensor> Call::from_reals(DType dtype, Dims dims, std::span<const float> values, std::size_t output) const {
  return from_any_reals(*this, dtype, std::move(dims), values, output);
}

Result<std::vector<std::int64_t>> Call::integers(std::size_t input) const {
  const Tensor& t = in(input);
  if (t.type.dtype == DType::i64) {
    const auto values = elements<std::int64_t>(t);
    return std::vector<std::int64_t>(values.begin(), values.end());
  }
  if (t.type.dtype == DType::i32) {
    const auto values = elements<std::int32_t>(t);
    return std::vector<std::int64_t>(values.begin(), values.end());
  }
  return unsupported_dtype(input, "i64 or i32");
}

Result<double> Call::scalar(std::size_t input) const {
  const Tensor& t = in(input);
  if (t.type.elements() != 1) return error("input " + std::to_string(input) + " must have one element", describe(t));
  double value = 0;
  if (!dispatch(t.type.dtype, [&]<class T>() { value = widen(elements<T>(t)[0]); }))
    return unsupported_dtype(input, "a number");
  return value;
}

Result<std::size_t> Call::axis(std::int64_t value, std::size_t rank) const {
  const auto r = static_cast<std::int64_t>(rank);
  if (value < -r || value >= r)
    return error("axis out of range", std::to_string(value),
                 "at least " + std::to_string(-r) + " and less than " + std::to_string(r));
  return static_cast<std::size_t>(value < 0 ? value + r : value);
}

Result<void> Call::same_dtype(std::size_t a, std::size_t b) const {
  if (in(a).type.dtype == in(b).type.dtype) return {};
  return error("inputs " + std::to_string(a) + " and " + std::to_string(b) + " have different element types",
               std::string(to_string(in(b).type.dtype)), std::string(to_string(in(a).type.dtype)));
}

template <class T>
std::vector<T> reals(const Tensor& tensor) {
  std::vector<T> out;
  if (is_small(tensor.type.dtype))
    for (const unsigned c : codes(tensor)) out.push_back(static_cast<T>(small_value(tensor.type.dtype, c)));
  (void)dispatch(tensor.type.dtype, [&]<class E>() {
    const std::span<const E> in = elements<E>(tensor);
    out.resize(in.size());
    for (std::size_t i = 0; i < in.size(); ++i) out[i] = static_cast<T>(widen(in[i]));
  });
  return out;
}
template std::vector<float> reals<float>(const Tensor&);
template std::vector<double> reals<double>(const Tensor&);

std::vector<std::int64_t> whole_numbers(const Tensor& tensor) {
  std::vector<std::int64_t> out;
  if (is_small(tensor.type.dtype) && small_float(tensor.type.dtype) == nullptr)
    for (const unsigned c : codes(tensor)) out.push_back(static_cast<std::int64_t>(small_value(tensor.type.dtype, c)));
  (void)dispatch(tensor.type.dtype, [&]<class T>() {
    if constexpr (std::is_integral_v<T>) {
      const std::span<const T> in = elements<T>(tensor);
      out.resize(in.size());
      for (std::size_t i = 0; i < in.size(); ++i) out[i] = static_cast<std::int64_t>(in[i]);
    }
  });
  return out;
}

Outcome single(Result<Tensor> tensor) {
  if (!tensor) return failure;
  return single(std::move(*tensor));
}

Outcome single(Tensor tensor) {
  std::vector<Tensor> out;
  out.push_back(std::move(tensor));
  return out;
}

Outcome single(Buffer&& buffer) { return single(std::move(buffer).finish()); }

}  // namespace byoc::evaluate
