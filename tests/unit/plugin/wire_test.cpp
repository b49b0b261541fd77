#include "sdk/codegen/plugin/isolate/wire.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "sdk/base/support/file.hpp"

using namespace byoc;
using namespace byoc::plugin;

namespace {

template <class T, class Get>
std::string cut_anywhere(const T& value, const Get& get) {
  MessageWriter out;
  put(out, value);
  const std::string whole(out.bytes());
  for (std::size_t n = 0; n < whole.size(); ++n) {
    MessageReader in(std::string_view(whole).substr(0, n));
    (void)get(in);
    EXPECT_FALSE(in.ended()) << n << " of " << whole.size();
  }
  return whole;
}

}  // namespace

TEST(Wire, RegionsComeBack) {
  const std::vector<std::byte> known_bytes(5000, std::byte{3});
  const std::array<std::byte, 8> other_bytes{std::byte{1}};
  codegen::Region known, region;
  known.values.resize(1);
  known.values[0].is_constant = true;
  known.values[0].data = known_bytes;
  region.name = "r";
  region.requant = Requant::tflite;
  region.values.resize(4);
  region.values[0].dtype = DType::i8;
  region.values[0].dims = {1, 2};
  region.values[0].quantisation = {{0.5f, 0.25f}, {1, -2}, 1};
  region.values[0].source_index = 7;
  region.values[1] = known.values[0];
  region.values[2].is_constant = true;
  region.values[2].data = other_bytes;
  region.values[3].is_state = true;
  codegen::Node node;
  node.op = "Op";
  node.inputs = {0, codegen::kNoValue};
  node.outputs = {3};
  node.attributes = {{"i", std::int64_t{-4}},          {"f", 2.5f},
                     {"s", std::string("text")},       {"is", std::vector<std::int64_t>{1, 2}},
                     {"fs", std::vector<float>{0.5f}}, {"ss", std::vector<std::string>{"a", ""}}};
  node.position = 12;
  region.nodes = {node};
  region.inputs = {0};
  region.outputs = {3};
  region.groups = {{5, {0}}};
  Diagnostics diags;
  auto folder = TemporaryDirectory::create(diags);
  ASSERT_TRUE(folder);
  KnownConstants constants;
  ASSERT_TRUE(constants.add(known, folder->path() + "/constants", diags));
  MessageWriter files;
  files.list(constants.files(), [&](const FileStamp& file) { put(files, file); });
  MessageReader named(files.bytes());
  const auto there = KnownFiles::open(named, diags);
  ASSERT_TRUE(there && named.ended());
  MessageWriter out;
  put(out, region, constants);
  EXPECT_LT(out.bytes().size(), known_bytes.size());
  MessageReader in(out.bytes());
  const codegen::Region back = get_region(in, *there);
  ASSERT_TRUE(in.ended());
  EXPECT_EQ(back.name, "r");
  EXPECT_EQ(back.requant, Requant::tflite);
  ASSERT_EQ(back.values.size(), 4u);
  EXPECT_EQ(back.values[0].dims, region.values[0].dims);
  EXPECT_EQ(back.values[0].quantisation, region.values[0].quantisation);
  EXPECT_EQ(back.values[0].source_index, 7);
  EXPECT_TRUE(std::ranges::equal(back.values[1].data, known_bytes));
  EXPECT_EQ(back.values[1].data.data(), there->files.at(0)->bytes().data());  // in the file
  EXPECT_EQ(back.values[2].data.front(), std::byte{1});                       // a copy
  EXPECT_NE(back.values[2].data.data(), other_bytes.data());
  EXPECT_TRUE(back.values[3].is_state);
  ASSERT_EQ(back.nodes.size(), 1u);
  EXPECT_EQ(back.nodes[0].op, "Op");
  EXPECT_EQ(back.nodes[0].inputs, node.inputs);
  EXPECT_EQ(back.nodes[0].attributes, node.attributes);
  EXPECT_EQ(back.nodes[0].position, 12);
  ASSERT_EQ(back.groups.size(), 1u);
  EXPECT_EQ(back.groups[0].nodes, region.groups[0].nodes);
}

