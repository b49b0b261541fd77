// Files that are not what they should be: an error that says so, and never a crash.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "tests/unit/import_tflite/models.hpp"

namespace byoc::test {
namespace {

using testing::HasSubstr;

TfliteWriter sound_relu() { return unary_model(BuiltinOperator::RELU, q(0.5f, 0)); }

TEST(TfliteDamage, everyPrefixIsRefused) {
  const std::string bytes = conv_model().bytes();
  ASSERT_EQ(errors(bytes), "");
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    Diagnostics diags;
    EXPECT_FALSE(import_bytes(bytes.substr(0, n), diags)) << n << " of " << bytes.size() << " bytes";
    EXPECT_TRUE(diags.has_errors());
  }
}

// Most changes do no harm or are refused; none may crash, and what is accepted keeps the graph's rules.
TEST(TfliteDamage, noChangedByteIsFatal) {
  const std::string bytes = fully_connected_model().bytes();
  for (std::size_t i = 0; i < bytes.size(); ++i)
    for (const int change : {0x01, 0x80, 0xff}) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ change);
      Diagnostics diags;
      const bool ok = static_cast<bool>(import_bytes(damaged, diags));
      EXPECT_NE(ok, diags.has_errors()) << "byte " << i;
    }
}

TEST(TfliteDamage, filesOfOtherKinds) {
  EXPECT_THAT(errors(""), HasSubstr("is not a TFLite model: too short (found 0 bytes, expected 8 bytes or more)"));
  EXPECT_THAT(errors("PK\x03\x04 a zip archive"),
              HasSubstr("is not a TFLite model: wrong file identifier (found ' a z', expected 'TFL3' at offset 4)"));
  std::string bytes = sound_relu().bytes();
  bytes[7] = '\x01';
  EXPECT_THAT(errors(bytes), HasSubstr("(found 'TFL?', expected 'TFL3' at offset 4)"));
  EXPECT_THAT(errors(sound_relu().bytes().substr(0, 60)), HasSubstr("is truncated or damaged"));
  Diagnostics diags;
  EXPECT_FALSE(import_tflite("/nonexistent/model.tflite", diags));
  EXPECT_THAT(to_string(diags.all().at(0)), HasSubstr("cannot be opened"));
}

// The verifier of FlatBuffers lets elements of 8 bytes lie at any multiple of 4: they are read all the same.
TEST(TfliteDamage, zeroPointsMayLieAskew) {
  for (const std::size_t beside : {0U, 4U}) {
    std::string bytes = unary_model(BuiltinOperator::RELU, q(0.5f, -7)).bytes();
    const auto* tensor = tflite::schema::GetModel(bytes.data())->subgraphs()->Get(0)->tensors()->Get(0);
    const auto* table = reinterpret_cast<const flatbuffers::Table*>(tensor->quantization());
    const auto* field = table->GetAddressOf(tflite::schema::QuantizationParameters::VT_ZERO_POINT);
    const auto at = static_cast<std::size_t>(reinterpret_cast<const char*>(field) - bytes.data());
    // A vector of its own behind the others; its elements start 4 bytes behind its length.
    while (bytes.size() % 8 != (beside + 4) % 8) bytes.push_back('\0');
    const auto distance = static_cast<std::uint32_t>(bytes.size() - at);
    std::memcpy(bytes.data() + at, &distance, sizeof distance);
    const std::uint32_t count = 1;
    const std::int64_t zero_point = -9;
    bytes.append(reinterpret_cast<const char*>(&count), sizeof count);
    bytes.append(reinterpret_cast<const char*>(&zero_point), sizeof zero_point);
    Diagnostics diags;
    const auto graph = import_bytes(bytes, diags);
    ASSERT_TRUE(graph) << errors(bytes);
    EXPECT_EQ(graph->values[graph->inputs[0]].type.quantisation->zero_points, std::vector<std::int64_t>{-9});
  }
}

struct Damage {
  void (*change)(TfliteWriter&);
  const char* message;
};

class TfliteDamaged : public testing::TestWithParam<Damage> {};

TEST_P(TfliteDamaged, isRefused) {
  TfliteWriter w = sound_relu();
  GetParam().change(w);
  EXPECT_THAT(errors(w.bytes()), HasSubstr(GetParam().message));
}

// A second operator, z = RELU(y).
void chain(TfliteWriter& w) {
  w.add("z", kI8, {2, 3}, q(0.5f, 0));
  w.add_operator(BuiltinOperator::RELU, {1}, {2});
}

