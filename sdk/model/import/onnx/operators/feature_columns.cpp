// ai.onnx.ml's Scaler, Normalizer, Imputer, OneHotEncoder and FeatureVectorizer (1): what is done to the columns of a
// table before and behind a model.
#include "sdk/model/import/onnx/operators/expectation.hpp"
#include "sdk/model/ir/onnx_types.hpp"

namespace byoc::onnx_import {
namespace {

using Value = Composition::Value;
using Integers = std::vector<std::int64_t>;
using Reals = std::vector<float>;

Value as(Composition& c, Value v, DType dtype) { return c.op("Cast", {v}, {{"to", ir::onnx_number(dtype)}}); }

}  // namespace

// (x - offset) * scale
Result<void> normalise_scaler(Normaliser& e, ir::Node node) {
  Composition c(e, node);
  const auto *offset = node.find<Reals>("offset"), *scale = node.find<Reals>("scale");
  if (offset == nullptr || scale == nullptr || offset->size() != scale->size())
    return c.refuse("attributes offset and scale must be there, and of one length");
  c.give(0, "Mul", {c.op("Sub", {as(c, c.in(0), DType::f32), c.reals(*offset)}), c.reals(*scale)});
  return {};
}

// Rows are divided by their largest element, or by a norm; a row whose norm is 0 stays.
Result<void> normalise_normalizer(Normaliser& e, ir::Node node) {
  Composition c(e, node);
  const std::string norm = node.text("norm", "MAX");
  const char* reduction = norm == "MAX" ? "ReduceMax" : norm == "L1" ? "ReduceL1" : norm == "L2" ? "ReduceL2" : nullptr;
  if (reduction == nullptr) return c.refuse("norm is unknown", norm, "MAX, L1 or L2");
  const Value x = as(c, c.in(0), DType::f32);
  const Value length = c.op(reduction, {x, c.integers({-1})});
  c.give(0, "Div", {x, c.op("Where", {c.op("Equal", {length, c.real(0)}), c.real(1), length})});
  return {};
}

// Replaces elements that are equal to the marker of a missing value (which may be NaN) by the imputed value.
Result<void> normalise_imputer(Normaliser& e, ir::Node node) {
  Composition c(e, node);
  const auto* reals = node.find<Reals>("imputed_value_floats");
  const auto* integers = node.find<Integers>("imputed_value_int64s");
  if ((reals == nullptr) == (integers == nullptr))
    return c.refuse("needs one list of values to put in", {}, "imputed_value_floats or imputed_value_int64s");
  const float missing = node.real("replaced_value_float", 0);
  const Value x = c.in(0);
  Value replaced = ir::kNoValue;
  if (integers != nullptr)
    replaced = c.op("Equal", {x, c.op("CastLike", {c.integer(node.integer("replaced_value_int64", 0)), x})});
  else if (missing != missing)
    replaced = c.op("IsNaN", {x});
  else
    replaced = c.op("Equal", {x, c.real_like(missing, x)});
  const Value values = integers != nullptr ? c.integers(*integers) : c.reals(*reals);
  c.give(0, "Where", {replaced, c.op("CastLike", {values, x}), x});
  return {};
}

// A dim more: 1 where the element is the category, 0 elsewhere. Without `zeros` a run fails at an element that is none.
Result<void> normalise_one_hot_encoder(Normaliser& e, ir::Node node) {
  Composition c(e, node);
  const auto* numbers = node.find<Integers>("cats_int64s");
  const auto* texts = node.find<std::vector<std::string>>("cats_strings");
  if ((numbers == nullptr) == (texts == nullptr))
    return c.refuse("needs one list of categories", {}, "cats_int64s or cats_strings");
  const Value element = texts != nullptr ? c.in(0) : as(c, c.in(0), DType::i64);
  const Value categories = texts != nullptr ? c.texts(*texts) : c.integers(*numbers);
  const Value hot = as(c, c.op("Equal", {c.op("Unsqueeze", {element, c.integers({-1})}), categories}), DType::f32);
  if (node.integer("zeros", 1) != 0) {
    c.give(0, hot);
    return {};
  }
  const Value found = c.op("ReduceMax", {hot, c.integers({-1})}, {{"keepdims", std::int64_t{0}}});
  c.give(0, expected(e, node, hot, as(c, found, DType::boolean), "an element is none of the categories"));
  return {};
}

// Columns of several tables side by side. A vector is one row, and further dims are more columns. A table has as many
// as inputdimensions says: what is more is left out, what is missing is 0.
Result<void> normalise_feature_vectorizer(Normaliser& e, ir::Node node) {
  Composition c(e, node);
  const Integers lengths = node.integers("inputdimensions", {});
  Composition::Values parts;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const auto rank = c.rank_of_input(i);
    if (!rank) return failure;
    Value x = as(c, c.in(i), DType::f32);
    std::optional<std::int64_t> found = 1;
    for (std::size_t d = *rank == 1 ? 0 : 1; found && d < *rank; ++d) {
      const auto dim = c.known_dim(c.in(i), d);
      found = dim && *dim < (std::int64_t{1} << 30) ? std::optional(*found * *dim) : std::nullopt;
    }
    if (*rank != 2) x = c.op("Reshape", {x, *rank == 1 ? c.integers({1, -1}) : c.integers({0, -1})});
    if (i < lengths.size() && found != lengths[i]) {
      if (lengths[i] < 0 || lengths[i] > (std::int64_t{1} << 30))
        return c.refuse("inputdimensions is out of range", std::to_string(lengths[i]), "0 or more");
      const Value columns = c.integers({1}), length = c.integers({lengths[i]});
      x = c.op("Slice", {x, c.integers({0}), length, columns});
      const Value missing = c.op("Sub", {length, c.dims(x, 1, 2)});
      x = c.op("Pad", {x, c.join({c.integers({0}), missing}), ir::kNoValue, columns});
    }
    parts.push_back(x);
  }
  c.give(0, "Concat", parts, {{"axis", std::int64_t{1}}});
  return {};
}

}  // namespace byoc::onnx_import
