#include "sdk/library/pack/model_library.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "sdk/export/compile_tree.hpp"
#include "sdk/library/pack/tar.hpp"
#include "tests/support/objects.hpp"

namespace byoc {
namespace {

using test::blob;
using test::target;
using test::text_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ModelLibrary : public ::testing::Test {
 protected:
  void SetUp() override { ::unsetenv("SOURCE_DATE_EPOCH"); }
  void TearDown() override { ::unsetenv("SOURCE_DATE_EPOCH"); }

  // As an export makes it, with one step and one constant.
  Package model(const std::string& name, const std::string& kernel_header = "int kernel(int);\n") {
    Package p;
    p.target = target("cortex-m4f");
    p.prefix = name;
    p.header_name = name + ".h";
    p.header = "int " + name + "_run(void);\n";
    LibraryDescription& d = p.description.emplace();
    d.interface.inputs = {
        {.name = "x", .field = "x", .dtype = DType::i8, .dims = {}, .bytes = 490, .quantisation = {}}};
    d.interface.outputs = {
        {.name = "y", .field = "y", .dtype = DType::f32, .dims = {}, .bytes = 48, .quantisation = {}}};
    d.interface.steps = {{.symbol = name + "_step", .kernel = {}, .nodes = {}, .results = {}}};
    d.interface.workspace_bytes = 64;
    d.shared_kernels = {"kernel_1"};
    p.tree.headers = {{p.header_name, p.header}, {"kernel.h", kernel_header}};
    const std::string root =
        "#include \"" + name + ".h\"\n#include \"kernel.h\"\nint " + name + "_run(void) { return kernel(1); }\n";
    p.tree.modules.push_back({.content = CCode{}, .name = name, .bytes = blob(root), .imports = {1, 2}});
    p.tree.modules.push_back({.content = CCode{},
                              .name = "kernel_1",
                              .bytes = blob("#include \"kernel.h\"\nint kernel(int x) { return x; }\n")});
    p.tree.modules.push_back({.content = ConstantsOnly{}, .name = name + "_constants"});
    ConstantArtifact c{.symbol = name + "_w", .bytes = blob("12345678")};
    p.tree.modules[2].constants.push_back(c);
    auto members = compile_tree(p.tree, p.target, {}, diags_);
    EXPECT_TRUE(members) << text_of(diags_);
    if (members) p.members = std::move(*members);
    return p;
  }
  MlfDocument written(const std::vector<Package>& packages, MlfFlavour flavour = MlfFlavour::source) {
    OutputSet files(diags_);
    EXPECT_TRUE(add_model_library(packages, flavour, path(), files, diags_) && files.commit()) << text_of(diags_);
    auto document = read_model_library(path(), diags_);
    EXPECT_TRUE(document) << text_of(diags_);
    return document ? *document : MlfDocument();
  }
  static std::vector<std::string> paths(const MlfDocument& document) {
    std::vector<std::string> out;
    for (const MlfFile& f : document.files) out.push_back(f.path);
    return out;
  }
  std::string refused(const std::vector<Package>& packages) {
    Diagnostics diags;
    OutputSet files(diags);
    EXPECT_FALSE(add_model_library(packages, MlfFlavour::source, path(), files, diags));
    EXPECT_FALSE(std::filesystem::exists(path()));
    return text_of(diags);
  }
  // What is said of a tar with these entries.
  std::string unreadable(const std::function<bool(TarWriter&)>& fill) {
    OutputSet files(diags_);
    EXPECT_TRUE(files.add(path(), [&](int fd) {
      TarWriter tar(fd, 0);
      return fill(tar) && tar.finish();
    }) && files.commit());
    Diagnostics diags;
    EXPECT_FALSE(read_model_library(path(), diags));
    return text_of(diags);
  }
  [[nodiscard]] std::string path() const { return dir_->path() + "/m.tar"; }
  Diagnostics diags_;
  Result<TemporaryDirectory> dir_ = TemporaryDirectory::create(diags_);
};

TEST_F(ModelLibrary, TheSourceFlavour) {
  const MlfDocument document = written({model("add")});
  EXPECT_THAT(paths(document), ElementsAre("codegen/host/include/add.h", "codegen/host/include/kernel.h",
                                           "codegen/host/include/tvmgen_add.h", "codegen/host/src/add_lib0.c",
                                           "codegen/host/src/add_lib1.c", "codegen/host/src/add_lib2.c",
                                           "codegen/host/src/add_lib3.c", "metadata.json", "parameters/add.params",
                                           "templates/crt_config.h.template", "templates/platform.c.template"));
  EXPECT_EQ(document.version, 7u);
  EXPECT_EQ(document.time, "1970-01-01 00:00:00Z");
  ASSERT_EQ(document.modules.size(), 1u);
  const MlfModule& m = document.modules[0];
  EXPECT_EQ(m.name, "add");
  EXPECT_EQ(m.style, "full-model");
  EXPECT_THAT(m.executors, ElementsAre("aot"));
  EXPECT_THAT(m.targets, ElementsAre("c -keys=cpu -mcpu=cortex-m4"));
  EXPECT_EQ(m.workspace_bytes, 64u);
  EXPECT_EQ(m.io_bytes, 538u);
  EXPECT_EQ(m.constant_bytes, 8u);
  ASSERT_EQ(m.inputs.size(), 1u);
  EXPECT_EQ(m.inputs[0].dtype, "int8");
  ASSERT_EQ(m.outputs.size(), 1u);
  EXPECT_EQ(m.outputs[0].dtype, "float32");
  EXPECT_TRUE(m.ours);
}

TEST_F(ModelLibrary, TheObjectFlavour) {
  EXPECT_THAT(paths(written({model("add")}, MlfFlavour::objects)),
              ElementsAre("codegen/host/include/add.h", "codegen/host/include/tvmgen_add.h",
                          "codegen/host/lib/add_lib0.o", "codegen/host/lib/add_lib1.o", "codegen/host/lib/add_lib2.o",
                          "codegen/host/src/add_lib0.c", "metadata.json", "parameters/add.params",
                          "templates/crt_config.h.template", "templates/platform.c.template"));
}

// A kernel that both use is there once, so that all sources together link.
TEST_F(ModelLibrary, SeveralModels) {
  const MlfDocument document = written({model("one"), model("two")});
  ASSERT_EQ(document.modules.size(), 2u);
  const auto names = paths(document);
  EXPECT_EQ(std::count(names.begin(), names.end(), "codegen/host/src/one_lib1.c"), 1);
  EXPECT_EQ(std::count(names.begin(), names.end(), "codegen/host/src/two_lib0.c"), 1);
  EXPECT_EQ(std::count(names.begin(), names.end(), "codegen/host/src/two_lib3.c"), 0);
  EXPECT_EQ(std::count(names.begin(), names.end(), "parameters/two.params"), 1);

  std::filesystem::remove(path());
  EXPECT_THAT(refused({model("one"), model("One")}),
              HasSubstr("'One': two models of one library have this name (found One and one"));
  EXPECT_THAT(refused({model("one"), model("two", "int kernel(int x);\n")}),
              HasSubstr("'kernel.h': two models of one library have different headers of this name"));
}

TEST_F(ModelLibrary, TheTimeIsThatOfTheSource) {
  const std::vector<Package> add{model("add")};  // Clang reads the variable too
  ::setenv("SOURCE_DATE_EPOCH", "1705572000", 1);
  EXPECT_EQ(written(add).time, "2024-01-18 10:00:00Z");
  std::filesystem::remove(path());
  for (const char* bad : {"yesterday", "-1", "12 ", "99999999999999999999"}) {
    ::setenv("SOURCE_DATE_EPOCH", bad, 1);
    EXPECT_THAT(refused(add), HasSubstr("'SOURCE_DATE_EPOCH': is not a time"));
  }
}

TEST_F(ModelLibrary, OlderVersionsAreRead) {
  const auto read = [&](const std::string& metadata) {
    OutputSet files(diags_);
    EXPECT_TRUE(files.add(path(), [&](int fd) {
      TarWriter tar(fd, 0);
      return tar.add_text("./metadata.json", metadata) && tar.finish();
    }) && files.commit());
    auto document = read_model_library(path(), diags_);
    EXPECT_TRUE(document) << text_of(diags_);
    return document ? document->modules.at(0) : MlfModule();
  };
  const MlfModule v1 = read(R"({"version": 1, "model_name": "add", "memory": [{"storage_id": 0, "size_bytes": 2}],
    "target": {"1": "llvm"}, "runtimes": ["graph"]})");
  EXPECT_EQ(v1.name, "add");
  EXPECT_THAT(v1.executors, ElementsAre("graph"));
  EXPECT_THAT(v1.targets, ElementsAre("llvm"));
  const MlfModule v6 = read(R"({"version": 6, "model_name": "net", "style": "full-model", "executors": ["aot"],
    "target": ["c"], "memory": {"functions": {"main": [{"workspace_size_bytes": 7, "io_size_bytes": 3}]}}})");
  EXPECT_EQ(v6.workspace_bytes, 7u);
  EXPECT_EQ(v6.io_bytes, 3u);
  EXPECT_FALSE(v6.ours);
  // One operator: memory is by the function's name.
  const MlfModule op = read(R"({"version": 7, "model_name": "add", "style": "operator", "executors": [],
    "target": ["c"], "memory": {"add": [{"size_bytes": 2, "shape": [2], "dtype": "int8"}]}})");
  EXPECT_EQ(op.style, "operator");
  EXPECT_THAT(op.executors, IsEmpty());
}

