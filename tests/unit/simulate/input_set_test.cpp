#include "sdk/run/values/input_set.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "sdk/base/support/file.hpp"
#include "sdk/base/support/process.hpp"
#include "sdk/run/values/input.hpp"
#include "sdk/run/values/output_npy.hpp"

namespace byoc {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class InputSet : public ::testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& bytes) {
    const std::string path = dir_->path() + "/" + name;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  std::vector<std::string> read(const std::vector<std::string>& given, const std::optional<Fill>& fill = {}) {
    const auto blobs = read_inputs(given, model_, fill, diags_);
    if (!blobs) return {"failed"};
    std::vector<std::string> out;
    for (const Blob& b : *blobs) out.emplace_back(reinterpret_cast<const char*>(b.data()), b.size());
    return out;
  }
  std::string error(const std::vector<std::string>& given) {
    EXPECT_THAT(read(given), ElementsAre("failed"));
    return diags_.all().empty() ? "" : to_string(diags_.all().back());
  }
  // As numpy.savez() writes it.
  std::string npz(const std::string& name, const std::vector<std::pair<std::string, IoTensor>>& arrays) {
    std::string script = "import sys, zipfile\nz = zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_DEFLATED)\n";
    for (const auto& [key, tensor] : arrays) {
      const std::string text(static_cast<std::size_t>(tensor.bytes), key.back());
      const auto bytes = npy_file(tensor, std::as_bytes(std::span(text)));
      const std::string from = file(key + ".npy", {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
      script += "z.write('" + from + "', '" + key + ".npy')\n";
    }
    script += "z.close()\n";
    const std::string path = dir_->path() + "/" + name;
    EXPECT_EQ(run_process({"python3", "-c", script, path}, diags_)->exit_code, 0);
    return path;
  }

  Diagnostics diags_;
  Result<TemporaryDirectory> dir_ = TemporaryDirectory::create(diags_);
  ModelInterface model_ = [] {
    ModelInterface m;
    m.name = "m";
    m.inputs = {{"first:0", "first_0", DType::i8, {2}, 2, {}}, {"second", "second", DType::u8, {1, 3}, 3, {}}};
    return m;
  }();
};

TEST_F(InputSet, ByPositionAndByName) {
  const std::string a = file("a.raw", "aa"), b = file("b.raw", "bbb"), c = file("c.raw", "cc");
  EXPECT_THAT(read({a, b}), ElementsAre("aa", "bbb"));
  EXPECT_THAT(read({"second=" + b, a}), ElementsAre("aa", "bbb"));
  EXPECT_THAT(read({"first:0=" + a, "second=" + b}), ElementsAre("aa", "bbb"));
  EXPECT_THAT(read({"first_0=" + a, b}), ElementsAre("aa", "bbb"));
  // A run is complete with its last input, and the next one begins.
  EXPECT_THAT(read({a, b, "second=" + b, c}), ElementsAre("aa", "bbb", "cc", "bbb"));
  // A file may be called anything.
  EXPECT_THAT(read({file("x=a.raw", "xx"), b}), ElementsAre("xx", "bbb"));
}

TEST_F(InputSet, WhatIsWrong) {
  const std::string a = file("a.raw", "aa"), b = file("b.raw", "bbb");
  EXPECT_THAT(
      error({"third=" + b, a}),
      HasSubstr("m: error: '--input': no input has this name (found 'third', expected 'first:0' (i8 2), 'second' "
                "(u8 1x3))"));
  EXPECT_THAT(error({"second=" + b, "second=" + b}), HasSubstr("an input is given twice"));
  EXPECT_THAT(error({a}),
              HasSubstr("one --input for each input of the model is needed, for each run (found 1, expected "
                        "2 or a multiple of it; 'second' has none, nor is there a --fill)"));
  EXPECT_THAT(error({b, a}), HasSubstr("size is not the tensor's"));
  model_.inputs.clear();
  EXPECT_THAT(error({a}), HasSubstr("the model has no inputs"));
}

TEST_F(InputSet, Folders) {
  file("set/input_0.raw", "aa");
  file("set/input_1.bin", "bbb");
  EXPECT_THAT(read({dir_->path() + "/set"}), ElementsAre("aa", "bbb"));
  EXPECT_EQ(files_of_inputs(std::vector{dir_->path() + "/set"}).size(), 2u);
  file("set/input_2.raw", "c");
  EXPECT_THAT(error({dir_->path() + "/set"}), HasSubstr("the model has no input for it"));
  std::filesystem::create_directories(dir_->path() + "/none");
  EXPECT_THAT(error({dir_->path() + "/none"}), HasSubstr("the folder has no inputs (expected input_0.pb"));
}

TEST_F(InputSet, Npz) {
  EXPECT_THAT(read({npz("named.npz", {{"second", model_.inputs[1]}, {"first_0", model_.inputs[0]}})}),
              ElementsAre("00", "ddd"));
  EXPECT_THAT(read({npz("numbered.npz", {{"arr_0", model_.inputs[0]}, {"arr_1", model_.inputs[1]}})}),
              ElementsAre("00", "111"));
  EXPECT_THAT(error({npz("other.npz", {{"third", model_.inputs[0]}})}),
              HasSubstr("other.npz: error: '--input': no input has this name (found 'third'"));
  EXPECT_THAT(error({npz("shape.npz", {{"second", model_.inputs[0]}})}),
              HasSubstr("shape.npz(second): error: 'second': element type is not the tensor's"));
  IoTensor large = model_.inputs[0];
  large.dims = {3 << 20};
  large.bytes = 3 << 20;
  EXPECT_THAT(error({npz("large.npz", {{"second", large}})}), HasSubstr("array 'second' is larger than the input"));
  EXPECT_THAT(error({file("broken.npz", "PK and nothing")}), HasSubstr("is no .npz archive"));
  EXPECT_THAT(error({npz("empty.npz", {})}), HasSubstr("empty.npz: error: '--input': "));
}

TEST_F(InputSet, Fills) {
  EXPECT_THAT(read({}), ElementsAre(std::string(2, '\0'), std::string(3, '\0')));
  EXPECT_THAT(read({}, parse_fill("ones")), ElementsAre("\1\1", "\1\1\1"));
  EXPECT_THAT(read({file("a.raw", "aa")}, parse_fill("ones")), ElementsAre("aa", "\1\1\1"));
  EXPECT_EQ(read({}, parse_fill("random:7")), read({}, parse_fill("random:7")));
  EXPECT_NE(read({}, parse_fill("random:7")), read({}, parse_fill("random:8")));
  for (const char* bad : {"", "zero", "random:", "random:x", "random:1x", "random:-1"}) EXPECT_FALSE(parse_fill(bad));
  model_.inputs.clear();
  EXPECT_TRUE(read({}).empty());
}

TEST_F(InputSet, FillsOfEveryType) {
  for (std::uint32_t t = 1; t < kNumericTypeCount; ++t) {
    const auto type = static_cast<DType>(t);
    const IoTensor tensor{"x", "x", type, {64}, 64 * bit_width(type) / 8, {}};
    const auto ones = filled({FillKind::ones, 0}, tensor, 0), random = filled({FillKind::random, 1}, tensor, 0);
    EXPECT_EQ(ones.size(), tensor.bytes) << to_string(type);
    EXPECT_EQ(random.size(), tensor.bytes) << to_string(type);
    EXPECT_NE(ones, random) << to_string(type);
    EXPECT_NE(ones, filled({}, tensor, 0)) << to_string(type);
  }
}

// What is written is read again.
TEST_F(InputSet, NpyOfEveryType) {
  for (std::uint32_t t = 1; t < kNumericTypeCount; ++t) {
    const auto type = static_cast<DType>(t);
    if (type == DType::bf16) continue;  // numpy has no name for it, and neither has the reader
    const IoTensor tensor{"x", "x", type, {2, 8}, 16 * bit_width(type) / 8, {}};
    const auto bytes = filled({FillKind::random, 3}, tensor, 0);
    const auto npy = npy_file(tensor, bytes);
    const auto read = read_npy_bytes(npy, "x.npy", tensor, diags_);
    ASSERT_TRUE(read) << to_string(type) << to_string(diags_.all().back());
    EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), read->bytes().begin(), read->bytes().end())) << to_string(type);
  }
}

}  // namespace
}  // namespace byoc
