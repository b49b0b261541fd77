// The reference backend makes the same library as a plug-in of the C ABI and as a class that is called directly.
#include <gtest/gtest.h>

#include <algorithm>

#include "backends/c/backend.hpp"
#include "sdk/module/target.hpp"
#include "sdk/pipeline/export.hpp"
#include "sdk/plugin/abi_codegen.hpp"
#include "tests/support/source_dir.hpp"

namespace byoc {
namespace {

Library compile_with(codegen::Codegen& codegen, const ir::Graph& graph, const TargetSpec& target) {
  ExportOptions options;
  options.target = target;
  options.name = "model";
  codegen::Codegen* const all[] = {&codegen};
  options.codegens = all;
  Diagnostics diags;
  auto library = compile_model(graph, options, diags);
  EXPECT_TRUE(library) << (diags.all().empty() ? "" : to_string(diags.all()[0]));
  return library ? std::move(*library) : Library();
}

class ThroughAbi : public testing::TestWithParam<const char*> {};

TEST_P(ThroughAbi, sameLibrary) {
  Diagnostics diags;
  const std::string model = test::source_dir() + "/examples/demo/" + GetParam();
  auto graph = load_model(model, {}, diags);
  auto target = resolve_target("cortex-m4f", diags);
  auto plugin = plugin::negotiate(c::query, "built in", diags);
  ASSERT_TRUE(graph && target && plugin);
  auto across = plugin::create_codegen(*plugin, *target, {}, {}, diags);
  ASSERT_TRUE(across);
  const auto direct = c::create_backend();
  const Library one = compile_with(*direct, *graph, *target);
  const Library other = compile_with(**across, *graph, *target);
  EXPECT_EQ(one.header, other.header);
  EXPECT_EQ(one.manifest, other.manifest);
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

INSTANTIATE_TEST_SUITE_P(Demo, ThroughAbi, testing::Values("vibration_float.onnx", "vibration_int8.onnx"));

}  // namespace
}  // namespace byoc