TEST(Wire, WhatIsCutIsNoticed) {
  codegen::Step step;
  step.symbol = "f";
  step.inputs = {{3, 0}, {codegen::kNoValue, 1}};
  step.workspaces = {{64, 16, {"dtcm"}}};
  step.overlays = {{0, 1, 48}};
  step.nodes = {1, 2};
  const std::string bytes = cut_anywhere(step, get<codegen::Step>);
  MessageReader in(bytes);
  const codegen::Step back = get<codegen::Step>(in);
  EXPECT_TRUE(in.ended());
  EXPECT_EQ(back.inputs[1].private_value, 1u);
  EXPECT_EQ(back.workspaces[0].pools, step.workspaces[0].pools);
  EXPECT_EQ(back.overlays[0].input, 1u);
  EXPECT_EQ(back.overlays[0].lead, 48u);
  cut_anywhere(codegen::ConstantDecl{.symbol = "c"}, get<codegen::ConstantDecl>);
  cut_anywhere(codegen::SourceDecl{.name = "s", .include_directories = {"/a"}}, get<codegen::SourceDecl>);
  cut_anywhere(codegen::ArtifactDecl{.name = "a", .defines = {"f"}}, get<codegen::ArtifactDecl>);
  cut_anywhere(codegen::PrivateLayout{1, 2, {3, 4}}, get<codegen::PrivateLayout>);
  cut_anywhere(codegen::Instance{8, 8, "i", "r", "d"}, get<codegen::Instance>);
  cut_anywhere(codegen::Verdict{.claimed = true, .text = {}}, get<codegen::Verdict>);
  cut_anywhere(codegen::Pattern{"p", {{.op = "Relu", .inputs = {-1}}}}, get<codegen::Pattern>);
  cut_anywhere(codegen::Match{1, {2, 3}}, get<codegen::Match>);
}

TEST(Wire, RulesOfTheBorderHold) {
  const auto reads = [](const auto& value, const auto& get) {
    MessageWriter out;
    put(out, value);
    MessageReader in(out.bytes());
    (void)get(in);
    return in.ended();
  };
  EXPECT_TRUE(reads(codegen::SourceDecl{.name = "s"}, get<codegen::SourceDecl>));
  EXPECT_FALSE(reads(codegen::SourceDecl{.name = "../s"}, get<codegen::SourceDecl>));
  EXPECT_FALSE(reads(codegen::SourceDecl{.name = "s", .standard = "c++20"}, get<codegen::SourceDecl>));
  EXPECT_FALSE(reads(codegen::ArtifactDecl{.kind = static_cast<codegen::ArtifactKind>(5), .name = "a"},
                     get<codegen::ArtifactDecl>));
  EXPECT_FALSE(reads(codegen::SourceDecl{.name = "s", .symbol = "no name", .shared = true}, get<codegen::SourceDecl>));
  EXPECT_FALSE(reads(codegen::ArtifactDecl{.name = "a", .symbol = "f", .shared = true}, get<codegen::ArtifactDecl>));
  EXPECT_FALSE(reads(codegen::ConstantDecl{.element = static_cast<DType>(99)}, get<codegen::ConstantDecl>));
  EXPECT_FALSE(reads(codegen::ConstantDecl{.element = DType::undefined}, get<codegen::ConstantDecl>));
  codegen::Verdict verdict;
  EXPECT_FALSE(reads(verdict, get<codegen::Verdict>));  // refused without a word
  verdict.claimed = true;
  EXPECT_TRUE(reads(verdict, get<codegen::Verdict>));
  verdict.exactness = static_cast<codegen::Exactness>(9);
  EXPECT_FALSE(reads(verdict, get<codegen::Verdict>));
  verdict.exactness = codegen::Exactness::exact;
  verdict.cost = -1;
  EXPECT_FALSE(reads(verdict, get<codegen::Verdict>));
  verdict.cost = 1;
  const auto group = [](MessageReader& in) { return get_group(in, 4, 1); };
  EXPECT_TRUE(reads(codegen::Group{{0, 3}, verdict}, group));
  EXPECT_FALSE(reads(codegen::Group{{0, 4}, verdict}, group));
  EXPECT_FALSE(reads(codegen::Group{{3, 0}, verdict}, group));
  EXPECT_FALSE(reads(codegen::Group{{}, verdict}, group));
  EXPECT_FALSE(reads(codegen::Group{{0}, verdict, 1}, group));
}
