#include "sdk/model/ir/text_types.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "sdk/model/ir/texts.hpp"

namespace byoc::ir::text {
namespace {

std::optional<DType> dtype_named(std::string_view name) {
  for (std::uint32_t i = 0; i < kElementTypeCount; ++i)
    if (to_string(static_cast<DType>(i)) == name) return static_cast<DType>(i);
  return std::nullopt;
}

// Zeros that take no memory until they are read.
Blob zero_blob(std::uint64_t size) {
  if (size == 0) return {};
  std::shared_ptr<void> memory(std::calloc(size, 1), std::free);
  if (!memory) return {};
  return Blob::view({static_cast<const std::byte*>(memory.get()), size}, memory);
}

}  // namespace

Result<void> TypeParser::declare_symbol() {
  const std::size_t start = s_.position();
  auto name = s_.name("the name of a symbol");
  if (!name) return failure;
  if (!symbols_.emplace(*name, graph_.symbols.size()).second)
    return s_.error(start, "the symbol is listed twice", *name);
  graph_.symbols.push_back(std::move(*name));
  if (!s_.take("=")) return {};
  const std::size_t at = s_.position();
  const auto ends = s_.numbers<Dim>("a length");
  if (!ends) return failure;
  if (ends->size() != 2 || (*ends)[0] < 0 || (*ends)[1] < (*ends)[0])
    return s_.error(at, "the symbol has no range of lengths", std::to_string(ends->size()) + " numbers",
                    "[least,most], from 0 on");
  graph_.ranges.resize(graph_.symbols.size());
  graph_.ranges.back() = {(*ends)[0], (*ends)[1]};
  return {};
}

Result<TensorType> TypeParser::type() {
  Container container = Container::tensor;
  const bool optional = s_.take_word("optional");
  if (optional && !s_.expect("(")) return failure;
  const bool sequence = s_.take_word("seq");
  if (sequence && !s_.expect("(")) return failure;
  if (optional)
    container = sequence ? Container::optional_sequence : Container::optional;
  else if (sequence)
    container = Container::sequence;
  auto t = element_type();
  if (!t || (sequence && !s_.expect(")")) || (optional && !s_.expect(")"))) return failure;
  t->container = container;
  return quantised(std::move(*t));
}

Result<TensorType> TypeParser::element_type() {
  TensorType t;
  if (s_.take("?")) return t;
  const std::size_t start = s_.position();
  auto word = s_.identifier("a type");
  if (!word) return failure;
  const auto dtype = dtype_named(*word);
  if (!dtype) return s_.error(start, "unknown element type", std::string(*word));
  t.dtype = *dtype;
  if (s_.take("?")) return t;
  t.dims.emplace();
  if (!s_.list("[", "]", [&] { return dim(*t.dims); })) return failure;
  return t;
}

Result<void> TypeParser::dim(std::vector<Dim>& dims) {
  const char c = s_.peek();
  const std::size_t start = s_.position();
  if ((c >= '0' && c <= '9') || c == '-') {
    auto v = s_.number_as<Dim>("a dimension that fits into 64 bits");
    if (!v) return failure;
    if (*v < 0) return s_.error(start, "negative dimension", std::to_string(*v), "0 or more");
    dims.push_back(*v);
    return {};
  }
  auto name = s_.name("a dimension");
  if (!name) return failure;
  const auto [it, fresh] = symbols_.emplace(*name, graph_.symbols.size());
  if (fresh) graph_.symbols.push_back(*name);
  dims.push_back(symbol_dim(it->second));
  return {};
}

Result<TensorType> TypeParser::quantised(TensorType t) {
  if (!s_.take_word("q")) return t;
  Quantisation q;
  if (!s_.expect("(")) return failure;
  if (s_.take_word("axis")) {
    if (!s_.expect("=")) return failure;
    auto axis = s_.number_as<std::int32_t>("an axis");
    if (!axis || !s_.expect(",")) return failure;
    q.axis = *axis;
  }
  if (s_.peek() == '[') {
    auto scales = s_.numbers<float>("a scale");
    if (!scales || !s_.expect(",")) return failure;
    auto zero_points = s_.numbers<std::int64_t>("a zero point");
    if (!zero_points) return failure;
    q.scales = std::move(*scales);
    q.zero_points = std::move(*zero_points);
  } else {
    auto scale = s_.number_as<float>("a scale");
    if (!scale || !s_.expect(",")) return failure;
    auto zero_point = s_.number_as<std::int64_t>("a zero point");
    if (!zero_point) return failure;
    q.scales = {*scale};
    q.zero_points = {*zero_point};
  }
  if (!s_.expect(")")) return failure;
  t.quantisation = std::move(q);
  return t;
}

// The size of a constant's type, taken from what all constants together may have.
Result<std::uint64_t> TypeParser::size_of(const TensorType& t) {
  if (!t.is_static()) return s_.error(s_.position(), "a constant needs a known type", to_string(t, graph_));
  std::uint64_t bits = bit_width(t.dtype);
  bool overflow = false;
  for (Dim d : *t.dims)
    overflow = __builtin_mul_overflow(bits, static_cast<std::uint64_t>(std::max<Dim>(d, 1)), &bits) || overflow;
  const bool empty = std::find(t.dims->begin(), t.dims->end(), 0) != t.dims->end();
  const std::uint64_t bytes = empty ? 0 : bits / 8 + (bits % 8 != 0);
  if (overflow || bytes > budget_)
    return s_.error(s_.position(), "constants are too large", to_string(t, graph_),
                    "at most " + std::to_string(kLargestConstants) + " bytes in all");
  budget_ -= bytes;
  return bytes;
}

template <class T>
Result<Blob> TypeParser::elements(DType dtype, std::uint64_t size, bool splat) {
  const std::size_t start = s_.position();
  const std::string what = "an element of type " + std::string(to_string(dtype));
  std::vector<std::byte> bytes;
  const std::uint64_t count = size / sizeof(T);
  std::uint64_t given = 0;
  auto item = [&]() -> Result<void> {
    auto v = s_.number_as<T>(what);
    if (!v) return failure;
    std::byte raw[sizeof(T)];
    std::memcpy(raw, &*v, sizeof(T));
    if (++given <= count) bytes.insert(bytes.end(), raw, raw + sizeof(T));
    return {};
  };
  if (splat ? !s_.list("(", ")", item) : !s_.list("[", "]", item)) return failure;
  if (given != (splat ? 1 : count))
    return s_.error(start, "constant does not have the elements of its type", std::to_string(given),
                    std::to_string(splat ? 1 : count));
  if (splat && count != 0) {
    bytes.resize(size);
    for (std::uint64_t done = sizeof(T); done < size; done *= 2)
      std::memcpy(bytes.data() + done, bytes.data(), std::min(done, size - done));
  }
  return Blob::own(std::move(bytes));
}

// Strings in quotes, as many as the type has.
Result<Blob> TypeParser::texts(const TensorType& t) {
  const std::size_t start = s_.position();
  std::vector<std::string> elements;
  std::uint64_t bytes = 0;
  auto item = [&]() -> Result<void> {
    auto text = s_.quoted("a string");
    if (!text) return failure;
    bytes += text->size() + sizeof(std::uint32_t);
    elements.push_back(std::move(*text));
    return {};
  };
  if (!s_.list("[", "]", item)) return failure;
  std::uint64_t count = 1;
  for (const Dim d : *t.dims)
    if (__builtin_mul_overflow(count, static_cast<std::uint64_t>(d), &count)) count = UINT64_MAX;
  if (elements.size() != count)
    return s_.error(start, "constant does not have the elements of its type", std::to_string(elements.size()),
                    to_string(t, graph_));
  if (bytes > budget_)
    return s_.error(start, "constants are too large", to_string(t, graph_),
                    "at most " + std::to_string(kLargestConstants) + " bytes in all");
  budget_ -= bytes;
  return pack_texts(elements);
}

Result<Blob> TypeParser::data(const TensorType& t) {
  if (t.dtype == DType::string && t.is_shaped()) return texts(t);
  auto size = size_of(t);
  if (!size) return failure;
  const std::size_t start = s_.position();
  if (s_.take_word("zeros")) {
    Blob zeros = zero_blob(*size);
    if (zeros.size() != *size) return s_.error(start, "not enough memory", {}, std::to_string(*size) + " bytes");
    return zeros;
  }
  if (s_.take_word("hex")) {
    auto bytes = s_.hex_bytes(*size);
    if (!bytes) return failure;
    if (bytes->size() != *size)
      return s_.error(start, "constant data does not have the size of its type",
                      std::to_string(bytes->size()) + " bytes", std::to_string(*size) + " bytes");
    return Blob::own(std::move(*bytes));
  }
  if (s_.take_word("hash"))
    return s_.error(start, "the data of this constant was not printed", "its hash", "its elements");
  const bool splat = s_.take_word("splat");
  if (!splat && s_.peek() != '[') return s_.unexpected("the elements of a constant");
  Result<Blob> out = failure;
  if (!with_element_type(t.dtype, [&](auto tag) { out = elements<decltype(tag)>(t.dtype, *size, splat); }))
    return s_.error(start, "constants of this type are written as zeros or hex", std::string(to_string(t.dtype)));
  return out;
}

}  // namespace byoc::ir::text
