// Reference backends make the same library as a plug-in of the C ABI and as a class that is called directly.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <tuple>

#include "backends/reference.hpp"
#include "sdk/codegen/plugin/abi/abi_codegen.hpp"
#include "sdk/export/export.hpp"
#include "sdk/library/pack/manifest.hpp"
#include "sdk/target/target/target.hpp"
#include "tests/support/source_dir.hpp"

namespace byoc {
namespace {

Library compile_with(codegen::Codegen& codegen, const ir::Graph& graph, const TargetSpec& target) {
  Job job;
  job.target = target;
  job.name = "model";
  codegen::Codegen* const all[] = {&codegen};
  job.codegens = all;
  Diagnostics diags;
  auto library = compile_model(graph, job, diags);
  EXPECT_TRUE(library) << (diags.all().empty() ? "" : to_string(diags.all()[0]));
  return library ? std::move(*library) : Library();
}

using Case = std::tuple<reference::Backend, const char*>;

class ThroughAbi : public testing::TestWithParam<Case> {};

TEST_P(ThroughAbi, sameLibrary) {
  const auto& [backend, file] = GetParam();
  Diagnostics diags;
  const std::string model = test::source_dir() + "/examples/demo/" + file;
  auto graph = load_model(model, {}, diags);
  auto target = resolve_target("cortex-m4f", diags);
  auto plugin = plugin::negotiate(backend.query, "built in", diags);
  ASSERT_TRUE(graph && target && plugin);
  auto across = plugin::create_codegen(*plugin, *target, {}, {}, diags);
  ASSERT_TRUE(across);
  const auto direct = backend.create({});
  const Library one = compile_with(*direct, *graph, *target);
  const Library other = compile_with(**across, *graph, *target);
  EXPECT_EQ(one.header, other.header);
  EXPECT_EQ(write_manifest(*one.description), write_manifest(*other.description));
  ASSERT_EQ(one.members.size(), other.members.size());
  ASSERT_GT(one.members.size(), 2u);
  for (std::size_t i = 0; i < one.members.size(); ++i) {
    EXPECT_EQ(one.members[i].name, other.members[i].name);
    EXPECT_EQ(one.members[i].object, other.members[i].object) << one.members[i].name;
    ASSERT_EQ(one.members[i].constants.size(), other.members[i].constants.size());
    for (std::size_t c = 0; c < one.members[i].constants.size(); ++c) {
      const ConstantArtifact& a = one.members[i].constants[c];
      const ConstantArtifact& b = other.members[i].constants[c];
      EXPECT_EQ(a.symbol, b.symbol);
      EXPECT_EQ(a.align, b.align);
      EXPECT_TRUE(std::ranges::equal(a.bytes.bytes(), b.bytes.bytes())) << a.symbol;
      EXPECT_EQ(a.bytes.file() != nullptr, b.bytes.file() != nullptr) << a.symbol;  // by reference stays by reference
    }
  }
}

std::string name_of(const testing::TestParamInfo<Case>& test) {
  const auto& [backend, file] = test.param;
  return std::string(backend.id) + "_" + std::filesystem::path(file).stem().string();
}

INSTANTIATE_TEST_SUITE_P(Floats, ThroughAbi,
                         testing::Combine(testing::ValuesIn(reference::backends()),
                                          testing::Values("vibration_float.onnx")),
                         name_of);
// The first backend has every operator on every type.
INSTANTIATE_TEST_SUITE_P(Integers, ThroughAbi,
                         testing::Combine(testing::Values(reference::backends().front()),
                                          testing::Values("vibration_int8.onnx")),
                         name_of);

}  // namespace
}  // namespace byoc
