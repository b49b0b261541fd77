// Weights in a file of their own, from C++: the request says so, and nothing else has to.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "byoc/byoc.hpp"
#include "sdk/base/support/file.hpp"
#include "tests/support/model_files.hpp"

namespace byoc {
namespace {

namespace fs = std::filesystem;

TEST(Weights, LeaveTheLibraryWhereTheRequestSaysSo) {
  const auto network = test::model_file("ds_cnn_int8.tflite");
  if (!network) GTEST_SKIP() << test::kNoModel;
  Diagnostics diags;
  const auto dir = TemporaryDirectory::create(diags);
  const auto model = Model::load(*network, {}, diags);
  for (const char* name : {"cortex-m4f", "host"}) {  // on hosts another codegen would come first
    const auto target = find_target(name, diags);
    const auto codegens = Codegens::create(*target, {}, diags);
    ASSERT_TRUE(model && codegens);
    // The same codegens, before, in between and after.
    const std::string at = dir->path() + "/" + name;
    ExportRequest request{.name = "m"};
    ASSERT_TRUE(export_model(*model, *codegens, request, at + "_before.a", diags));
    request.weights.file = at + ".bin";
    const auto apart = export_model(*model, *codegens, request, at + "_apart.a", diags);
    ASSERT_TRUE(apart);
    request.weights = {};
    ASSERT_TRUE(export_model(*model, *codegens, request, at + "_after.a", diags));
    const auto text = [&](const std::string& path) { return *read_text(path, diags); };
    EXPECT_EQ(text(at + "_before.a"), text(at + "_after.a"));
    EXPECT_EQ(text(at + ".bin").substr(0, 7), "BYOCWTS");
    EXPECT_GT(fs::file_size(at + ".bin"), 20000U);
    EXPECT_LT(fs::file_size(at + "_apart.a") + 15000, fs::file_size(at + "_before.a"));
    for (const Diagnostic& d : diags.all()) ADD_FAILURE() << to_string(d);
  }
}

}  // namespace
}  // namespace byoc
