#include "sdk/run/values/input.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include <cstring>
#include <fstream>

#include "sdk/base/support/file.hpp"

namespace byoc {
namespace {

using ::testing::HasSubstr;

class Input : public ::testing::Test {
 protected:
  void SetUp() override {
    auto made = TemporaryDirectory::create(diags);
    ASSERT_TRUE(made);
    directory = std::make_unique<TemporaryDirectory>(std::move(*made));
  }

  std::string file(const std::string& name, const std::string& bytes) {
    const std::string path = directory->path() + "/" + name;
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }

  static std::string npy(const std::string& header, const std::string& data, char version = 1) {
    std::string text = std::string("\x93NUMPY", 6) + version + '\0';
    text += static_cast<char>(header.size());
    text += '\0';
    if (version > 1) text += std::string(2, '\0');
    return text + header + data;
  }

  std::string read(const std::string& path) {
    auto blob = read_input(path, input, diags);
    if (!blob) return "failed";
    return {reinterpret_cast<const char*>(blob->data()), blob->size()};
  }

  std::string error(const std::string& path) {
    EXPECT_EQ(read(path), "failed");
    return diags.all().empty() ? "" : to_string(diags.all().back());
  }

  Diagnostics diags;
  std::unique_ptr<TemporaryDirectory> directory;
  IoTensor input{"x", "x", DType::i8, {1, 2, 3}, 6, {}};
};

TEST_F(Input, ReadsRawBytes) { EXPECT_EQ(read(file("a.raw", "abcdef")), "abcdef"); }

TEST_F(Input, RawOfAnotherSizeIsRefused) {
  EXPECT_THAT(error(file("a.raw", "abc")),
              HasSubstr("size is not the tensor's (found 3 bytes, expected 6 bytes (i8 1x2x3))"));
}

TEST_F(Input, MissingFileIsRefused) { EXPECT_THAT(error(directory->path() + "/none.raw"), HasSubstr("none.raw")); }

TEST_F(Input, ReadsNpyOfEveryVersion) {
  const std::string header = "{'descr': '|i1', 'fortran_order': False, 'shape': (1, 2, 3), }\n";
  for (const char version : {1, 2, 3}) EXPECT_EQ(read(file("a.npy", npy(header, "abcdef", version))), "abcdef");
}

TEST_F(Input, NpyKeysMayComeInAnyOrderAndOnesMayDiffer) {
  EXPECT_EQ(read(file("a.npy", npy("{\"shape\":(2,3),\"fortran_order\":False,\"descr\":\"<i1\"}", "abcdef"))),
            "abcdef");
}

TEST_F(Input, NpyScalarIsATensorOfOneElement) {
  input = {"x", "x", DType::f32, {1, 1}, 4, {}};
  EXPECT_EQ(read(file("a.npy", npy("{'descr': '<f4', 'fortran_order': False, 'shape': ()}", "abcd"))), "abcd");
}

TEST_F(Input, NpyOfAnotherTypeIsRefused) {
  const auto path = file("a.npy", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2, 3), }", "abcdef"));
  EXPECT_THAT(error(path), HasSubstr("element type is not the tensor's (found f32, expected i8)"));
}

TEST_F(Input, NpyOfATypeThatNoModelHasIsRefused) {
  const auto path = file("a.npy", npy("{'descr': '>i4', 'fortran_order': False, 'shape': (6,), }", "abcdef"));
  EXPECT_THAT(error(path), HasSubstr("(found >i4, expected i8)"));
}

TEST_F(Input, NpyOfAnotherShapeIsRefused) {
  const auto path = file("a.npy", npy("{'descr': '|i1', 'fortran_order': False, 'shape': (3, 2), }", "abcdef"));
  EXPECT_THAT(error(path), HasSubstr("shape is not the tensor's (found 3x2, expected 1x2x3)"));
}

TEST_F(Input, NpyInFortranOrderIsRefused) {
  const auto path = file("a.npy", npy("{'descr': '|i1', 'fortran_order': True, 'shape': (2, 3), }", "abcdef"));
  EXPECT_THAT(error(path), HasSubstr("(found fortran order, expected C order)"));
}

TEST_F(Input, CutNpyIsRefused) {
  const auto path = file("a.npy", npy("{'descr': '|i1', 'fortran_order': False, 'shape': (2, 3), }", "abc"));
  EXPECT_THAT(error(path), HasSubstr("wrong number of bytes after its header (found 3, expected 6)"));
}

TEST_F(Input, NpyThatIsNoneIsRefused) {
  EXPECT_THAT(error(file("a.npy", "abcdef")), HasSubstr("is not a .npy file of version 1, 2 or 3"));
  EXPECT_THAT(error(file("a.npy", npy("{}", "abcdef", 9))), HasSubstr("is not a .npy file"));
  EXPECT_THAT(error(file("a.npy", std::string("\x93NUMPY\x01\x00\xff\x7f{}", 12))), HasSubstr("is not a .npy file"));
}

TEST_F(Input, NpyHeaderThatCannotBeReadIsRefused) {
  for (const char* header : {"", "{", "{'descr': 3}", "{'descr': '|i1'}", "{'descr': '|i1', 'fortran_order': Maybe}",
                             "{'descr': '|i1', 'fortran_order': False, 'shape': (-1,)}",
                             "{'descr': '|i1', 'fortran_order': False, 'shape': (99999999999999999999,)}",
                             "{'descr': '|i1', 'fortran_order': False, 'shape': (2, 3"})
    EXPECT_THAT(error(file("a.npy", npy(header, "abcdef"))), HasSubstr("has a .npy header that cannot be read"))
        << header;
}

onnx::TensorProto proto(int type, std::vector<int> dims) {
  onnx::TensorProto tensor;
  tensor.set_data_type(type);
  for (const int d : dims) tensor.add_dims(d);
  return tensor;
}

TEST_F(Input, ReadsTensorProtoWithRawData) {
  auto tensor = proto(onnx::TensorProto::INT8, {1, 2, 3});
  tensor.set_raw_data("abcdef");
  EXPECT_EQ(read(file("a.pb", tensor.SerializeAsString())), "abcdef");
}

TEST_F(Input, ReadsTensorProtoWithTypedFields) {
  auto tensor = proto(onnx::TensorProto::INT8, {2, 3});
  for (const int v : {1, -1, 2, -2, 127, -128}) tensor.add_int32_data(v);
  EXPECT_EQ(read(file("a.pb", tensor.SerializeAsString())), std::string("\x01\xff\x02\xfe\x7f\x80", 6));
  input = {"x", "x", DType::f32, {1}, 4, {}};
  auto real = proto(onnx::TensorProto::FLOAT, {1});
  real.add_float_data(1.5F);
  EXPECT_EQ(read(file("b.pb", real.SerializeAsString())), std::string("\x00\x00\xc0\x3f", 4));
  input = {"x", "x", DType::i64, {1}, 8, {}};
  auto wide = proto(onnx::TensorProto::INT64, {1});
  wide.add_int64_data(-2);
  EXPECT_EQ(read(file("c.pb", wide.SerializeAsString())), std::string("\xfe\xff\xff\xff\xff\xff\xff\xff", 8));
}

// Elements of few bits: packed in a TensorProto, bytes without a type in a .npy.
TEST_F(Input, ReadsSmallElements) {
  input = {"x", "x", DType::i4, {3}, 2, {}};
  auto packed = proto(22, {3});
  packed.set_raw_data("\x21\x0f");
  EXPECT_EQ(read(file("a.pb", packed.SerializeAsString())), "\x21\x0f");
  packed.clear_raw_data();
  for (const int pair : {0x21, 0x0f}) packed.add_int32_data(pair);
  EXPECT_EQ(read(file("b.pb", packed.SerializeAsString())), "\x21\x0f");
  const std::string header = "{'descr': '|V1', 'fortran_order': False, 'shape': (3,), }";
  EXPECT_EQ(read(file("a.npy", npy(header, "\x01\x02\xff"))), "\x21\x0f");
  EXPECT_THAT(error(file("b.npy", npy(header, "\x01\x02"))),
              HasSubstr("wrong number of bytes after its header (found 2, expected 3)"));
  input = {"x", "x", DType::f8e5m2, {3}, 3, {}};
  EXPECT_EQ(read(file("c.npy", npy(header, "abc"))), "abc");
  auto whole = proto(19, {3});
  for (const int code : {1, 2, 0xfc}) whole.add_int32_data(code);
  EXPECT_EQ(read(file("c.pb", whole.SerializeAsString())), "\x01\x02\xfc");
  EXPECT_THAT(error(file("d.pb", proto(17, {3}).SerializeAsString())), HasSubstr("(found f8e4m3fn, expected f8e5m2)"));
  input = {"x", "x", DType::i8, {3}, 3, {}};
  EXPECT_THAT(error(file("c.npy", npy(header, "abc"))), HasSubstr("(found |V1, expected i8)"));
}

TEST_F(Input, TensorProtoOfAnotherTypeOrShapeIsRefused) {
  EXPECT_THAT(error(file("a.pb", proto(onnx::TensorProto::FLOAT, {1, 2, 3}).SerializeAsString())),
              HasSubstr("(found f32, expected i8)"));
  EXPECT_THAT(error(file("a.pb", proto(onnx::TensorProto::STRING, {6}).SerializeAsString())),
              HasSubstr("(found string, expected i8)"));
  EXPECT_THAT(error(file("a.pb", proto(onnx::TensorProto::INT8, {3, 2}).SerializeAsString())),
              HasSubstr("(found 3x2, expected 1x2x3)"));
}

TEST_F(Input, TensorProtoWithTooLittleDataIsRefused) {
  auto tensor = proto(onnx::TensorProto::INT8, {2, 3});
  tensor.set_raw_data("abc");
  EXPECT_THAT(error(file("a.pb", tensor.SerializeAsString())),
              HasSubstr("wrong number of data bytes (found 3, expected 6)"));
}

TEST_F(Input, TensorProtoWithExternalDataIsRefused) {
  auto tensor = proto(onnx::TensorProto::INT8, {2, 3});
  tensor.set_data_location(onnx::TensorProto::EXTERNAL);
  EXPECT_THAT(error(file("a.pb", tensor.SerializeAsString())), HasSubstr("keeps its data in another file"));
}

TEST_F(Input, PbThatIsNoneIsRefused) {
  EXPECT_THAT(error(file("a.pb", "\xff\xff\xff\xff")), HasSubstr("is not an ONNX TensorProto"));
  EXPECT_THAT(error(file("a.pb", "")), HasSubstr("is not an ONNX TensorProto"));
}

}  // namespace
}  // namespace byoc
