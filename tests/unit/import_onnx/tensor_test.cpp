// Tensor payloads in every place the format has for them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/unit/import_onnx/model_file.hpp"

namespace byoc {
namespace {

using ::onnx::TensorProto;
using test::ModelFile;
using testing::HasSubstr;

// A model that gives out the constant "w".
ModelFile constant(const std::function<void(TensorProto&)>& fill, int dtype, std::vector<std::int64_t> dims) {
  ModelFile m;
  m.output("w");
  fill(m.initialiser("w", dtype, std::move(dims)));
  return m;
}

struct Typed {
  int dtype;
  std::vector<std::int64_t> dims;
  std::function<void(TensorProto&)> fill;
  const char* text;  // part of the printed graph, or of the error
};

TEST(Tensor, typedData) {
  const std::vector<Typed> cases = {
      {TensorProto::FLOAT, {2}, [](auto& t) { t.add_float_data(1), t.add_float_data(-2.5f); }, "f32[2] = [1.0, -2.5]"},
      {TensorProto::DOUBLE, {1}, [](auto& t) { t.add_double_data(0.25); }, "f64[1] = [0.25]"},
      {TensorProto::INT32, {1}, [](auto& t) { t.add_int32_data(-70000); }, "i32[1] = [-70000]"},
      {TensorProto::INT64, {1}, [](auto& t) { t.add_int64_data(-1ll << 40); }, "i64[1] = [-1099511627776]"},
      {TensorProto::UINT32, {1}, [](auto& t) { t.add_uint64_data(4000000000u); }, "u32[1] = [4000000000]"},
      {TensorProto::UINT64, {1}, [](auto& t) { t.add_uint64_data(~0ull); }, "u64[1] = [18446744073709551615]"},
      {TensorProto::INT8, {2}, [](auto& t) { t.add_int32_data(-128), t.add_int32_data(127); }, "i8[2] = [-128, 127]"},
      {TensorProto::UINT8, {1}, [](auto& t) { t.add_int32_data(255); }, "u8[1] = [255]"},
      {TensorProto::INT16, {1}, [](auto& t) { t.add_int32_data(-3); }, "i16[1] = [-3]"},
      {TensorProto::UINT16, {1}, [](auto& t) { t.add_int32_data(65535); }, "u16[1] = [65535]"},
      {TensorProto::BOOL, {1}, [](auto& t) { t.add_int32_data(1); }, "bool[1] = [1]"},
      {TensorProto::FLOAT, {}, [](auto& t) { t.add_float_data(3); }, "f32[] = [3.0]"},
      {TensorProto::FLOAT, {0, 4}, [](auto&) {}, "f32[0,4] = "},
      {TensorProto::FLOAT16, {1}, [](auto& t) { t.add_int32_data(0x3c00); }, "f16[1] = "},
      // By number, as these are newer than the package's headers: a byte, or an element of 8 bits, in each.
      {17, {2}, [](auto& t) { t.add_int32_data(0x7e), t.add_int32_data(0x80); }, "f8e4m3fn[2] = hex\"7e80\""},
      {18, {1}, [](auto& t) { t.add_int32_data(1); }, "f8e4m3fnuz[1] = hex\"01\""},
      {19, {1}, [](auto& t) { t.set_raw_data("a"); }, "f8e5m2[1] = hex\"61\""},
      {20, {1}, [](auto& t) { t.set_raw_data("a"); }, "f8e5m2fnuz[1] = hex\"61\""},
      {21, {3}, [](auto& t) { t.add_int32_data(0xf1), t.add_int32_data(2); }, "u4[3] = hex\"f102\""},
      {22, {3}, [](auto& t) { t.add_int32_data(-15), t.add_int32_data(2); }, "i4[3] = hex\"f102\""},
      {23, {3}, [](auto& t) { t.add_int32_data(0xf1), t.add_int32_data(2); }, "f4e2m1[3] = hex\"f102\""},
      {TensorProto::STRING,
       {2},
       [](auto& t) { t.add_string_data("a\"b"), t.add_string_data(""); },
       R"(string[2] = ["a\"b", ""])"},
      {24, {1}, [](auto& t) { t.add_int32_data(255); }, "f8e8m0[1] = hex\"ff\""},
      {25, {5}, [](auto& t) { t.add_int32_data(0xe4), t.add_int32_data(1); }, "u2[5] = hex\"e401\""},
      {26, {5}, [](auto& t) { t.set_raw_data("ab"); }, "i2[5] = hex\"6162\""},
      // Errors.
      {17, {1}, [](auto& t) { t.add_int32_data(256); }, "value 256 is out of range of its type"},
      {25, {4}, [](auto& t) { t.add_int32_data(-1); }, "value -1 is out of range of its type"},
      {26,
       {5},
       [](auto& t) { t.set_raw_data("a"); },
       "data does not have the size of its type (found 1 bytes, expected 2 bytes for i2[5])"},
      {TensorProto::INT8, {1}, [](auto& t) { t.add_int32_data(128); }, "'w'': value 128 is out of range of its type"},
      {TensorProto::UINT8, {1}, [](auto& t) { t.add_int32_data(-1); }, "value -1 is out of range"},
      {TensorProto::UINT32, {1}, [](auto& t) { t.add_uint64_data(1ull << 32); }, "is out of range of its type"},
      {TensorProto::INT64, {1}, [](auto& t) { t.add_int64_data(1), t.add_int64_data(2); }, "more data than its shape"},
      {TensorProto::FLOAT,
       {3},
       [](auto& t) { t.add_float_data(1); },
       "data does not have the size of its type (found 4 bytes, expected 12 bytes for f32[3])"},
      {TensorProto::FLOAT, {3}, [](auto&) {}, "found 0 bytes, expected 12 bytes"},
      {TensorProto::FLOAT,
       {1},
       [](auto& t) { t.add_float_data(1), t.set_raw_data("abcd"); },
       "both raw_data and typed"},
      {TensorProto::FLOAT, {-1}, [](auto&) {}, "has a negative dimension or is too large (found [-1]"},
      {TensorProto::FLOAT, {1ll << 40, 1ll << 40}, [](auto&) {}, "is too large"},
      {TensorProto::COMPLEX64, {1}, [](auto&) {}, "element type that is not supported (found complex64)"},
      {TensorProto::STRING,
       {2},
       [](auto& t) { t.add_string_data("s"); },
       "data does not have the size of its type (found 1 strings, expected 2 for string[2])"},
      {TensorProto::STRING, {1}, [](auto& t) { t.set_raw_data("s"); }, "strings are not in string_data"},
      {TensorProto::FLOAT, {1}, [](auto& t) { t.mutable_segment()->set_begin(0); }, "is stored in segments"},
  };
  for (const Typed& c : cases) EXPECT_THAT(constant(c.fill, c.dtype, c.dims).text(), HasSubstr(c.text));
}

TEST(Tensor, rawDataIsMappedWhereItLies) {
  const ModelFile m = constant([](auto& t) { t.set_raw_data("abcdefgh"); }, TensorProto::INT8, {8});
  const auto imported = m.import();
  ASSERT_TRUE(imported.graph) << imported.errors;
  const Blob& blob = imported.graph->values[0].constant->bytes;
  ASSERT_NE(blob.file(), nullptr);
  EXPECT_EQ(blob.file_offset(), m.bytes().find("abcdefgh"));
}

// Writers of proto2 may leave packed fields unpacked, and split packed ones.
TEST(Tensor, unpackedAndSplitTypedData) {
  ModelFile m = constant([](auto&) {}, TensorProto::FLOAT, {3});
  const std::string bytes = m.bytes();
  const auto with_extra = [&](const std::string& extra) {
    // The tensor's message is rebuilt by hand: dims 3, float32, name, then `extra`.
    ::onnx::ModelProto model = m.model;
    model.mutable_graph()->clear_initializer();
    const std::string tensor = std::string("\x08\x03\x10\x01\x42\x01w", 7) + extra;
    std::string graph = model.graph().SerializeAsString() + "\x2a" + static_cast<char>(tensor.size()) + tensor;
    model.clear_graph();
    const auto imported = m.import_bytes(model.SerializeAsString() + "\x3a" + static_cast<char>(graph.size()) + graph);
    return imported.graph ? ir::print(*imported.graph) : imported.errors;
  };
  const std::string one("\0\0\x80\x3f", 4), two("\0\0\0\x40", 4);
  const std::string expected = "f32[3] = [1.0, 2.0, 1.0]";
  EXPECT_THAT(with_extra("\x25" + one + "\x25" + two + "\x25" + one), HasSubstr(expected));
  EXPECT_THAT(with_extra("\x22\x08" + one + two + "\x22\x04" + one), HasSubstr(expected));
  EXPECT_THAT(with_extra("\x22\x08" + one + two + "\x25" + one), HasSubstr(expected));
  EXPECT_THAT(with_extra("\x22\x0c" + one + two + one), HasSubstr(expected));
  EXPECT_THAT(with_extra("\x22\x0a" + one + two + "ab"), HasSubstr("found 10 bytes, expected 12 bytes"));
}

class External : public testing::Test {
 protected:
  // `entries` are key, value, key, value ...
  std::string import(const std::vector<std::string>& entries) {
    m_.emplace(constant(
        [&](auto& t) {
          t.set_data_location(TensorProto::EXTERNAL);
          for (std::size_t i = 0; i + 1 < entries.size(); i += 2) {
            auto* e = t.add_external_data();
            e->set_key(entries[i]);
            e->set_value(entries[i + 1]);
          }
        },
        TensorProto::INT8, {4}));
    m_->write("0123456789", "data.bin");
    std::filesystem::create_directory(m_->path("sub"));
    m_->write("wxyz", "sub/more.bin");
    std::filesystem::create_symlink("/etc/passwd", m_->path("link"));
    return m_->text();
  }
  std::optional<ModelFile> m_;
};

TEST_F(External, isMapped) {
  EXPECT_THAT(import({"location", "data.bin", "offset", "2", "length", "4"}), HasSubstr("i8[4] = [50, 51, 52, 53]"));
  EXPECT_THAT(import({"location", "data.bin", "checksum", "x"}), HasSubstr("= [48, 49, 50, 51]"));
  EXPECT_THAT(import({"location", "sub/more.bin"}), HasSubstr("= [119, 120, 121, 122]"));
}

TEST_F(External, refusals) {
  EXPECT_THAT(import({"location", "data.bin", "offset", "8"}),
              HasSubstr("runs past the end of 'data.bin' (found 4 bytes at 8, expected inside its 10 bytes)"));
  EXPECT_THAT(import({"location", "data.bin", "offset", "18446744073709551615"}), HasSubstr("runs past the end"));
  EXPECT_THAT(import({"location", "data.bin", "length", "5"}), HasSubstr("found 5 bytes, expected 4 bytes"));
  EXPECT_THAT(import({"location", "data.bin", "offset", "-1"}), HasSubstr("has a bad entry (found offset=-1"));
  EXPECT_THAT(import({"location", "data.bin", "colour", "1"}), HasSubstr("has a bad entry (found colour=1"));
  for (const char* outside : {"/etc/passwd", "../data.bin", "sub/../../data.bin", "", "link"})
    EXPECT_THAT(import({"location", outside}),
                HasSubstr("external data lies outside the model's folder (found '" + std::string(outside) + "'"));
  EXPECT_THAT(import({"location", std::string("data.bin\0.txt", 12)}),
              HasSubstr("external data has a NUL in its location (found 'data.bin' and more behind it"));
  EXPECT_THAT(import({"location", "none.bin"}), HasSubstr("external data cannot be read (found 'none.bin')"));
}

}  // namespace
}  // namespace byoc
