// Regions as TFLite models: what is written is what the file has, and our importer reads back what computes the same.
#include "sdk/codegen/codegen/region_tflite.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>
#include <random>

#include "sdk/base/support/file.hpp"
#include "sdk/codegen/codegen/region.hpp"
#include "sdk/codegen/plugin/record/replay.hpp"
#include "sdk/codegen/plugin/record/session_record.hpp"
#include "sdk/model/evaluate/evaluate.hpp"
#include "sdk/model/import/tflite/tflite.hpp"
#include "sdk/model/ir/text.hpp"
#include "sdk/model/prepare/prepare.hpp"
#include "tests/support/model_files.hpp"
#include "tests/support/tensors.hpp"
#include "tests/support/tflite_writer.hpp"
#include "tests/unit/plugin/random_tensor.hpp"

namespace byoc::plugin {
namespace {

namespace schema = test::schema;
using test::TfliteWriter;
using Values = std::map<ir::ValueId, evaluate::Tensor>;

// A folder of the test's own with one model in it.
class Scratch {
 public:
  Scratch() : folder_(std::move(*TemporaryDirectory::create(diags_))) {}
  std::string write(const void* bytes, std::size_t size) {
    std::ofstream(path_, std::ios::binary).write(static_cast<const char*>(bytes), static_cast<std::streamsize>(size));
    return path_;
  }

 private:
  Diagnostics diags_;
  TemporaryDirectory folder_;
  const std::string path_ = folder_.path() + "/model.tflite";
};

std::optional<ir::Graph> prepared_file(const std::string& path) {
  Diagnostics diags;
  auto g = import_tflite(path, diags);
  if (g && prepare(*g, {}, diags)) return std::move(*g);
  ADD_FAILURE() << path << ": " << test::error_text(diags);
  return std::nullopt;
}

// Every value of one run with random inputs.
Values all_values(const ir::Graph& g) {
  std::mt19937 random(3);
  std::vector<evaluate::Tensor> inputs;
  Values out;
  for (const ir::ValueId v : g.inputs) {
    inputs.push_back(random_tensor(g.values[v].type, random));
    out[v] = inputs.back();
  }
  Diagnostics diags;
  EXPECT_TRUE(evaluate::run(g, inputs, diags, [&](ir::ValueId v, const evaluate::Tensor& t) { out[v] = t; }))
      << test::error_text(diags);
  return out;
}

// Runs the region's model with the values at its border, and compares every output bit by bit.
void expect_same_results(const BoundRegion& region, const codegen::TfliteForm& form, const Values& values) {
  Scratch scratch;
  const auto back = prepared_file(scratch.write(form.bytes.data(), form.bytes.size()));
  ASSERT_TRUE(back);
  std::vector<evaluate::Tensor> inputs;
  for (const codegen::ValueId v : region.region.inputs)
    if (!region.region.values[v].is_state) inputs.push_back(values.at(region.values[v]));
  ASSERT_EQ(back->inputs.size(), inputs.size());
  Diagnostics diags;
  const auto found = evaluate::run(*back, inputs, diags);
  ASSERT_TRUE(found) << test::error_text(diags);
  std::size_t at = 0;
  for (const codegen::ValueId v : region.region.outputs) {
    if (region.region.values[v].source_index < 0) continue;  // what a variable becomes
    ASSERT_LT(at, found->size());
    const auto a = (*found)[at++].bytes.bytes(), b = values.at(region.values[v]).bytes.bytes();
    EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end())) << region.region.values[v].name;
  }
  EXPECT_EQ(at, found->size());
}

// What a buffer lies at, and that the form's list of contents is true.
void expect_sound(const codegen::TfliteForm& form) {
  const auto* model = schema::GetModel(form.bytes.data());
  flatbuffers::Verifier verifier(reinterpret_cast<const std::uint8_t*>(form.bytes.data()), form.bytes.size());
  ASSERT_TRUE(schema::VerifyModelBuffer(verifier));
  std::size_t full = 0;
  for (const auto* buffer : *model->buffers()) {
    if (buffer->data() == nullptr || buffer->data()->size() == 0) continue;
    const auto offset = reinterpret_cast<const std::byte*>(buffer->data()->data()) - form.bytes.data();
    EXPECT_EQ(offset % 16, 0);
    ASSERT_LT(full, form.contents.size());
    EXPECT_EQ(form.contents[full].offset, static_cast<std::uint64_t>(offset));
    EXPECT_EQ(form.contents[full].size, buffer->data()->size());
    ++full;
  }
  EXPECT_EQ(full, form.contents.size());
}

