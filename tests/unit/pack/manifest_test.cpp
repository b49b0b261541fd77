#include "sdk/library/pack/manifest.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/objects.hpp"

namespace byoc {
namespace {

using test::target;
using test::text_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string written() {
  ModelInterface m;
  m.prefix = "kws";
  m.name = "Keyword spotting";
  m.inputs = {{"x", "x", DType::i8, {1, 490}, 490, {{0.5F}, {-3}, -1}}};
  m.outputs = {{"y:0", "y_0", DType::f32, {1, 12}, 48, {}}, {"y_count", "y_count", DType::i32, {}, 4, {}}};
  m.outputs[0].counted = {{1, 1}};
  m.bounded = {{"x", false, true, false, DType::i8, 0, 1}, {"y:0", true, false, true, DType::f32, 0, 1}};
  m.workspace_bytes = 1000;
  m.workspace_align = 16;
  m.instance_bytes = 64;
  m.instance_align = 8;
  m.weight_bytes = 77;
  m.further_workspaces = {{"fast \"ram\"", "fast_ram", ".bss.fast_ram", 300, 32, 200}};
  m.steps = {{.symbol = "kws_conv", .kernel = "conv_s8", .nodes = {"Conv 'c' (#0)"}, .macs = 5, .results = {}}};
  m.rewrites = {{"channels", 3, 100, 20, 8}};
  return write_manifest(
      {.interface = m, .target = name_of(target("host")), .toolchain = "clang", .link_libraries = {"acme"}});
}

TEST(Manifest, WhatRunsAModelIsReadBack) {
  Diagnostics diags;
  auto read = read_manifest(written(), "kws.json", diags);
  ASSERT_TRUE(read) << text_of(diags);
  const ModelInterface& m = read->interface;
  EXPECT_EQ(m.prefix, "kws");
  EXPECT_EQ(m.name, "Keyword spotting");
  ASSERT_EQ(m.inputs.size(), 1u);
  EXPECT_EQ(m.inputs[0].dtype, DType::i8);
  EXPECT_THAT(m.inputs[0].dims, ElementsAre(1, 490));
  EXPECT_EQ(m.inputs[0].bytes, 490u);
  EXPECT_THAT(m.inputs[0].quantisation.zero_points, ElementsAre(-3));
  ASSERT_EQ(m.outputs.size(), 2u);
  EXPECT_EQ(m.output_count(), 1u);
  ASSERT_EQ(m.outputs[0].counted.size(), 1u);
  EXPECT_EQ(m.outputs[0].counted[0].dim, 1u);
  EXPECT_EQ(m.outputs[0].counted[0].output, 1u);
  EXPECT_EQ(m.bounded, (std::vector<BoundedValue>{{"x", false, true, false, DType::i8, 0, 1},
                                                  {"y:0", true, false, true, DType::f32, 0, 1}}));
  EXPECT_EQ(m.outputs[0].name, "y:0");
  EXPECT_EQ(m.outputs[0].field, "y_0");
  EXPECT_EQ(m.workspace_bytes, 1000u);
  EXPECT_EQ(m.workspace_align, 16u);
  EXPECT_EQ(m.instance_bytes, 64u);
  EXPECT_EQ(m.weight_bytes, 77u);
  ASSERT_EQ(m.further_workspaces.size(), 1u);
  EXPECT_EQ(m.further_workspaces[0].pool, "fast \"ram\"");
  EXPECT_EQ(m.further_workspaces[0].field, "fast_ram");
  EXPECT_EQ(m.further_workspaces[0].section, ".bss.fast_ram");
  EXPECT_EQ(m.further_workspaces[0].align, 32u);
  EXPECT_EQ(m.further_workspaces[0].lower_bound, 200u);
  EXPECT_EQ(m.all_workspace_bytes(), 1300u);
  ASSERT_EQ(m.steps.size(), 1u);
  EXPECT_EQ(m.steps[0].kernel, "conv_s8");
  EXPECT_EQ(m.steps[0].macs, 5u);
  ASSERT_EQ(m.rewrites.size(), 1u);
  EXPECT_EQ(m.rewrites[0].name, "channels");
  EXPECT_EQ(m.rewrites[0].count, 3u);
  EXPECT_EQ(m.rewrites[0].macs, 100u);
  EXPECT_EQ(m.rewrites[0].constant_bytes, 20u);
  EXPECT_EQ(m.rewrites[0].tensor_bytes, 8u);
  EXPECT_EQ(read->target.name, "host");
  EXPECT_THAT(read->link_libraries, ElementsAre("acme"));
}

// It becomes C again.
TEST(Manifest, WhatNobodyWroteIsRefused) {
  const auto changed = [](const std::string& from, const std::string& to) {
    std::string text = written();
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    Diagnostics diags;
    EXPECT_FALSE(read_manifest(text.replace(at, from.size(), to), "kws.json", diags));
    return text_of(diags);
  };
  EXPECT_THAT(changed("\"format\": 1", "\"format\": 2"),
              HasSubstr("a newer byoc wrote this version of the manifest (found 2, expected 1)"));
  EXPECT_THAT(changed("{", "["), HasSubstr("kws.json: error: is no manifest of byoc"));
  EXPECT_THAT(changed("\"prefix\"", "\"other\""), HasSubstr("is no manifest of byoc"));
  EXPECT_THAT(changed("\"kws\"", "\"k;x\""), HasSubstr("'k;x': a name of the manifest is no C identifier"));
  EXPECT_THAT(changed("\"y_0\"", "\"y 0\""), HasSubstr("'y 0': a name of the manifest is no C identifier"));
  EXPECT_THAT(changed("\"i8\"", "\"i9\""), HasSubstr("'x': an element type of the manifest is not known"));
  EXPECT_THAT(changed("\"bytes\": 1000", "\"bytes\": 99999999999999999"), HasSubstr("'workspace': a size"));
  for (const char* other : {"\"dim\": 2", "\"dim\": 1, \"output\": 2", "\"dim\": 1, \"output\": 0"}) {
    const bool is_dim = std::string(other).size() < 10;
    EXPECT_THAT(changed(is_dim ? "\"dim\": 1" : "\"dim\": 1,\n          \"output\": 1", other),
                HasSubstr("'y:0': the manifest counts a dim by what is no count"));
  }
  EXPECT_THAT(changed("\"tensors\": 1", "\"tensors\": 9"),
              HasSubstr("'x': the manifest says of a bounded value what is not so"));
  EXPECT_THAT(changed("\"align\": 16", "\"align\": 12"), HasSubstr("'workspace': an alignment"));
  EXPECT_THAT(changed("\"fast_ram\"", "\"fast;ram\""),
              HasSubstr("'fast;ram': a name of the manifest is no C identifier"));
  EXPECT_THAT(changed("\".bss.fast_ram\"", "\".bss;\""),
              HasSubstr("'section': has text that it cannot have (found '.bss;', expected the name of a section"));
  EXPECT_THAT(changed("\"align\": 32", "\"align\": 3"), HasSubstr("an alignment of the manifest is no power of two"));
  EXPECT_THAT(changed("\"bytes\": 300", "\"bytes\": 99999999999999999"), HasSubstr("a size of the manifest"));
}

}  // namespace
}  // namespace byoc
