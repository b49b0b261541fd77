// A model whose file changes while a program works with it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "byoc/byoc.hpp"
#include "sdk/base/support/file.hpp"
#include "tests/support/model_files.hpp"

namespace byoc {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class ChangedModel : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto network = test::model_file("ds_cnn_float.tflite");
    if (!network) GTEST_SKIP() << test::kNoModel;
    fs::copy_file(*network, file_);
    model_ = Model::load(file_, {}, diags_);
    const auto target = find_target("cortex-m4f", diags_);
    codegens_ = Codegens::create(*target, {}, diags_);
    ASSERT_TRUE(model_ && codegens_);
    before_ = fs::last_write_time(file_);
  }
  // What is said of an export, which fails.
  std::string exported() {
    Diagnostics diags;
    EXPECT_FALSE(export_model(*model_, *codegens_, {.name = "m"}, dir_->path() + "/m.a", diags));
    EXPECT_FALSE(fs::exists(dir_->path() + "/m.a"));
    std::string out;
    for (const Diagnostic& d : diags.all()) out += to_string(d) + "\n";
    return out;
  }
  Diagnostics diags_;
  Result<TemporaryDirectory> dir_ = TemporaryDirectory::create(diags_);
  const std::string file_ = dir_->path() + "/model.tflite";
  fs::file_time_type before_;
  Result<Model> model_ = failure;
  Result<Codegens> codegens_ = failure;
};

TEST_F(ChangedModel, CutOff) {
  fs::resize_file(file_, 4096);
  EXPECT_THAT(exported(), HasSubstr("model.tflite: error: changed while it was read (found 4096 bytes"));
}

TEST_F(ChangedModel, CutOffForAWhile) {
  const auto size = fs::file_size(file_);
  fs::resize_file(file_, 0);
  EXPECT_FALSE(model_->text().empty());
  fs::resize_file(file_, size);
  fs::last_write_time(file_, before_);
  EXPECT_THAT(exported(), HasSubstr("changed while it was read (found a part of it could not be read"));
}

TEST_F(ChangedModel, Replaced) {
  fs::copy_file(file_, file_ + ".new");
  fs::rename(file_ + ".new", file_);
  EXPECT_THAT(exported(), HasSubstr("changed while it was read (found another file"));
}

TEST_F(ChangedModel, OutputsAreCheckedBeforeAnythingIsCompiled) {
  Diagnostics diags;
  ExportRequest request{.name = "m"};
  bool began = false;
  request.progress = [&](std::string_view) { began = true; };
  EXPECT_FALSE(export_model(*model_, *codegens_, request, file_ + "/m.a", diags));
  EXPECT_THAT(to_string(diags.all()[0]), HasSubstr("expected a folder or nothing"));
  EXPECT_FALSE(began);
}

TEST_F(ChangedModel, AReportIsWrittenWithTheLibraryOrNotAtAll) {
  Diagnostics diags;
  const auto compiled = CompiledModel::compile(*model_, *codegens_, {.name = "m"}, diags);
  ASSERT_TRUE(compiled);
  const std::string out = dir_->path() + "/m.a";
  for (const std::string& other : {file_, out, dir_->path() + "/m.h", dir_->path() + "/none/r.json"}) {
    const std::vector<OutputText> others{{other, "text"}};
    EXPECT_FALSE(compiled->write(out, others, diags)) << other;
    EXPECT_FALSE(fs::exists(out));
  }
  const std::vector<OutputText> others{{dir_->path() + "/r.json", "text"}};
  EXPECT_TRUE(compiled->write(out, others, diags));
  EXPECT_TRUE(fs::exists(out) && fs::exists(dir_->path() + "/r.json"));
}

}  // namespace
}  // namespace byoc
