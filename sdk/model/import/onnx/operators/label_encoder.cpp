// LabelEncoder, and CategoryMapper, which is one of strings and integers: keys, values and the default become operands,
// whatever attributes they are in.
#include <cstring>
#include <numeric>

#include "sdk/model/import/onnx/composition.hpp"
#include "sdk/model/ir/texts.hpp"

namespace byoc::onnx_import {
namespace {

template <class T>
ir::Tensor numbers(DType dtype, const std::vector<T>& elements) {
  ir::Tensor t;
  t.type.dtype = dtype;
  t.type.dims = {static_cast<ir::Dim>(elements.size())};
  std::vector<std::byte> bytes(elements.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), elements.data(), bytes.size());
  t.bytes = Blob::own(std::move(bytes));
  return t;
}

ir::Tensor texts(const std::vector<std::string>& elements) {
  ir::Tensor t;
  t.type.dtype = DType::string;
  t.type.dims = {static_cast<ir::Dim>(elements.size())};
  t.bytes = ir::pack_texts(elements);
  return t;
}

// The one attribute of those names that is given; nullopt where there is none or more.
std::optional<ir::Tensor> list_of(const ir::Node& node, const std::string& what) {
  std::optional<ir::Tensor> found;
  int given = 0;
  const auto take = [&](ir::Tensor t) {
    found = std::move(t);
    ++given;
  };
  if (const auto* t = node.find<ir::Tensor>(what + "_tensor")) take(*t);
  if (const auto* f = node.find<std::vector<float>>(what + "_floats")) take(numbers(DType::f32, *f));
  if (const auto* i = node.find<std::vector<std::int64_t>>(what + "_int64s")) take(numbers(DType::i64, *i));
  if (const auto* s = node.find<std::vector<std::string>>(what + "_strings")) take(texts(*s));
  return given == 1 ? found : std::nullopt;
}

// ONNX's default value for elements of that type.
std::optional<ir::Tensor> default_of(const ir::Node& node, DType dtype) {
  if (const auto* t = node.find<ir::Tensor>("default_tensor")) return *t;
  if (dtype == DType::f32) return numbers<float>(dtype, {node.real("default_float", -0.0F)});
  if (dtype == DType::i64) return numbers<std::int64_t>(dtype, {node.integer("default_int64", -1)});
  if (dtype == DType::string) return texts({node.text("default_string", "_Unused")});
  if (dtype == DType::f64) return numbers<double>(dtype, {-0.0});
  if (dtype == DType::i16) return numbers<std::int16_t>(dtype, {-1});
  return std::nullopt;
}

ir::ValueId constant(Normaliser& e, ir::Tensor t) {
  return e.graph.add_constant({}, std::move(t.type), std::move(t.bytes));
}

// CategoryMapper, and version 1, which counts its classes: from strings to integers or back, as the input has it.
bool number_classes(Normaliser& e, const ir::Node& node, std::optional<ir::Tensor>& keys,
                    std::optional<ir::Tensor>& values) {
  const bool counts = node.op == "LabelEncoder";
  const auto* classes = node.find<std::vector<std::string>>(counts ? "classes_strings" : "cats_strings");
  const DType from = e.types.of(node.inputs[0]).dtype;
  if (classes == nullptr || (from != DType::string && from != DType::i64)) return false;
  std::vector<std::int64_t> count(classes->size());
  std::iota(count.begin(), count.end(), 0);
  keys = texts(*classes);
  values = numbers(DType::i64, counts ? count : node.integers("cats_int64s", {}));
  if (from == DType::i64) std::swap(keys, values);
  return true;
}

}  // namespace

Result<void> normalise_label_encoder(Normaliser& e, ir::Node node) {
  auto keys = list_of(node, "keys"), values = list_of(node, "values");
  const bool numbers_classes = node.version == 1 || node.op == "CategoryMapper";
  if (numbers_classes && !number_classes(e, node, keys, values))
    return e.refuse(node, "needs its classes, and an input that is stated with its element type", {}, "string or i64");
  if (!keys || !values)
    return e.refuse(node, "needs one list of keys and one of values", {}, "keys_strings, values_int64s ...");
  auto otherwise = default_of(node, values->type.dtype);
  if (!otherwise)
    return e.refuse(node, "needs a default_tensor for values of this type", std::string(to_string(values->type.dtype)));
  node.op = "LabelEncoder";
  node.attributes.clear();
  for (auto* t : {&keys, &values, &otherwise}) node.inputs.push_back(constant(e, std::move(**t)));
  e.emit(std::move(node));
  return {};
}

}  // namespace byoc::onnx_import
