// Versions of operators that are newer than what is known.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/import_tflite/models.hpp"

namespace byoc::test {
namespace {

using testing::HasSubstr;

// Versions above the newest known are read: what they allow is checked for what it is.
TEST(TfliteVersions, newerOnesAreReadWithAWarning) {
  TfliteWriter w = unary_model(BuiltinOperator::RELU, q(0.5f, 0));
  w.model.operator_codes[0]->version = 4;
  Diagnostics diags;
  EXPECT_TRUE(import_bytes(w.bytes(), diags));
  ASSERT_EQ(diags.all().size(), 1U);
  EXPECT_EQ(diags.all()[0].level, Level::warning);
  EXPECT_THAT(to_string(diags.all()[0]),
              HasSubstr("'RELU 'y' (#0)': a version of RELU that is not known: read as the newest that is (found 4, "
                        "expected 1 to 3)"));
}

TEST(TfliteVersions, optionsOfNewerOnesAreRefused) {
  TfliteWriter w = unary_model(BuiltinOperator::SOFTMAX, q(1.0f / 256, -128));
  w.model.operator_codes[0]->version = 9;
  schema::Conv2DOptionsT other;  // its third option stands for one that SOFTMAX does not have
  other.stride_h = 1;
  w.op(0).builtin_options.Set(other);
  std::string bytes = w.bytes();
  const auto* op = reinterpret_cast<const flatbuffers::Table*>(
      schema::GetModel(bytes.data())->subgraphs()->Get(0)->operators()->Get(0));
  *const_cast<std::uint8_t*>(op->GetAddressOf(schema::Operator::VT_BUILTIN_OPTIONS_TYPE)) =
      static_cast<std::uint8_t>(schema::BuiltinOptions::SoftmaxOptions);
  EXPECT_THAT(errors(bytes), HasSubstr("'SOFTMAX 'y' (#0)': an option of a version of SOFTMAX that is not known (found "
                                       "version 9 with option number 2, expected 1 to 3)"));
}

// Bytes that are options of no kind are nobody's: nothing has verified them.
TEST(TfliteVersions, optionsOfNoKindAreNotRead) {
  TfliteWriter w = unary_model(BuiltinOperator::RELU, q(0.5f, 0));
  w.model.operator_codes[0]->version = 4;
  schema::Conv2DOptionsT other;
  other.stride_h = 1;
  w.op(0).builtin_options.Set(other);
  std::string bytes = w.bytes();
  const auto* op = reinterpret_cast<const flatbuffers::Table*>(
      schema::GetModel(bytes.data())->subgraphs()->Get(0)->operators()->Get(0));
  *const_cast<std::uint8_t*>(op->GetAddressOf(schema::Operator::VT_BUILTIN_OPTIONS_TYPE)) =
      static_cast<std::uint8_t>(schema::BuiltinOptions::NONE);
  Diagnostics diags;
  EXPECT_TRUE(import_bytes(bytes, diags));
  EXPECT_FALSE(diags.has_errors());
}

}  // namespace
}  // namespace byoc::test
