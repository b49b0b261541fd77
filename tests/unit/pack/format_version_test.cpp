// Every version that was ever written is read: samples/ has a file of each.
#include "sdk/library/pack/format_version.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sdk/base/support/file.hpp"
#include "sdk/export/pack_tree.hpp"
#include "sdk/library/pack/folder.hpp"
#include "sdk/library/pack/linker_fragment.hpp"
#include "sdk/library/pack/manifest.hpp"
#include "tests/support/objects.hpp"
#include "tests/support/source_dir.hpp"

namespace byoc {
namespace {

using Json = nlohmann::ordered_json;
using test::text_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A format in its third version: "length" became "bytes", then "items".
constexpr Upgrade kUpgrades[] = {
    [](Json& json) {
      json["bytes"] = json.at("length");
      json.erase("length");
    },
    [](Json& json) { json["items"] = json.at("bytes").get<int>() / 4; },
};
constexpr JsonFormat kToy{"toy", kUpgrades};

struct Read {
  Json json;
  std::string told;
};

Read read_toy(const char* text) {
  Read out{Json::parse(text), {}};
  Diagnostics diags;
  const bool ok = bool(bring_up_to_date(out.json, kToy, "toy.json", diags));
  EXPECT_EQ(ok, !diags.has_errors());
  out.told = text_of(diags);
  return out;
}

TEST(FormatVersion, anOlderFileTakesEveryStepUpToTheNewest) {
  for (const char* text :
       {R"({"format": 1, "length": 8})", R"({"format": 2, "bytes": 8})", R"({"format": 3, "bytes": 8, "items": 2})"}) {
    const Read read = read_toy(text);
    EXPECT_EQ(read.told, "");
    EXPECT_EQ(read.json, Json::parse(R"({"format": 3, "bytes": 8, "items": 2})")) << text;
  }
}

TEST(FormatVersion, aNewerFileIsRefusedByItsNumber) {
  EXPECT_EQ(read_toy(R"({"format": 4})").told,
            "toy.json: error: a newer byoc wrote this version of the toy (found 4, expected 1 to 3)\n");
  for (const char* none : {"0", "-1", "1.5", "\"1\"", "null"}) {
    const std::string text = std::string(R"({"format": )") + none + "}";
    EXPECT_EQ(read_toy(text.c_str()).told,
              std::string("toy.json: error: not a version of the toy (found ") + none + ", expected 1 to 3)\n");
  }
}

class Samples : public ::testing::Test {
 protected:
  static std::string path(const std::string& name) { return test::source_dir() + "/tests/unit/pack/samples/" + name; }

  std::string text(const std::string& name) {
    auto text = read_text(path(name), diags_);
    EXPECT_TRUE(text) << text_of(diags_);
    return text ? *text : "";
  }

  Diagnostics diags_;
};

TEST_F(Samples, manifestsOfModels) {
  for (const char* name : {"manifest/1-first.json", "manifest/1-regions.json", "manifest/1-newest.json"}) {
    const auto model = read_manifest(text(name), name, diags_);
    ASSERT_TRUE(model) << text_of(diags_);
    const ModelInterface& m = model->interface;
    EXPECT_EQ(m.prefix, "kws");
    EXPECT_EQ(m.workspace_bytes, 1000u);
    EXPECT_EQ(m.instance_bytes, 64u);
    ASSERT_EQ(m.inputs.size(), 1u);
    EXPECT_EQ(m.inputs[0].quantisation.zero_points, (std::vector<std::int64_t>{-3}));
    ASSERT_EQ(m.outputs.size(), 1u);
    EXPECT_EQ(m.outputs[0].field, "y_0");
    ASSERT_EQ(m.steps.size(), 1u);
    EXPECT_EQ(m.steps[0].live_bytes, 900u);
    EXPECT_EQ(model->target.name, "cortex-m4f");
    const bool newest = std::string_view(name).find("newest") != std::string_view::npos;
    EXPECT_EQ(m.steps[0].estimated_instructions, newest ? 1234u : 0u);
    EXPECT_EQ(m.further_workspaces.size(), newest ? 1u : 0u);
    EXPECT_EQ(m.rewrites.size(), newest ? 1u : 0u);
    EXPECT_EQ(m.inputs[0].overwritten, newest);
  }
}

// Of models and of constants alone; the first ones did not say what sections are called.
TEST_F(Samples, constantsOfManifests) {
  for (const char* name : {"manifest/1-first.json", "manifest/1-first-constants.json", "manifest/1-regions.json",
                           "manifest/1-newest.json"}) {
    const auto constants = read_manifest_constants(text(name), name, diags_);
    ASSERT_TRUE(constants) << text_of(diags_);
    ASSERT_EQ(constants->size(), 1u);
    EXPECT_EQ(constants->front().size, 77u);
    const auto regions = read_constant_regions(text(name), name, diags_);
    ASSERT_TRUE(regions) << text_of(diags_);
    ASSERT_EQ(regions->regions.size(), 1u);
    EXPECT_EQ(regions->regions[0].section, ".rodata");
    EXPECT_THAT(regions->regions[0].symbols, ElementsAre("kws_weights"));
  }
}

TEST_F(Samples, moduleTrees) {
  auto folder = TemporaryDirectory::create(diags_);
  ASSERT_TRUE(folder);
  for (const char* name : {"tree/1-first", "tree/1-lto", "tree/1-newest"}) {
    const auto package = read_folder(path(name), {}, diags_);
    ASSERT_TRUE(package) << text_of(diags_);
    const auto& modules = package->tree.modules;
    ASSERT_GE(modules.size(), 3u);
    EXPECT_EQ(modules[0].name, "root.c");
    ASSERT_EQ(modules[2].constants.size(), 1u);
    EXPECT_EQ(modules[2].constants[0].bytes.size(), 4u);
    EXPECT_EQ(package->tree.lto, std::string_view(name) == "tree/1-lto");
    const bool newest = std::string_view(name) == "tree/1-newest";
    EXPECT_EQ(package->link_libraries.size(), newest ? 1u : 0u);
    EXPECT_EQ(modules.back().for_loaders, newest);
    // What an older byoc compiled is compiled again.
    const std::vector<std::string> folders{path(name)};
    EXPECT_TRUE(pack_trees(folders, {}, folder->path() + "/out.a", diags_)) << text_of(diags_);
  }
}

}  // namespace
}  // namespace byoc
