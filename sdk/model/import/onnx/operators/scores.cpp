#include "sdk/model/import/onnx/operators/scores.hpp"

namespace byoc::onnx_import {

std::vector<float> reals_of(const ir::Node& node, const char* attribute) {
  const auto* given = node.find<std::vector<float>>(attribute);
  return given == nullptr ? std::vector<float>() : *given;
}

Result<Composition::Value> matrix_of(Composition& c, const std::vector<float>& elements, const char* attribute,
                                     std::size_t rows) {
  if (rows == 0 || elements.empty() || elements.size() % rows != 0)
    return c.refuse(std::string("attribute ") + attribute + " has the wrong length", std::to_string(elements.size()),
                    "a multiple of " + std::to_string(rows));
  return c.op("Reshape", {c.reals(elements), c.integers({static_cast<std::int64_t>(rows), -1})});
}

Composition::Value as_rows(Composition& c, std::int64_t columns) {
  return c.op("Reshape", {c.cast(c.in(0), DType::f32), c.integers({-1, columns})});
}

Composition::Value transposed(Composition& c, Composition::Value matrix) {
  return c.op("Transpose", {matrix}, {{"perm", std::vector<std::int64_t>{1, 0}}});
}

Result<ClassLabels> class_labels(Composition& c, const ir::Node& node, const char* integers) {
  const auto* numbers = node.find<std::vector<std::int64_t>>(integers);
  const auto* texts = node.find<std::vector<std::string>>("classlabels_strings");
  if (numbers != nullptr && numbers->empty()) numbers = nullptr;
  if (texts != nullptr && texts->empty()) texts = nullptr;
  if ((numbers == nullptr) == (texts == nullptr))
    return c.refuse("needs one list of class labels", numbers == nullptr ? "none" : "two",
                    std::string(integers) + " or classlabels_strings");
  if (numbers != nullptr) return ClassLabels{c.integers(*numbers), numbers->size()};
  return ClassLabels{c.texts(*texts), texts->size()};
}

void give_label(Composition& c, const ClassLabels& labels, Composition::Value which) {
  c.give(0, "Gather", {labels.values, which});
}

Composition::Value largest(Composition& c, Composition::Value scores) {
  return c.op("ArgMax", {scores}, {{"axis", std::int64_t{1}}, {"keepdims", std::int64_t{0}}});
}

std::string post_transform_of(const ir::Node& node) { return node.text("post_transform", "NONE"); }

Result<Composition::Value> post_transformed(Composition& c, std::string_view transform, Composition::Value x) {
  const auto number = [&](float v) { return c.real_like(v, x); };
  if (transform == "NONE") return x;
  if (transform == "SOFTMAX") return c.op("Softmax", {x});
  if (transform == "LOGISTIC") return c.op("Sigmoid", {x});
  if (transform == "SOFTMAX_ZERO") {
    const auto most = c.op("ReduceMax", {x, c.integers({1})});
    const auto none = c.op("LessOrEqual", {c.op("Abs", {x}), number(1e-7F)});
    const auto exponentials = c.op(
        "Where", {none, c.op("Mul", {x, c.op("Exp", {c.op("Neg", {most})})}), c.op("Exp", {c.op("Sub", {x, most})})});
    return c.op("Div", {exponentials, c.op("ReduceSum", {exponentials, c.integers({1})})});
  }
  if (transform != "PROBIT")
    return c.refuse("post_transform is unknown", std::string(transform),
                    "NONE, SOFTMAX, LOGISTIC, SOFTMAX_ZERO or PROBIT");
  // sqrt(2) * erfinv(2 x - 1), Winitzki's approximation with a = 0.147.
  const auto z = c.op("Sub", {c.op("Mul", {x, number(2)}), number(1)});
  const auto log = c.op("Log", {c.op("Mul", {c.op("Sub", {number(1), z}), c.op("Add", {number(1), z})})});
  const auto v = c.op("Add", {c.op("Mul", {log, number(0.5F)}), number(2 / (3.14159F * 0.147F))});
  const auto w = c.op("Mul", {log, number(1 / 0.147F)});
  const auto root = c.op("Sqrt", {c.op("Sub", {c.op("Mul", {v, v}), w})});
  const auto size = c.op("Sqrt", {c.op("Sub", {root, v})});
  return c.op("Mul", {c.op("Mul", {c.op("Sign", {z}), size}), number(1.41421356F)});
}

}  // namespace byoc::onnx_import
