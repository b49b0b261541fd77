// Parts that the classifiers and regressors of ai.onnx.ml share after their sums.
#pragma once

#include "sdk/model/import/onnx/composition.hpp"

namespace byoc::onnx_import {

// Numbers of an attribute; none where it is not given.
[[nodiscard]] std::vector<float> reals_of(const ir::Node&, const char* attribute);

// f32[rows, columns] of the elements of an attribute that lists rows. Refused: no whole rows.
Result<Composition::Value> matrix_of(Composition&, const std::vector<float>& elements, const char* attribute,
                                     std::size_t rows);
// The input as f32[rows, columns]; a vector is one row.
[[nodiscard]] Composition::Value as_rows(Composition&, std::int64_t columns);
[[nodiscard]] Composition::Value transposed(Composition&, Composition::Value matrix);

// The labels of a classifier's classes: i64[count] or string[count].
struct ClassLabels {
  Composition::Value values;
  std::size_t count;
};

// Reads the attribute `integers` or classlabels_strings. Errors: neither, or both.
Result<ClassLabels> class_labels(Composition&, const ir::Node&, const char* integers);

// Gives output 0: the label of each row's class, `which` an i64[rows].
void give_label(Composition&, const ClassLabels&, Composition::Value which);
// The largest of each row's scores, the first of several: i64[rows].
[[nodiscard]] Composition::Value largest(Composition&, Composition::Value scores);

// Scores [rows, targets] behind the sums: NONE, SOFTMAX, LOGISTIC, SOFTMAX_ZERO (a softmax over what is not about
// 0) or PROBIT (by ONNX's approximation of the inverse error function). Refused: another name.
Result<Composition::Value> post_transformed(Composition&, std::string_view transform, Composition::Value sums);
// The attribute of that name, NONE where it is not given.
[[nodiscard]] std::string post_transform_of(const ir::Node&);

}  // namespace byoc::onnx_import
