// CUSTOM operators become nodes that only a codegen knows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/import_tflite/models.hpp"

namespace byoc::test {
namespace {

using testing::HasSubstr;

// x f32[2,3], w u8[4] -> y i8[6], with scratch memory of 100 bytes.
TfliteWriter custom_model() {
  TfliteWriter w;
  w.add("x", kF32, {2, 3});
  w.constant("w", TensorType::UINT8, {4}, std::vector<std::uint8_t>{1, 2, 3, 4});
  w.add("scratch", TensorType::UINT8, {100});
  w.add("y", kI8, {6}, q(0.5f, 3));
  w.add_operator(BuiltinOperator::CUSTOM, {0, 2, 1}, {3}, 4);
  w.model.operator_codes[0]->custom_code = "acme-op";
  w.op(0).custom_options = {1, 4, 0, 255};
  w.boundary({0}, {3});
  return w;
}

TEST(TfliteCustom, isANodeOfItsName) {
  EXPECT_THAT(imported(custom_model()),
              HasSubstr("%3 \"y\" : i8[6] q(0.5, 3) #3 = \"tflite\".\"acme-op\".4(%0, _, %1) "
                        "{custom_options=\"\\x01\\x04\\x00\\xff\", scratch_bytes=[0, 100, 0]} @\"y\" #0"));
}

TEST(TfliteCustom, optionsMayLieBehindTheFlatBuffer) {
  TfliteWriter w = custom_model();
  w.op(0).custom_options.clear();
  w.op(0).large_custom_options_offset = 2;
  w.op(0).large_custom_options_size = 3;
  const std::string found = w.bytes().substr(2, 3);
  Diagnostics diags;
  const auto graph = import_bytes(w.bytes(), diags);
  ASSERT_TRUE(graph);
  EXPECT_EQ(graph->nodes[0].text("custom_options", ""), found);
  w.op(0).large_custom_options_size = 1 << 20;
  EXPECT_THAT(errors(w.bytes()),
              HasSubstr("'CUSTOM 'acme-op' 'y' (#0)': its options lie outside the file (found 1048576 bytes at 2"));
}

// What a compiler for TensorFlow Lite Micro says of where tensors lie in its memory.
TEST(TfliteCustom, placesOfItsTensors) {
  TfliteWriter w = custom_model();
  const std::vector<std::int32_t> words = {0, 1, 4, 16, -1, 0, 64};
  auto buffer = std::make_unique<schema::BufferT>();
  buffer->data.resize(words.size() * 4);
  std::memcpy(buffer->data.data(), words.data(), buffer->data.size());
  w.model.buffers.push_back(std::move(buffer));
  w.model.metadata.push_back(std::make_unique<schema::MetadataT>());
  w.model.metadata[0]->name = "OfflineMemoryAllocation";
  w.model.metadata[0]->buffer = static_cast<std::uint32_t>(w.model.buffers.size() - 1);
  EXPECT_THAT(imported(w), HasSubstr("offline_places=[16, 0, -1, 64], scratch_bytes=[0, 100, 0]"));
  w.model.buffers.back()->data.resize(8);  // of another number of tensors
  EXPECT_THAT(imported(w), testing::Not(HasSubstr("offline_places")));
}

// MediaPipe's: SAME or VALID, the strides across and down.
TfliteWriter mediapipe_model(std::vector<std::uint8_t> options, std::vector<std::int32_t> output) {
  TfliteWriter w;
  w.add("x", kF32, {1, 3, 4, 2});
  w.constant("w", kF32, {5, 2, 3, 2}, std::vector<float>(60, 1.0f));
  w.constant("b", kF32, {5}, std::vector<float>(5, 0.5f));
  w.add("y", kF32, std::move(output));
  w.add_operator(BuiltinOperator::CUSTOM, {0, 1, 2}, {3}, 1);
  w.model.operator_codes[0]->custom_code = "Convolution2DTransposeBias";
  w.op(0).custom_options = std::move(options);
  w.boundary({0}, {3});
  return w;
}

TEST(TfliteCustom, mediapipesTransposedConvolution) {
  EXPECT_THAT(imported(mediapipe_model({1, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0}, {1, 6, 12, 5})),
              HasSubstr("%3 \"y\" : f32[1,6,12,5] #3 = ConvTranspose.18(%0, %1, %2) {data_layout=\"NHWC\""));
  EXPECT_THAT(imported(mediapipe_model({1, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0}, {1, 6, 12, 5})),
              HasSubstr("strides=[2, 3]"));
  EXPECT_THAT(imported(mediapipe_model({2, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 9}, {1, 4, 6, 5})),
              HasSubstr("strides=[1, 1]"));
  const auto refused = [](std::vector<std::uint8_t> options) {
    return errors(mediapipe_model(std::move(options), {1, 6, 12, 5}).bytes());
  };
  EXPECT_THAT(refused({1, 0, 0, 0}),
              HasSubstr("'CUSTOM 'Convolution2DTransposeBias' 'y' (#0)': its options are too short (found 4 "
                        "bytes, expected at least 12 bytes)"));
  EXPECT_THAT(refused({3, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}),
              HasSubstr("padding out of range (found 3, expected 1 or 2)"));
  EXPECT_THAT(refused({1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 128}),
              HasSubstr("stride out of range (found 2147483648, expected less than 2^31)"));
  EXPECT_THAT(refused({1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0}), HasSubstr("stride"));
}

struct Refused {
  void (*change)(TfliteWriter&);
  const char* message;
};

TEST(TfliteCustom, refusals) {
  const Refused kAll[] = {
      {[](TfliteWriter& w) { w.tensor(2).is_variable = true; },
       "a CUSTOM operator cannot keep variables (found tensor 2"},
      {[](TfliteWriter& w) { w.op(0).builtin_options.Set(schema::AddOptionsT()); },
       "options of a builtin operator on a CUSTOM one (found options number 11)"},
      {[](TfliteWriter& w) {
         w.op(0).outputs.clear();
         w.boundary({0}, {0});
       },
       "wrong number of outputs (found 0, expected 1 or more)"},
      // What the graph gives out somebody has to compute.
      {[](TfliteWriter& w) { w.boundary({0}, {3, 2}); }, "reads a tensor that nothing computes (found tensor 2"},
  };
  for (const Refused& r : kAll) {
    TfliteWriter w = custom_model();
    r.change(w);
    EXPECT_THAT(errors(w.bytes()), HasSubstr(r.message));
  }
}

}  // namespace
}  // namespace byoc::test
