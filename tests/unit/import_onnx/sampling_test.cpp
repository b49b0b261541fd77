// Operators that move, sort and sample: what the forms of older opsets become.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/unit/import_onnx/model_file.hpp"

namespace byoc {
namespace {

using test::ModelFile;
using ::testing::HasSubstr;
using ::testing::Not;

// The imported text of one node over %x : f32[1,1,2,2].
std::string imported(std::int64_t opset, const std::string& op, const std::vector<std::string>& inputs,
                     const std::function<void(::onnx::NodeProto&)>& change) {
  ModelFile m(opset);
  m.input("x", {1, 1, 2, 2}).output("y");
  for (const std::string& i : inputs)
    if (!i.empty() && i != "x") m.input(i, {4});
  change(m.node(op, inputs, {"y"}));
  return m.text();
}

TEST(Sampling, olderFormsOfResize) {
  const std::string form =
      "Resize.10(%0, _, %1) {coordinate_transformation_mode=\"asymmetric\", mode=\"linear\", "
      "nearest_mode=\"simple\"}";
  const auto linear = [](::onnx::NodeProto& n) { ModelFile::set_text(n, "mode", "linear"); };
  EXPECT_THAT(imported(10, "Resize", {"x", "s"}, linear), HasSubstr(form));
  EXPECT_THAT(imported(9, "Upsample", {"x", "s"}, linear), HasSubstr(form));
  const std::string seven = imported(7, "Upsample", {"x"}, [&](::onnx::NodeProto& n) {
    linear(n);
    auto& scales = ModelFile::attribute(n, "scales", ::onnx::AttributeProto::FLOATS);
    for (const float s : {1.0F, 1.0F, 2.0F, 3.0F}) scales.add_floats(s);
  });
  EXPECT_THAT(seven, HasSubstr("f32[4] = [1.0, 1.0, 2.0, 3.0]"));
  EXPECT_THAT(seven, HasSubstr("Resize.10("));
  EXPECT_THAT(imported(13, "Resize", {"x", "r", "s"}, linear), HasSubstr("Resize.13(%0, _, %2) {mode=\"linear\"}"));
  EXPECT_THAT(imported(13, "Resize", {"x", "r", "s"},
                       [](::onnx::NodeProto& n) {
                         ModelFile::set_text(n, "coordinate_transformation_mode", "tf_crop_and_resize");
                       }),
              HasSubstr("Resize.13(%0, %1, %2)"));
  EXPECT_THAT(imported(10, "Upsample", {"x", "s"}, linear), HasSubstr("operator is not supported"));
  EXPECT_THAT(
      imported(13, "Resize", {"x", "r", "s"}, [](::onnx::NodeProto& n) { ModelFile::set_int(n, "antialias", 1); }),
      HasSubstr("antialias"));
}

TEST(Sampling, otherNames) {
  EXPECT_THAT(
      imported(16, "GridSample", {"x", "g"}, [](::onnx::NodeProto& n) { ModelFile::set_text(n, "mode", "bicubic"); }),
      HasSubstr("GridSample.16(%0, %1) {mode=\"cubic\"}"));
  EXPECT_THAT(imported(10, "RoiAlign", {"x", "r", "b"}, [](::onnx::NodeProto&) {}),
              HasSubstr("{coordinate_transformation_mode=\"output_half_pixel\"}"));
  EXPECT_THAT(imported(9, "Scatter", {"x", "i", "u"}, [](::onnx::NodeProto& n) { ModelFile::set_int(n, "axis", 1); }),
              HasSubstr("ScatterElements.9(%0, %1, %2) {axis=1}"));
  EXPECT_THAT(imported(11, "Scatter", {"x", "i", "u"}, [](::onnx::NodeProto&) {}),
              HasSubstr("operator is not supported"));
  const std::string top = imported(7, "TopK", {"x"}, [](::onnx::NodeProto& n) { ModelFile::set_int(n, "k", 2); });
  EXPECT_THAT(top, HasSubstr("i64[1] = [2]"));
  EXPECT_THAT(imported(11, "TopK", {"x", "k"}, [](::onnx::NodeProto& n) { ModelFile::set_int(n, "sorted", 0); }),
              Not(HasSubstr("sorted")));
}

TEST(Sampling, aVectorizerOfStringsNeedsItsAttributesToo) {
  EXPECT_THAT(imported(9, "TfIdfVectorizer", {"x"},
                       [](::onnx::NodeProto& n) {
                         ModelFile::attribute(n, "pool_strings", ::onnx::AttributeProto::STRINGS).add_strings("a");
                       }),
              HasSubstr("attribute 'max_gram_length' is missing"));
}

}  // namespace
}  // namespace byoc