INSTANTIATE_TEST_SUITE_P(
    Tables, TfliteDamaged,
    testing::Values(Damage{[](auto& w) { w.model.version = 4; }, "unsupported schema version (found 4, expected 3)"},
                    Damage{[](auto& w) { w.model.subgraphs.clear(); }, "the model has no subgraph"},
                    Damage{[](auto& w) { w.op(0).opcode_index = 1; },
                           "'operator #0': operator code out of range (found 1, expected less than 1)"},
                    Damage{[](auto& w) { w.op(0).inputs = {2}; },
                           "'RELU 'y' (#0)': tensor index out of range (found 2, expected 0 to 1)"},
                    Damage{[](auto& w) { w.op(0).outputs = {-1}; }, "'RELU (#0)': tensor index out of range (found -1"},
                    Damage{[](auto& w) { w.op(0).inputs = {-2}; }, "tensor index out of range (found -2"},
                    Damage{[](auto& w) { w.boundary({7}, {1}); },
                           "'the graph's inputs': tensor index out of range (found 7, expected 0 to 1)"},
                    Damage{[](auto& w) { w.boundary({0}, {-1}); },
                           "'the graph's outputs': tensor index out of range (found -1"},
                    Damage{[](auto& w) { w.boundary({0, 0}, {1}); },
                           "'the graph's inputs': computes a tensor that is already given (found tensor 0 'x')"},
                    Damage{[](auto& w) { w.add_operator(BuiltinOperator::RELU, {0}, {1}); },
                           "'RELU 'y' (#1)': computes a tensor that is already given (found tensor 1 'y')"},
                    Damage{[](auto& w) { w.boundary({}, {1}); },
                           "'RELU 'y' (#0)': reads a tensor that nothing computes (found tensor 0 'x')"},
                    Damage{[](auto& w) {
                             w.add("z", kI8, {1}, q(1, 0));
                             w.boundary({0}, {2});
                           },
                           "'the graph's outputs': reads a tensor that nothing computes (found tensor 2 'z')"},
                    Damage{[](auto& w) {
                             chain(w);
                             w.op(0).inputs = {2};
                           },
                           "is on a cycle"}));

INSTANTIATE_TEST_SUITE_P(
    Tensors, TfliteDamaged,
    testing::Values(
        Damage{[](auto& w) { w.tensor(0).type = TensorType::COMPLEX128; },
               "'tensor 0 'x'': unsupported element type (found COMPLEX128)"},
        Damage{[](auto& w) { w.tensor(0).type = static_cast<TensorType>(50); },
               "unsupported element type (found type 50)"},
        Damage{[](auto& w) { w.tensor(0).sparsity = std::make_unique<schema::SparsityParametersT>(); },
               "'tensor 0 'x'': is sparse, but no constant"},
        Damage{[](auto& w) { w.tensor(0).is_variable = true; },
               "reads a variable tensor as an ordinary input (found input 0, tensor 0 'x')"},
        Damage{[](auto& w) { w.tensor(1).shape = {-1, 3}; },
               "'tensor 1 'y'': negative dimension (found -1, expected 0 or more)"},
        Damage{[](auto& w) { w.tensor(0).shape = {2147483647, 2147483647, 2147483647}; },
               "the tensor is too large (expected fewer than 2^63 bits)"},
        Damage{[](auto& w) { w.tensor(0).quantization->details.Set(schema::CustomQuantizationT()); },
               "custom quantisation is not supported"},
        Damage{[](auto& w) { w.tensor(0).quantization->zero_point = {}; },
               "quantisation needs a zero point for each scale (found 1 scales and 0 zero points)"},
        Damage{[](auto& w) { w.tensor(0).quantization->scale = {0.0f}; },
               "quantisation scale out of range (found 0, expected a positive number, or zeros)"},
        Damage{[](auto& w) { w.tensor(0).quantization->scale = {std::numeric_limits<float>::infinity()}; },
               "quantisation scale out of range (found inf"},
        Damage{[](auto& w) {
                 w.tensor(0).quantization->scale = {1, 1};
                 w.tensor(0).quantization->quantized_dimension = 2;
               },
               "quantised dimension out of range (found 2, expected less than 2)"},
        Damage{[](auto& w) { w.tensor(0).quantization->scale = {1, 1, 1}; },
               "quantisation needs a scale for each index of its dimension (found 3 scales, expected 2)"},
        Damage{[](auto& w) { w.tensor(0).buffer = 1; }, "buffer index out of range (found 1, expected less than 1)"},
        Damage{[](auto& w) {
                 w.tensor(1).buffer = 1;
                 w.model.buffers.push_back(std::make_unique<schema::BufferT>());
                 w.model.buffers[1]->data.resize(6);
               },
               "'tensor 1 'y'': has data, but an operator or the caller computes it"},
        Damage{[](auto& w) {
                 w.boundary({}, {1});
                 w.tensor(0).buffer = 1;
                 w.model.buffers.push_back(std::make_unique<schema::BufferT>());
                 w.model.buffers[1]->data.resize(5);
               },
               "'tensor 0 'x'': its buffer does not have the size of its type (found 5 bytes, expected 6 bytes)"}));

// One vector that all operators name costs next to nothing in the file and much in memory.
TEST(TfliteDamage, sharedVectorsMayNotMultiply) {
  flatbuffers::FlatBufferBuilder b;
  const auto numbers = b.CreateVector(std::vector<std::int32_t>(10000, 0));
  std::vector<flatbuffers::Offset<schema::Operator>> operators(10000, schema::CreateOperator(b, 0, numbers, numbers));
  std::vector<flatbuffers::Offset<schema::SubGraph>> graphs = {
      schema::CreateSubGraph(b, 0, 0, 0, b.CreateVector(operators))};
  b.Finish(schema::CreateModel(b, 3, 0, b.CreateVector(graphs)), schema::ModelIdentifier());
  EXPECT_THAT(errors({reinterpret_cast<const char*>(b.GetBufferPointer()), b.GetSize()}),
              HasSubstr("is damaged: its tensors and operators share oversized vectors (found 200000000 elements"));
}

}  // namespace
}  // namespace byoc::test