// What each version says of memory and functions; the parameters are a file of their own.
TEST_F(ModelLibrary, StorageFunctionsAndParametersOfEveryVersion) {
  const std::string params(
      "\xb7\x9c\x04\x05\x4f\x8d\xe5\xf7\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0p0\1\0\0\0\0\0\0\0"
      "\x3f\xa1\xb4\x96\xf0\x40\x5e\xdd\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\1\0\0\0\2\x20\1\0\2\0\0\0\0\0\0\0"
      "\x8\0\0\0\0\0\0\0\0\0\x80\x3f\0\0\0\x40",
      98);
  const auto read = [&](const std::string& metadata) {
    OutputSet files(diags_);
    EXPECT_TRUE(files.add(path(), [&](int fd) {
      TarWriter tar(fd, 0);
      return tar.add_text("./metadata.json", metadata) && tar.add_text("./parameters/add.params", params) &&
             tar.finish();
    }) && files.commit());
    auto document = read_model_library(path(), diags_);
    EXPECT_TRUE(document) << text_of(diags_);
    return document ? document->modules.at(0) : MlfModule();
  };
  const std::string sids = R"([{"storage_id": 0, "size_bytes": 2, "input_binding": "a"},
    {"storage_id": 1, "size_bytes": 8, "input_binding": "b"}, {"storage_id": 2, "size_bytes": 8, "input_binding": "p0"},
    {"storage_id": 3, "size_bytes": 8}])";
  const std::string memory = R"({"sids": )" + sids + R"(, "functions": {"main": [], "operator_functions":
    [{"function_name": "f", "workspace": [{"device": 1, "workspace_size_bytes": 16}]}]}})";
  const auto flat = [&](int version) {
    return R"({"version": )" + std::to_string(version) + R"(, "model_name": "add", "memory": )" +
           (version == 1 ? sids : memory) +
           (version < 5 ? R"(, "runtimes": ["graph"]})" : R"(, "executors": ["graph"]})");
  };
  for (int version = 1; version <= 7; ++version) {
    const MlfModule m = read(version < 7 ? flat(version)
                                         : R"({"version": 7, "modules": {"add": {"memory": )" + memory +
                                               R"(, "executors": ["graph"]}}})");
    ASSERT_EQ(m.storage.size(), 4u) << version;
    EXPECT_EQ(m.storage[2].binding, "p0");
    EXPECT_EQ(m.storage[2].bytes, 8u);
    EXPECT_EQ(m.storage[3].binding, "");
    EXPECT_EQ(m.functions.size(), version == 1 ? 0u : 1u);
    if (version != 1) {
      EXPECT_EQ(m.functions[0].workspace_bytes, 16u);
    }
    ASSERT_EQ(m.parameters.size(), 1u);
    EXPECT_EQ(m.parameters[0].name, "p0");
    EXPECT_EQ(m.parameters[0].type, "float32[2]");
  }
  const MlfModule op = read(R"({"version": 7, "model_name": "add", "style": "operator", "memory": {"add": [
    {"size_bytes": 2, "shape": [2], "dtype": "int8", "input_binding": "a"},
    {"size_bytes": 2, "shape": [2], "dtype": "int8"}]}})");
  EXPECT_EQ(op.inputs.at(0).name, "a");
  EXPECT_EQ(op.outputs.at(0).bytes, 2u);
  EXPECT_EQ(op.functions.at(0).name, "add");
}

