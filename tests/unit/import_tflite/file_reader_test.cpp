// byoc/tflite_file.hpp: the CUSTOM operators of a .tflite that a vendor's compiler has written.
#include "byoc/tflite_file.hpp"

#include <fstream>

#include "tests/support/model_files.hpp"
#include "tests/unit/import_tflite/models.hpp"

namespace byoc {
namespace {

using test::BuiltinOperator;
namespace schema = test::schema;
using test::kF32;
using test::kI8;

std::span<const std::byte> bytes_of(const std::string& s) { return std::as_bytes(std::span(s)); }

std::string compiled() {
  test::TfliteWriter w;
  const auto commands = w.constant<std::uint8_t>("commands", schema::TensorType::UINT8, {4}, {'C', 'O', 'P', '1'});
  const auto x = w.add("x", kI8, {1, 2}, {{0.5F}, {-3}, 0}), y = w.add("y", kI8, {1, 2}, {{0.25F}, {4}, 0});
  const auto z = w.add("z", kI8, {1, 2}, {{0.25F}, {4}, 0});
  schema::OperatorT& op = w.add_operator(BuiltinOperator::CUSTOM, {commands, -1, x}, {y});
  w.model.operator_codes.back()->custom_code = "acme-npu";
  op.custom_options = {1, 2, 3};
  w.add_operator(BuiltinOperator::RELU, {y}, {z});
  w.boundary({x}, {z});
  return w.bytes();
}

TEST(TfliteFile, givesCustomOperatorsWithTheirTensors) {
  const std::string file = compiled();
  const auto read = tflite_file::read(bytes_of(file));
  const auto* contents = std::get_if<tflite_file::Contents>(&read);
  ASSERT_NE(contents, nullptr) << std::get<std::string>(read);
  EXPECT_EQ(contents->builtin, 1u);
  ASSERT_EQ(contents->custom.size(), 1u);
  const tflite_file::CustomOperator& op = contents->custom[0];
  EXPECT_EQ(op.code, "acme-npu");
  ASSERT_EQ(op.options.size(), 3u);
  EXPECT_EQ(op.options[2], std::byte{3});
  ASSERT_EQ(op.inputs.size(), 3u);
  ASSERT_TRUE(op.inputs[0] && op.inputs[2]);
  EXPECT_FALSE(op.inputs[1]);
  EXPECT_EQ(op.inputs[0]->name, "commands");
  EXPECT_EQ(op.inputs[0]->dtype, DType::u8);
  ASSERT_EQ(op.inputs[0]->data.size(), 4u);
  EXPECT_EQ(op.inputs[0]->data[3], std::byte{'1'});
  EXPECT_TRUE(op.inputs[2]->data.empty());
  EXPECT_EQ(op.inputs[2]->dims, (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(op.inputs[2]->quantisation.scales, std::vector<float>{0.5F});
  EXPECT_EQ(op.inputs[2]->quantisation.zero_points, std::vector<std::int64_t>{-3});
  ASSERT_EQ(contents->outputs.size(), 1u);
  EXPECT_EQ(contents->outputs[0].name, "z");
}

TEST(TfliteFile, whateverTheBytesAreItEnds) {
  EXPECT_EQ(std::get<std::string>(tflite_file::read(bytes_of("hello, you"))),
            "is not a TFLite model: no 'TFL3' at offset 4");
  const std::string file = compiled();
  std::size_t damaged = 0;
  for (std::size_t size = 8; size < file.size(); ++size)
    damaged += tflite_file::read(bytes_of(file.substr(0, size))).index();
  EXPECT_GT(damaged, file.size() / 2);
  for (std::size_t at = 8; at < file.size(); ++at)
    for (const char value : {'\0', '\x7f', '\xff'}) {
      std::string changed = file;
      changed[at] = value;
      const auto read = tflite_file::read(bytes_of(changed));
      const auto* why = std::get_if<std::string>(&read);
      EXPECT_TRUE(why == nullptr || *why == "is a damaged TFLite model: an offset or index in it points outside");
    }
}

TEST(TfliteFile, readsWhatVelaWrites) {
  const auto shared = test::shared_folder();
  if (!shared) GTEST_SKIP() << test::kNoModel;
  std::ifstream in(*shared / "models/vela/person_detect_vela.tflite", std::ios::binary);
  const std::string file((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const auto read = tflite_file::read(bytes_of(file));
  const auto* contents = std::get_if<tflite_file::Contents>(&read);
  ASSERT_NE(contents, nullptr);
  EXPECT_EQ(contents->builtin, 0u);
  ASSERT_EQ(contents->custom.size(), 1u);
  EXPECT_EQ(contents->custom[0].code, "ethos-u");
  ASSERT_GE(contents->custom[0].inputs.size(), 5u);
  // Command stream, then weights; scratch memory has no bytes.
  const auto& commands = contents->custom[0].inputs[0]->data;
  ASSERT_GE(commands.size(), 4u);
  EXPECT_EQ(std::memcmp(commands.data(), "COP1", 4), 0);
  EXPECT_FALSE(contents->custom[0].inputs[1]->data.empty());
  EXPECT_TRUE(contents->custom[0].inputs[2]->data.empty());
}

}  // namespace
}  // namespace byoc
