// Programs of many models: that what is wrong in one is seen, and stays with it.
#include "tests/support/device_batch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "backends/reference.hpp"
#include "sdk/base/support/file.hpp"
#include "sdk/model/ir/text.hpp"
#include "sdk/model/prepare/prepare.hpp"
#include "sdk/run/simulate/dump.hpp"
#include "tests/support/tensors.hpp"

namespace byoc::test {
namespace {

using ::testing::HasSubstr;

class SanitizedBatch : public ::testing::Test {
 protected:
  DeviceModel add(const std::string& name) {
    const std::vector<float> x{0, 1, 2, 3, 4, 5};
    return add(name, R"(
  input %x : f32[6]
  const %c : f32[6] = [1, 2, 3, 4, 5, 6]
  %a = Add.14(%x, %c)
  %b = Sqrt.13(%a)
  %y = Mul.14(%b, %a)
  output %y)",
               "onnx", std::as_bytes(std::span(x)));
  }

  DeviceModel add(const std::string& name, const std::string& statements, const std::string& mode,
                  std::span<const std::byte> bytes) {
    auto graph = ir::parse("graph \"t\" requant=" + mode + " {" + statements + "}", "t.byoc", diags_);
    EXPECT_TRUE(graph && prepare(*graph, {}, diags_)) << error_text(diags_);
    const auto backend = reference::backends()[0].create({});
    codegen::Codegen* codegens[] = {backend.get()};
    Job job;
    job.target = target_;
    job.name = name;
    job.request.trace = true;
    job.sanitize = kSanitizers;
    job.codegens = codegens;
    auto library = compile_model(*graph, job, diags_);
    EXPECT_TRUE(library) << error_text(diags_);
    const evaluate::Tensor input{graph->values[graph->inputs[0]].type, Blob::own({bytes.begin(), bytes.end()})};
    auto model = add_to_batch(std::move(*library), folder_->path(), {.traced = true, .constants_in_c = true},
                              {&input, 1}, diags_);
    EXPECT_TRUE(model) << error_text(diags_);
    return *model;
  }

  Diagnostics diags_;
  TargetSpec target_ = *sanitized_host(diags_);
  Result<TemporaryDirectory> folder_ = TemporaryDirectory::create(diags_);
};

std::vector<float> floats(const std::vector<std::byte>& bytes) {
  std::vector<float> out(bytes.size() / sizeof(float));
  std::memcpy(out.data(), bytes.data(), out.size() * sizeof(float));
  return out;
}

TEST_F(SanitizedBatch, OneModelsErrorIsItsOwn) {
  std::vector<DeviceModel> models{add("one"), add("two"), add("three")};
  // The program is told of less memory than the second one writes.
  models[1].outputs[0].bytes -= sizeof(float);
  const DeviceMemory memory = *device_memory(target_, diags_);
  const auto outcomes = run_batches(target_, memory, folder_->path(), models);
  ASSERT_EQ(outcomes.size(), 3U);
  EXPECT_THAT(outcomes[1].problem, HasSubstr("AddressSanitizer: use-after-poison"));
  for (const std::size_t i : {0U, 2U}) {
    EXPECT_EQ(outcomes[i].problem, "");
    EXPECT_EQ(floats(outcomes[i].outputs).front(), 1.0F);
    // Every value that is in memory is seen; the last one is the output.
    ASSERT_FALSE(models[i].watched.empty());
    EXPECT_EQ(outcomes[i].watched.size(), models[i].watched.size());
    const std::uint32_t last = static_cast<std::uint32_t>(models[i].watched.size()) - 1;
    EXPECT_EQ(gather(outcomes[i].watched.at(last), models[i].watched[last].tensor), outcomes[i].outputs);
  }
}

// No workspace is a null pointer, to which not even 0 may be added.
TEST_F(SanitizedBatch, AConvolutionWithoutWorkspace) {
  const std::vector<std::byte> x(2 * 2 * 3, std::byte{1});
  const DeviceModel model = add("conv", R"(
  input %x : i8[1,2,2,3] q(0.5, 0)
  const %w : i8[1,1,1,3] q(0.5, 0) = [1, 2, 3]
  %y : i8[1,2,2,1] q(0.25, 0) = Conv.11(%x, %w) {data_layout="NHWC", filter_layout="OHWI", kernel_shape=[1, 1],
    strides=[1, 1], pads=[0, 0, 0, 0], dilations=[1, 1], group=1}
  output %y)",
                                "tflite", x);
  const auto outcomes = run_batches(target_, *device_memory(target_, diags_), folder_->path(), {&model, 1});
  EXPECT_EQ(outcomes.at(0).problem, "");
  EXPECT_EQ(outcomes.at(0).outputs, std::vector<std::byte>(4, std::byte{6}));  // 0.25 * 6 / 0.25
}

TEST_F(SanitizedBatch, ALibraryThatDoesNotLinkFailsAlone) {
  std::vector<DeviceModel> models{add("one"), add("two")};
  models[0].prefix = "none";
  const auto outcomes = run_batches(target_, *device_memory(target_, diags_), folder_->path(), models);
  ASSERT_EQ(outcomes.size(), 2U);
  EXPECT_THAT(outcomes[0].problem, HasSubstr("none"));
  EXPECT_EQ(outcomes[1].problem, "");
}

TEST(DeviceModel, TextAndBack) {
  DeviceModel m;
  m.prefix = "kws";
  m.inputs = {{12, 4}};
  m.outputs = {{3, 1}, {8, 8}};
  m.workspace = {64, 16};
  m.constant_bytes = 99;
  m.constants_in_c = true;
  StoredTensor t;
  t.value = 7;
  t.dtype = DType::i16;
  t.dims = {2, 3};
  t.strides = {8, 2};
  t.bytes = 12;
  t.offset = 40;
  m.watched = {{2, 3, 14, t}};
  const DeviceModel back = DeviceModel::parse(m.text());
  EXPECT_EQ(back.text(), m.text());
  EXPECT_EQ(back.watched[0].tensor.strides, t.strides);
  EXPECT_EQ(back.outputs[1].align, 8U);
}

}  // namespace
}  // namespace byoc::test