// Every operator of the form is one of the file, with its version, options and tensors.
void expect_faithful(const codegen::TfliteForm& form, const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const auto whole = std::unique_ptr<schema::ModelT>(schema::GetModel(bytes.data())->UnPack());
  const auto part = std::unique_ptr<schema::ModelT>(schema::GetModel(form.bytes.data())->UnPack());
  const auto describe = [](const schema::ModelT& m, const schema::OperatorT& op) {
    std::string out;
    const auto add = [&](const void* data, std::size_t size) { out.append(static_cast<const char*>(data), size); };
    flatbuffers::FlatBufferBuilder builder;
    schema::OperatorT options;
    options.builtin_options = op.builtin_options;
    options.custom_options = op.custom_options;
    options.mutating_variable_inputs = op.mutating_variable_inputs;
    builder.Finish(schema::Operator::Pack(builder, &options));
    add(builder.GetBufferPointer(), builder.GetSize());
    const schema::OperatorCodeT& code = *m.operator_codes[op.opcode_index];
    out += std::to_string(static_cast<int>(code.builtin_code)) + "/" + std::to_string(code.version) + code.custom_code;
    for (const auto* list : {&op.inputs, &op.outputs})
      for (const std::int32_t t : *list) {
        out += "|";
        if (t < 0) continue;
        schema::TensorT tensor = *m.subgraphs[0]->tensors[static_cast<std::size_t>(t)];
        const std::vector<std::uint8_t>& data = m.buffers[tensor.buffer]->data;
        add(data.data(), data.size());
        tensor.name.clear();
        tensor.buffer = 0;
        flatbuffers::FlatBufferBuilder type;
        type.Finish(schema::Tensor::Pack(type, &tensor));
        add(type.GetBufferPointer(), type.GetSize());
      }
    return out;
  };
  std::map<std::string, int> of_file;
  for (const auto& op : whole->subgraphs[0]->operators) ++of_file[describe(*whole, *op)];
  for (const auto& op : part->subgraphs[0]->operators)
    EXPECT_GT(of_file[describe(*part, *op)]--, 0) << "an operator that the file does not have";
}

constexpr char kWithin[] = "value '' at its border is no tensor of the file";

// The whole model, and cuts of it.
void expect_regions(const std::string& path, bool exact_operators = true) {
  const auto g = prepared_file(path);
  ASSERT_TRUE(g);
  const Values values = all_values(*g);
  const std::size_t n = g->nodes.size();
  std::vector<std::pair<std::size_t, std::size_t>> cuts{{0, n}};
  for (std::size_t part = 2; part <= 3 && part <= n; ++part)
    for (std::size_t i = 0; i < part; ++i) cuts.emplace_back(i * n / part, (i + 1) * n / part);
  for (const auto& [from, to] : cuts) {
    std::vector<ir::NodeId> nodes;
    for (std::size_t i = from; i < to; ++i) nodes.push_back(static_cast<ir::NodeId>(i));
    SCOPED_TRACE(path + ": nodes " + std::to_string(from) + " to " + std::to_string(to));
    const BoundRegion region = make_region(*g, nodes, "part");
    const codegen::TfliteForm form = tflite_model(region.region);
    // One operator may be several nodes: a cut may lie within it, but never the whole model's border.
    if (const bool whole = from == 0 && to == n; !whole && form.refusal == kWithin) continue;
    ASSERT_EQ(form.refusal, "");
    expect_sound(form);
    if (exact_operators) expect_faithful(form, path);
    expect_same_results(region, form, values);
  }
}

class RegionTflite : public testing::TestWithParam<const char*> {};

TEST_P(RegionTflite, isWhatTheFileHas) {
  const auto path = test::model_file(GetParam());
  if (!path) GTEST_SKIP() << test::kNoModel;
  expect_regions(*path);
}

INSTANTIATE_TEST_SUITE_P(Networks, RegionTflite,
                         testing::Values("ds_cnn_int8.tflite", "ds_cnn_float.tflite", "resnet8_int8.tflite",
                                         "autoencoder_int8.tflite", "mobilenet_int8.tflite", "resnet8_int4.tflite",
                                         "unet_int8.tflite", "lstm_int8.tflite", "lstm_float.tflite",
                                         "ds_cnn_int4.tflite"));
