// Names of classes, real values, and outputs beside those of others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>

#include "sdk/base/support/file.hpp"
#include "sdk/run/values/labels.hpp"
#include "sdk/run/values/numbers.hpp"
#include "sdk/run/values/output_npy.hpp"
#include "sdk/run/values/reference.hpp"

namespace byoc {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

IoTensor tensor(const std::string& name, DType dtype, std::vector<std::int64_t> dims) {
  IoTensor out;
  out.name = out.field = name;
  out.dtype = dtype;
  out.dims = std::move(dims);
  return out;
}

IoTensor quantised(const std::string& name, std::vector<std::int64_t> dims, float scale, std::int64_t zero) {
  IoTensor out = tensor(name, DType::i8, std::move(dims));
  out.quantisation = {{scale}, {zero}, -1};
  return out;
}

template <class T>
std::vector<std::byte> as_bytes_of(const std::vector<T>& values) {
  std::vector<std::byte> out(values.size() * sizeof(T));
  std::memcpy(out.data(), values.data(), out.size());
  return out;
}

TEST(Numbers, AreRealByScaleAndZeroPoint) {
  const IoTensor t = quantised("y", {2}, 0.5F, -10);
  EXPECT_THAT(numbers_of(t, as_bytes_of<std::int8_t>({-10, 20})), ElementsAre(-10, 20));
  EXPECT_EQ(real_value(t, -10), 0);
  EXPECT_EQ(real_value(t, 20), 15);
  EXPECT_EQ(real_value(tensor("y", DType::i8, {2}), 20), 20);
}

TEST(OutputDifference, CountsMeasuresAndCompares) {
  const IoTensor t = quantised("y", {4}, 0.5F, 0);
  const auto d =
      difference_of(t, as_bytes_of<std::int8_t>({1, 2, 3, 4}), as_bytes_of<std::int8_t>({1, 3, 3, 1}), {1, 0});
  EXPECT_EQ(d.elements, 4U);
  EXPECT_EQ(d.mismatches, 2U);
  EXPECT_EQ(d.beyond, 1U);
  EXPECT_EQ(d.largest, 3);
  EXPECT_NEAR(d.cosine, 20 / std::sqrt(30.0 * 20), 1e-12);
  EXPECT_EQ(to_string(d, false), "output y: 2 of 4 values differ, by 3 at most (1.5 as real values), cosine 0.816497");
  EXPECT_THAT(to_string(d, true), HasSubstr("output y of run 0: "));
}

TEST(OutputDifference, OfFloatsIsAShareOfTheLargest) {
  const IoTensor t = tensor("y", DType::f32, {3});
  const auto found = as_bytes_of<float>({100, NAN, 0.5F}), expected = as_bytes_of<float>({100, NAN, 0.25F});
  EXPECT_EQ(difference_of(t, found, expected, {0, 0.01}).beyond, 0U);
  EXPECT_EQ(difference_of(t, found, expected, {0, 0.001}).beyond, 1U);
  EXPECT_EQ(difference_of(t, expected, expected, {}).mismatches, 0U);
  // A number where none is expected has no size.
  const auto d = difference_of(t, as_bytes_of<float>({1, 2, 9}), as_bytes_of<float>({1, NAN, 3}), {0, 100});
  EXPECT_EQ(d.beyond, 1U);
  EXPECT_TRUE(std::isnan(d.largest));
}

TEST(OutputDifference, OfOtherIntegersIsNotAllowed) {
  const auto d = difference_of(tensor("y", DType::i32, {1}), as_bytes_of<std::int32_t>({1}),
                               as_bytes_of<std::int32_t>({2}), {1, 1});
  EXPECT_EQ(d.beyond, 1U);
}

class Files : public ::testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& bytes) {
    const std::string path = dir_->path() + "/" + name;
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  std::string npy(const std::string& name, const IoTensor& t, const std::vector<std::byte>& bytes) {
    const auto made = npy_file(t, bytes);
    return file(name, {reinterpret_cast<const char*>(made.data()), made.size()});
  }
  // The error for files beside an output x, f32 [2], and y, i8 [1,3], of two runs.
  std::string compare(const std::vector<std::string>& given) {
    const std::vector<RunOutput> outputs = {{x_, x_bytes_, 0}, {y_, y_bytes_, 0}, {x_, x_bytes_, 1}, {y_, y_bytes_, 1}};
    const auto all = compare_with_files(given, outputs, {}, diags_);
    std::string out;
    if (!all) return to_string(diags_.all().back());
    for (const OutputDifference& d : *all) out += to_string(d, true) + "\n";
    return out;
  }
  std::string error_of_labels(const std::string& path) {
    EXPECT_FALSE(read_labels(path, diags_));
    return to_string(diags_.all().back());
  }

  Diagnostics diags_;
  Result<TemporaryDirectory> dir_ = TemporaryDirectory::create(diags_);
  IoTensor x_ = tensor("x", DType::f32, {2}), y_ = tensor("y", DType::i8, {1, 3});
  std::vector<std::byte> x_bytes_ = as_bytes_of<float>({1, 2}), y_bytes_ = as_bytes_of<std::int8_t>({1, 2, 3});
};

