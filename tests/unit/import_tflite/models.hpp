// Small models that the tests import as they are or change.
#pragma once

#include <unistd.h>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "sdk/model/import/tflite/tflite.hpp"
#include "sdk/model/ir/text.hpp"
#include "sdk/model/ir/verify.hpp"
#include "tests/support/tflite_writer.hpp"

namespace byoc::test {

using schema::ActivationFunctionType;
using schema::BuiltinOperator;
using schema::Padding;
using schema::TensorType;

inline constexpr auto kI8 = TensorType::INT8;
inline constexpr auto kI16 = TensorType::INT16;
inline constexpr auto kI32 = TensorType::INT32;
inline constexpr auto kI64 = TensorType::INT64;
inline constexpr auto kF32 = TensorType::FLOAT32;
inline constexpr auto kBool = TensorType::BOOL;

// A change of a sound model that the importer refuses, with what its message has to contain.
struct Refusal {
  TfliteWriter (*make)();
  void (*change)(TfliteWriter&);
  const char* message;
};

// A folder of its own, removed at its end.
class Folder {
 public:
  Folder() {
    static int count = 0;
    path_ = std::filesystem::path(testing::TempDir()) /
            ("byoc_tflite_" + std::to_string(::getpid()) + "_" + std::to_string(count++));
    std::filesystem::create_directories(path_);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::string file(const char* name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

// Imports `bytes` as a file named "model.tflite". The graph keeps what it maps.
inline Result<ir::Graph> import_bytes(const std::string& bytes, Diagnostics& diags) {
  static const Folder folder;
  const std::string path = folder.file("model.tflite");
  write_file(path, bytes);
  auto g = import_tflite(path, diags);
  std::filesystem::remove(path);
  if (g && !ir::verify(*g, diags)) return failure;
  return g;
}

// The text of the graph; the first error where there is none.
inline std::string imported(const TfliteWriter& w) {
  Diagnostics diags;
  auto g = import_bytes(w.bytes(), diags);
  return g ? ir::print(*g) : to_string(diags.all().at(0));
}

// All errors, one a line; empty when the model is accepted.
inline std::string errors(const std::string& bytes) {
  Diagnostics diags;
  const bool ok = static_cast<bool>(import_bytes(bytes, diags));
  EXPECT_NE(ok, diags.has_errors());
  std::string out;
  for (const Diagnostic& d : diags.all()) out += to_string(d) + "\n";
  return out;
}

inline TfliteQuantisation q(float scale, std::int64_t zero_point) { return {{scale}, {zero_point}, 0}; }

// x i8[1,5,4,2], w i8[4,3,3,2] per axis, bias i32[4] -> y i8[1,3,4,4]: stride 2 high, 1 wide.
inline TfliteWriter conv_model() {
  TfliteWriter w;
  w.add("x", kI8, {1, 5, 4, 2}, q(0.5f, 3));
  w.constant("w", kI8, {4, 3, 3, 2}, std::vector<std::int8_t>(72, 1), {{0.1f, 0.2f, 0.3f, 0.4f}, {0, 0, 0, 0}, 0});
  w.constant("b", kI32, {4}, std::vector<std::int32_t>{1, 2, 3, 4});
  w.add("y", kI8, {1, 3, 4, 4}, q(0.25f, -128));
  schema::Conv2DOptionsT o;
  o.padding = Padding::SAME;
  o.stride_h = 2;
  o.stride_w = 1;
  o.fused_activation_function = ActivationFunctionType::RELU6;
  w.add_operator(BuiltinOperator::CONV_2D, {0, 1, 2}, {3}, o, 3);
  w.boundary({0}, {3});
  return w;
}

// x f32[1,4,4,2], w f32[1,2,2,4], bias f32[4] -> y f32[1,3,3,4].
inline TfliteWriter depthwise_model() {
  TfliteWriter w;
  w.add("x", kF32, {1, 4, 4, 2});
  w.constant("w", kF32, {1, 2, 2, 4}, std::vector<float>(16, 0.5f));
  w.constant("b", kF32, {4}, std::vector<float>(4, 1.0f));
  w.add("y", kF32, {1, 3, 3, 4});
  schema::DepthwiseConv2DOptionsT o;
  o.padding = Padding::VALID;
  o.stride_h = o.stride_w = 1;
  o.depth_multiplier = 2;
  w.add_operator(BuiltinOperator::DEPTHWISE_CONV_2D, {0, 1, 2}, {3}, o);
  w.boundary({0}, {3});
  return w;
}

// The output's shape, w i8[3,3,2,4] with one scale, x i8[1,2,3,4], bias i32[3] -> y i8[1,4,9,3]: stride 2 high, 3 wide.
inline TfliteWriter transpose_conv_model() {
  TfliteWriter w;
  w.constant("shape", kI32, {4}, std::vector<std::int32_t>{1, 4, 9, 3});
  w.constant("w", kI8, {3, 3, 2, 4}, std::vector<std::int8_t>(72, 1), q(0.25f, 0));
  w.add("x", kI8, {1, 2, 3, 4}, q(0.5f, 3));
  w.constant("b", kI32, {3}, std::vector<std::int32_t>{1, 2, 3}, q(0.125f, 0));
  w.add("y", kI8, {1, 4, 9, 3}, q(0.25f, -128));
  schema::TransposeConvOptionsT o;
  o.padding = Padding::SAME;
  o.stride_h = 2;
  o.stride_w = 3;
  w.add_operator(BuiltinOperator::TRANSPOSE_CONV, {0, 1, 2, 3}, {4}, o, 3);
  w.boundary({2}, {4});
  return w;
}

// x i8[2,3,4], w i8[5,4] with one scale, bias i32[5] -> y i8[6,5].
inline TfliteWriter fully_connected_model() {
  TfliteWriter w;
  w.add("x", kI8, {2, 3, 4}, q(0.5f, 1));
  w.constant("w", kI8, {5, 4}, std::vector<std::int8_t>(20, 1), q(0.25f, 0));
  w.constant("b", kI32, {5}, std::vector<std::int32_t>(5, 7), q(0.125f, 0));
  w.add("y", kI8, {6, 5}, q(1.0f, 2));
  w.add_operator(BuiltinOperator::FULLY_CONNECTED, {0, 1, 2}, {3}, schema::FullyConnectedOptionsT(), 4);
  w.boundary({0}, {3});
  return w;
}

inline TfliteWriter pool_model(BuiltinOperator code) {
  TfliteWriter w;
  w.add("x", kI8, {1, 4, 5, 2}, q(0.5f, 3));
  w.add("y", kI8, {1, 2, 3, 2}, q(0.5f, 3));
  schema::Pool2DOptionsT o;
  o.padding = Padding::SAME;
  o.stride_h = o.stride_w = 2;
  o.filter_height = 3;
  o.filter_width = 2;
  w.add_operator(code, {0}, {1}, o, 2);
  w.boundary({0}, {1});
  return w;
}

// a i8[2,3], b i8[3] -> y i8[2,3].
template <class Options>
TfliteWriter elementwise_model(BuiltinOperator code) {
  TfliteWriter w;
  w.add("a", kI8, {2, 3}, q(0.5f, 3));
  w.add("b", kI8, {3}, q(0.25f, 1));
  w.add("y", kI8, {2, 3}, q(1.0f, -5));
  Options o;
  o.fused_activation_function = ActivationFunctionType::RELU;
  w.add_operator(code, {0, 1}, {2}, o, 2);
  w.boundary({0, 1}, {2});
  return w;
}

// One input and one output of a type each, no options.
inline TfliteWriter unary_model(BuiltinOperator code, TfliteQuantisation out, TensorType from = kI8,
                                TensorType to = kI8, TfliteQuantisation in = q(0.5f, 0)) {
  TfliteWriter w;
  w.add("x", from, {2, 3}, from == kF32 ? TfliteQuantisation{} : in);
  w.add("y", to, {2, 3}, to == kF32 ? TfliteQuantisation{} : std::move(out));
  w.add_operator(code, {0}, {1});
  w.boundary({0}, {1});
  return w;
}

// x f32 of a shape, an integer constant, y f32 of a shape.
template <class Options>
TfliteWriter shaping_model(BuiltinOperator code, std::vector<std::int32_t> from, std::vector<std::int32_t> to,
                           std::vector<std::int32_t> shape, const std::vector<std::int32_t>& integers,
                           Options options) {
  TfliteWriter w;
  w.add("x", kF32, std::move(from));
  w.constant("integers", kI32, std::move(shape), integers);
  w.add("y", kF32, std::move(to));
  w.add_operator(code, {0, 1}, {2}, std::move(options));
  w.boundary({0}, {2});
  return w;
}

}  // namespace byoc::test
