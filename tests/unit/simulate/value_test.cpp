// Strings, sequences and optionals from files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "sdk/base/support/file.hpp"
#include "sdk/run/values/input_proto.hpp"
#include "sdk/run/values/input_value.hpp"

namespace byoc {
namespace {

using Kind = HostValue::Kind;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const ValueInfo kStrings{"x", "string[2]", Kind::tensor, DType::string, std::nullopt};
const ValueInfo kSequence{"x", "seq(f32?)", Kind::sequence, DType::f32, std::nullopt};
const ValueInfo kOptional{"x", "optional(f32?)", Kind::optional, DType::f32, std::nullopt};

onnx::TensorProto floats(const std::vector<float>& values) {
  onnx::TensorProto out;
  out.set_data_type(onnx::TensorProto::FLOAT);
  out.add_dims(static_cast<std::int64_t>(values.size()));
  for (const float v : values) out.add_float_data(v);
  return out;
}

onnx::TensorProto strings(const std::vector<std::string>& values) {
  onnx::TensorProto out;
  out.set_data_type(onnx::TensorProto::STRING);
  out.add_dims(static_cast<std::int64_t>(values.size()));
  for (const std::string& v : values) out.add_string_data(v);
  return out;
}

class ValueFile : public ::testing::Test {
 protected:
  Result<HostValue> read(const std::string& bytes, const ValueInfo& input, const std::string& name = "x.pb") {
    auto folder = TemporaryDirectory::create(diags);
    std::ofstream(folder->path() + "/" + name, std::ios::binary) << bytes;
    return value_of_file(folder->path() + "/" + name, input, diags);
  }
  std::string error(const std::string& bytes, const ValueInfo& input, const std::string& name = "x.pb") {
    EXPECT_FALSE(read(bytes, input, name));
    return diags.all().empty() ? "" : to_string(diags.all().back());
  }
  Diagnostics diags;
};

TEST_F(ValueFile, HasStrings) {
  const auto value = read(strings({"a", std::string("\0\xff", 2)}).SerializeAsString(), kStrings);
  ASSERT_TRUE(value);
  EXPECT_THAT(value->dims, ElementsAre(2));
  EXPECT_THAT(value->texts, ElementsAre("a", std::string("\0\xff", 2)));
}

TEST_F(ValueFile, HasASequence) {
  onnx::SequenceProto sequence;
  EXPECT_THAT(read(sequence.SerializeAsString(), kSequence)->items, IsEmpty());
  *sequence.add_tensor_values() = floats({1});
  *sequence.add_tensor_values() = floats({2, 3});
  const auto value = read(sequence.SerializeAsString(), kSequence);
  ASSERT_TRUE(value);
  EXPECT_EQ(value->kind, Kind::sequence);
  ASSERT_EQ(value->items.size(), 2u);
  EXPECT_THAT(value->items[1].dims, ElementsAre(2));
  EXPECT_EQ(value->items[1].bytes.size(), 8u);
}

TEST_F(ValueFile, HasAnOptional) {
  onnx::OptionalProto optional;
  EXPECT_THAT(read(optional.SerializeAsString(), kOptional)->items, IsEmpty());
  *optional.mutable_tensor_value() = floats({1});
  EXPECT_THAT(read(optional.SerializeAsString(), kOptional)->items[0].dims, ElementsAre(1));
  optional.clear_tensor_value();
  *optional.mutable_sequence_value()->add_tensor_values() = floats({1});
  const auto value = read(optional.SerializeAsString(), kOptional);
  ASSERT_TRUE(value);
  EXPECT_EQ(value->items[0].kind, Kind::sequence);
  EXPECT_EQ(value->items[0].items.size(), 1u);
}

TEST_F(ValueFile, ThatIsAnotherMessageIsRefused) {
  EXPECT_THAT(error("\xff\xff\xff", kStrings), HasSubstr("'x': is not an ONNX TensorProto"));
  EXPECT_THAT(error("\xff\xff\xff", kSequence), HasSubstr("is not an ONNX SequenceProto"));
  EXPECT_THAT(error("\xff\xff\xff", kOptional), HasSubstr("is not an ONNX OptionalProto"));
  EXPECT_THAT(error(floats({1}).SerializeAsString(), kStrings),
              HasSubstr("element type is not the tensor's (found float32, expected string)"));
  EXPECT_THAT(
      error("", kSequence, "x.npy"),
      HasSubstr("does not hold a value of this kind (found seq(f32?), expected a .pb file, or a folder with 0.npy"));
}

TEST_F(ValueFile, OfOtherThingsIsRefused) {
  onnx::SequenceProto sequence;
  sequence.add_sequence_values();
  EXPECT_THAT(error(sequence.SerializeAsString(), kSequence),
              HasSubstr("is a sequence of something else (expected a sequence of tensors)"));
  onnx::OptionalProto optional;
  optional.mutable_optional_value();
  EXPECT_THAT(error(optional.SerializeAsString(), kOptional), HasSubstr("is an optional of something else"));
}

TEST_F(ValueFile, WithoutItsElementsIsRefused) {
  onnx::TensorProto tensor = strings({"a"});
  tensor.set_dims(0, 2);
  EXPECT_THAT(error(tensor.SerializeAsString(), kStrings),
              HasSubstr("has a wrong number of strings (found 1, expected 2)"));
  onnx::SequenceProto sequence;
  *sequence.add_tensor_values() = floats({1});
  for (const std::int64_t dim : {std::int64_t{-1}, INT64_MAX}) {
    sequence.mutable_tensor_values(0)->set_dims(0, dim);
    EXPECT_THAT(error(sequence.SerializeAsString(), kSequence), HasSubstr("is too large"));
  }
  sequence.mutable_tensor_values(0)->set_dims(0, 2);
  EXPECT_THAT(error(sequence.SerializeAsString(), kSequence), HasSubstr("wrong number of data bytes"));
}

}  // namespace
}  // namespace byoc