using Reference = Files;

TEST_F(Reference, IsForTheNextOutputOrTheNamedOne) {
  const std::string x = npy("x.npy", x_, x_bytes_), y = npy("y.npy", y_, as_bytes_of<std::int8_t>({1, 2, 5}));
  EXPECT_EQ(compare({x, y, "y=" + y}),
            "output x of run 0: all 2 values are equal, cosine 1.000000\n"
            "output y of run 0: 1 of 3 values differ, by 2 at most, cosine 0.975900\n"
            "output y of run 1: 1 of 3 values differ, by 2 at most, cosine 0.975900\n");
}

TEST_F(Reference, MayBeAFolder) {
  npy("output_1.npy", y_, y_bytes_);
  EXPECT_EQ(compare({dir_->path()}), "output y of run 0: all 3 values are equal, cosine 1.000000\n");
}

TEST_F(Reference, OfAnotherTypeOrShapeIsRefused) {
  EXPECT_THAT(compare({npy("y.npy", y_, y_bytes_)}),
              HasSubstr("y.npy: error: 'x': element type is not the tensor's (found i8, expected f32)"));
  EXPECT_THAT(compare({npy("three.npy", tensor("x", DType::f32, {3}), as_bytes_of<float>({1, 2, 3}))}),
              HasSubstr("three.npy: error: 'x': shape is not the tensor's (found 3, expected 2)"));
}

TEST_F(Reference, WithoutAnOutputIsAnError) {
  const std::string x = npy("x.npy", x_, x_bytes_), y = npy("y.npy", y_, y_bytes_);
  EXPECT_THAT(compare({x, y, x, y, x}),
              HasSubstr("x.npy: error: '--reference': no output is left for it (expected 'x' (f32 2), 'y' (i8 1x3))"));
  EXPECT_THAT(compare({"z=" + x}), HasSubstr("'--reference': no output without a file has this name (found 'z'"));
  std::filesystem::remove(x);
  std::filesystem::remove(y);
  EXPECT_THAT(compare({dir_->path()}), HasSubstr("the folder has no outputs (expected output_0.npy"));
}

using LabelFiles = Files;

TEST_F(LabelFiles, HaveANameOnEachLine) {
  const auto labels = read_labels(file("l.txt", "yes\r\n\nno way\n\n"), diags_);
  ASSERT_TRUE(labels);
  EXPECT_THAT(labels->names, ElementsAre("yes", "", "no way"));
  const std::vector<Labels> all = {{"a", {"1"}}, *labels};
  EXPECT_EQ(labels_for(all, y_), &all[1]);
  EXPECT_EQ(labels_for(all, x_), nullptr);
}

TEST_F(LabelFiles, ThatAreEmptyOrHugeAreRefused) {
  EXPECT_THAT(error_of_labels(file("none.txt", "\n\n")),
              HasSubstr("none.txt: error: '--labels': has no names (expected a name on each line)"));
  EXPECT_THAT(error_of_labels(file("huge.txt", std::string(5 << 20, 'x'))),
              HasSubstr("'--labels': is too large for a file of names (found 5242880 bytes"));
  EXPECT_THAT(error_of_labels(dir_->path() + "/no.txt"), HasSubstr("no.txt: error:"));
}

// As Python's zipfile appends an archive with a stored l.txt, "a\nb\n", to a file.
std::string with_labels(const std::string& model) {
  const std::string local("PK\3\4\x14\0\0\0\0\0\0\0\0\0\x97\x2a\x57\x18\4\0\0\0\4\0\0\0\5\0\0\0l.txta\nb\n", 39);
  std::string entry("PK\1\2\x14\3\x14\0\0\0\0\0\0\0\0\0\x97\x2a\x57\x18\4\0\0\0\4\0\0\0\5\0\0\0\0\0\0\0\0\0\0\0\x80\1",
                    42);
  entry += std::string(1, static_cast<char>(model.size())) + std::string(3, '\0') + "l.txt";
  std::string end("PK\5\6\0\0\0\0\1\0\1\0", 12);
  end += std::string(1, static_cast<char>(entry.size())) + std::string(3, '\0');
  end += std::string(1, static_cast<char>(model.size() + local.size())) + std::string(5, '\0');
  return model + local + entry + end;
}

TEST_F(LabelFiles, AreTakenFromTheEndOfAModel) {
  const std::string model("\x1c\0\0\0TFL3 and more", 17);
  const auto labels = labels_in_model(file("m.tflite", with_labels(model)));
  ASSERT_EQ(labels.size(), 1U);
  EXPECT_THAT(labels[0].names, ElementsAre("a", "b"));
  EXPECT_THAT(labels_in_model(file("plain.tflite", model)), ElementsAre());
  EXPECT_THAT(labels_in_model(file("other.bin", with_labels("no model"))), ElementsAre());
  EXPECT_THAT(labels_in_model(file("cut.tflite", with_labels(model).substr(0, 50))), ElementsAre());
}

}  // namespace
}  // namespace byoc