INSTANTIATE_TEST_SUITE_P(Shared, RegionTflite,
                         testing::ValuesIn(test::where_shared<const char*>(
                             {"ad_float.tflite", "ad_int8.tflite", "kws_float.tflite", "kws_int8.tflite",
                              "resnet_float.tflite", "resnet_int8.tflite", "speech/micro_speech_quantized.tflite",
                              "speech/audio_preprocessor_int8.tflite"})));
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(RegionTflite);

constexpr auto kF32 = schema::TensorType::FLOAT32;
constexpr auto kI32 = schema::TensorType::INT32;
using schema::BuiltinOperator;

// x -> RELU -> a -> (shape of a) -> RESHAPE -> b -> NEG -> c
std::string reshaping_model() {
  TfliteWriter w;
  const auto x = w.add("x", kF32, {2, 3}), a = w.add("a", kF32, {2, 3}), s = w.add("s", kI32, {2});
  const auto b = w.add("b", kF32, {2, 3}), c = w.add("c", kF32, {2, 3});
  w.add_operator(BuiltinOperator::RELU, {x}, {a});
  w.add_operator(BuiltinOperator::SHAPE, {x}, {s}, schema::ShapeOptionsT());
  w.add_operator(BuiltinOperator::RESHAPE, {a, s}, {b});
  w.add_operator(BuiltinOperator::NEG, {b}, {c});
  w.boundary({x}, {c});
  return w.bytes();
}

TEST(TfliteForm, ofUint8EndsWhereTheFileHasUint8) {
  TfliteWriter w;
  for (const char* name : {"x", "m", "y"}) w.add(name, schema::TensorType::UINT8, {4}, {{0.5F}, {131}, 0});
  w.add_operator(schema::BuiltinOperator::RELU, {0}, {1});
  w.add_operator(schema::BuiltinOperator::RELU6, {1}, {2});
  w.boundary({0}, {2});
  Scratch scratch;
  const std::string bytes = w.bytes();
  const auto g = prepared_file(scratch.write(bytes.data(), bytes.size()));
  ASSERT_TRUE(g);
  BoundRegion region = make_region(*g);
  EXPECT_EQ(tflite_model(region.region).refusal, "");
  for (codegen::ValueId v = 0; v < region.region.values.size(); ++v)
    if (region.region.values[v].name == "m") region.region.outputs = {v};
  EXPECT_EQ(tflite_model(region.region).refusal, "value 'm' at its border is int8 here and uint8 in the file");
}

TEST(RegionTfliteForm, whatWasFoldedIsComputedAgain) {
  Scratch scratch;
  const std::string bytes = reshaping_model();
  const std::string path = scratch.write(bytes.data(), bytes.size());
  expect_regions(path, false);
}

TEST(RegionTfliteForm, computedShapeAndVelaOfShared) {
  const auto shared = test::shared_folder();
  if (!shared) GTEST_SKIP() << test::kNoModel;
  expect_regions(*shared / "models/computed_shape/transpose_conv0.tflite", false);
  Diagnostics diags;
  auto g = import_tflite(*shared / "models/vela/person_detect_vela.tflite", diags);
  ASSERT_TRUE(g && prepare(*g, {}, diags)) << test::error_text(diags);
  const codegen::TfliteForm form = tflite_model(make_region(*g).region);
  ASSERT_EQ(form.refusal, "");
  expect_sound(form);
  expect_faithful(form, *shared / "models/vela/person_detect_vela.tflite");
}

TEST(RegionTfliteForm, replacedConstantsAreInIt) {
  TfliteWriter w;
  const auto x = w.add("x", kF32, {2}), k = w.constant<float>("k", kF32, {2}, {1, 2}), y = w.add("y", kF32, {2});
  w.add_operator(BuiltinOperator::ADD, {x, k}, {y}, schema::AddOptionsT());
  w.boundary({x}, {y});
  Scratch scratch;
  const std::string bytes = w.bytes();
  const auto g = prepared_file(scratch.write(bytes.data(), bytes.size()));
  ASSERT_TRUE(g);
  BoundRegion region = make_region(*g);
  const std::vector<float> others{7, 8};
  for (codegen::Value& v : region.region.values)
    if (v.is_constant) v.data = std::as_bytes(std::span(others));
  const codegen::TfliteForm form = tflite_model(region.region);
  ASSERT_EQ(form.contents.size(), 1u);
  EXPECT_EQ(std::memcmp(form.bytes.data() + form.contents[0].offset, others.data(), 8), 0);
}