TEST_F(ModelLibrary, DamagedParametersAreAnError) {
  EXPECT_THAT(unreadable([](TarWriter& t) {
                return t.add_text("./metadata.json", R"({"version": 7, "modules": {}})") &&
                       t.add_text("./parameters/a.params", "nothing");
              }),
              HasSubstr("parameters/a.params: error: is no file of parameters"));
}

// Sizes are those of each storage, not of the entry that has its number.
TEST_F(ModelLibrary, StorageOfAGraphIsWritten) {
  Package p = model("add");
  p.tree.modules.push_back({.content = LoaderData{"byoc.graph"}, .name = "add_graph", .bytes = blob(R"({
    "nodes": [{"op": "null", "name": "a", "inputs": []}, {"op": "null", "name": "b", "inputs": []},
      {"op": "tvm_op", "name": "f", "attrs": {"func_name": "f", "num_inputs": "2", "num_outputs": "2", "flatten_data": "0"},
       "inputs": [[0, 0, 0], [1, 0, 0]]},
      {"op": "tvm_op", "name": "g", "attrs": {"func_name": "g", "num_inputs": "1", "num_outputs": "1", "flatten_data": "0"},
       "inputs": [[2, 0, 0]]}],
    "arg_nodes": [0, 1], "heads": [[3, 0, 0]], "node_row_ptr": [0, 1, 2, 4, 5],
    "attrs": {"shape": ["list_shape", [[2], [2], [4], [100], [7]]], "storage_id": ["list_int", [5, 1, 2, 3, 3]],
              "dltype": ["list_str", ["uint8", "float32", "int16", "int8", "int32"]]}})")});
  const MlfDocument document = written({p});
  const MlfModule& m = document.modules.at(0);
  std::vector<std::string> storage;
  for (const MlfModule::Storage& s : m.storage)
    storage.push_back(std::to_string(s.id) + " " + std::to_string(s.bytes) + " " + s.binding);
  EXPECT_THAT(storage, ElementsAre("1 8 b", "2 8 ", "3 100 ", "5 2 a"));
  EXPECT_THAT(paths(document), ::testing::Contains("executor-config/graph/add.graph"));
}

TEST_F(ModelLibrary, WhatIsNoModelLibrary) {
  const std::string good = R"({"version": 7, "modules": {}})";
  EXPECT_THAT(unreadable([](TarWriter& t) { return t.add_text("./a", "b"); }), HasSubstr("has no metadata.json"));
  EXPECT_THAT(unreadable([&](TarWriter& t) { return t.add_text("./metadata.json", good) && t.add_text("../a", "b"); }),
              HasSubstr("'../a': an entry leaves the archive"));
  EXPECT_THAT(unreadable([&](TarWriter& t) { return t.add_text("/etc/passwd", "b"); }),
              HasSubstr("'/etc/passwd': an entry leaves the archive"));
  EXPECT_THAT(unreadable([&](TarWriter& t) { return t.add_text("./a", "b") && t.add_text("a", "b"); }),
              HasSubstr("'a': two entries have this name"));
  EXPECT_THAT(unreadable([](TarWriter& t) { return t.add_text("./metadata.json", "{\"version\": 8}"); }),
              HasSubstr("another version of Model Library Format (found 8, expected 1 to 7)"));
  for (const char* bad : {"{", "[]", "{\"version\": \"7\"}", "{\"version\": 7, \"modules\": {\"a\": 3}}"})
    EXPECT_THAT(unreadable([&](TarWriter& t) { return t.add_text("./metadata.json", bad); }),
                HasSubstr("is not as Model Library Format has it"));
  for (const char* main : {R"({"workspace_size_bytes": 2e50})", R"({"io_size_bytes": -1})",
                           R"({"constants_size_bytes": 1.5})", R"({"inputs": {"x": {"dtype": "int8", "size": 2e50}}})",
                           R"({"outputs": {"y": {"dtype": "int8", "size": -1}}})"}) {
    const std::string text =
        R"({"version": 7, "model_name": "m", "memory": {"functions": {"main": [)" + std::string(main) + "]}}}";
    EXPECT_THAT(unreadable([&](TarWriter& t) { return t.add_text("./metadata.json", text); }),
                HasSubstr("is not as Model Library Format has it (found type must be a whole number, but is "));
  }
  OutputSet files(diags_);
  ASSERT_TRUE(files.add(path(), "no archive at all") && files.commit());
  Diagnostics diags;
  EXPECT_FALSE(read_model_library(path(), diags));
  EXPECT_THAT(text_of(diags), HasSubstr("is no plain tar archive"));
  EXPECT_FALSE(read_model_library(dir_->path() + "/none.tar", diags));
  // A link, and a compressed archive, as other tools write them.
  Diagnostics other;
  for (const std::string& command : {std::string("ln -sf x l && tar -cf m.tar l"),
                                     std::string("echo '{}' > metadata.json && tar -czf m.tar metadata.json")}) {
    ASSERT_EQ(run_process({"sh", "-c", command}, diags_, {.directory = dir_->path()})->exit_code, 0);
    EXPECT_FALSE(read_model_library(path(), other));
  }
  EXPECT_THAT(text_of(other), HasSubstr("'l': an entry is neither a file nor a folder"));
  EXPECT_THAT(text_of(other), HasSubstr("is no plain tar archive"));
}

}  // namespace
}  // namespace byoc