TEST(RegionTfliteForm, variablesStayInside) {
  // What an SVDF keeps is no input or output of the form.
  TfliteWriter w;
  const auto x = w.add("x", kF32, {1, 2}), f = w.constant<float>("f", kF32, {1, 2}, {1, 2}),
             t = w.constant<float>("t", kF32, {1, 3}, {1, 2, 3}), s = w.variable("s", kF32, {1, 3}),
             y = w.add("y", kF32, {1, 1});
  schema::SVDFOptionsT options;
  options.rank = 1;
  w.add_operator(BuiltinOperator::SVDF, {x, f, t, -1, s}, {y}, options);
  w.boundary({x}, {y});
  Scratch scratch;
  const std::string bytes = w.bytes();
  expect_regions(scratch.write(bytes.data(), bytes.size()));
}

TEST(RegionTfliteForm, refusals) {
  Diagnostics diags;
  auto text =
      ir::parse("graph \"g\" requant=tflite {\n  input %x : f32[2]\n  %y = Relu.13(%x)\n  output %y\n}", "g", diags);
  ASSERT_TRUE(text && prepare(*text, {}, diags));
  EXPECT_EQ(tflite_model(make_region(*text).region).refusal, "it is not of a TFLite file");

  if (const auto stream = test::model_file("stream_int8.tflite")) {
    const auto variables = prepared_file(*stream);
    ASSERT_TRUE(variables);
    EXPECT_EQ(tflite_model(make_region(*variables).region).refusal, "it has a variable that operators name");
  }
  Scratch scratch;
  const std::string bytes = reshaping_model();
  const auto g = prepared_file(scratch.write(bytes.data(), bytes.size()));
  ASSERT_TRUE(g);
  BoundRegion region = make_region(*g);
  BoundRegion other = region;
  other.region.values[other.region.inputs[0]].source_index = -1;
  EXPECT_EQ(tflite_model(other.region).refusal, "value 'x' at its border is no tensor of the file");
  other = region;
  other.region.inputs.clear();
  EXPECT_EQ(tflite_model(other.region).refusal, "tensor 0 'x' is computed outside of it, and it does not read it");
  other = region;
  other.region.outputs.clear();
  EXPECT_EQ(tflite_model(other.region).refusal, "computes nothing that the file has a tensor for");
}

TEST(RegionTfliteForm, isInRecordsWithoutWhatTheyDoNotKeep) {
  TfliteWriter w;
  const auto x = w.add("x", kF32, {4}), k = w.constant<float>("k", kF32, {4}, {1, 2, 3, 4}), y = w.add("y", kF32, {4});
  w.add_operator(BuiltinOperator::ADD, {x, k}, {y}, schema::AddOptionsT());
  w.boundary({x}, {y});
  Scratch scratch;
  const std::string bytes = w.bytes();
  const auto g = prepared_file(scratch.write(bytes.data(), bytes.size()));
  ASSERT_TRUE(g);
  const BoundRegion region = make_region(*g);
  const codegen::TfliteForm form = tflite_model(region.region);
  for (const std::uint64_t kept : {0, 64}) {
    SessionRecord record;
    record.target.pointer_width = 64;
    record.kept = kept;
    record.regions.push_back(record_region(region.region, kept));
    Diagnostics diags;
    const std::string written = write_record(record);
    EXPECT_EQ(written.find(std::string("\0\0\x40\x40\0\0\x80\x40", 8)) != std::string::npos, kept != 0);
    const auto read = read_record(written, "r", diags);
    ASSERT_TRUE(read) << test::error_text(diags);
    const auto regions = ReplayedRegions::create(*read, "r", diags);
    ASSERT_TRUE(regions);
    codegen::TfliteForm again = tflite_model(regions->at(0));
    EXPECT_EQ(again.bytes == form.bytes, kept != 0);
    ASSERT_EQ(again.bytes.size(), form.bytes.size());
    std::copy_n(form.bytes.begin() + static_cast<std::ptrdiff_t>(form.contents[0].offset), 16,
                again.bytes.begin() + static_cast<std::ptrdiff_t>(form.contents[0].offset));
    EXPECT_TRUE(again.bytes == form.bytes);
  }
}

}  // namespace
}  // namespace byoc::plugin
