// Folders that somebody wrote who means harm: whatever tree.json and the files say, nothing but the output is written
// and nothing is run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "sdk/export/compile_tree.hpp"
#include "sdk/export/pack_tree.hpp"
#include "sdk/library/pack/folder.hpp"
#include "sdk/library/pack/manifest.hpp"
#include "sdk/library/pack/write_package.hpp"
#include "tests/support/objects.hpp"

namespace byoc {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using test::blob;
using test::target;
using test::text_of;
using ::testing::HasSubstr;
using ::testing::Not;

class UntrustedFolder : public ::testing::Test {
 protected:
  void SetUp() override { write_folder_for(target("host")); }

  Package package(const TargetSpec& spec) {
    Package p;
    p.target = spec;
    p.tree.headers["api.h"] = "int answer(void);\n";
    p.tree.modules.push_back({.content = CCode{},
                              .name = "root",
                              .bytes = blob("#include \"api.h\"\nint answer(void) { return 42; }\n"),
                              .symbols = {{"answer"}}});
    p.tree.modules[0].constants.push_back({.symbol = "table", .bytes = blob("\1\2\3\4"), .align = 8});
    auto members = compile_tree(p.tree, p.target, {}, diags_);
    EXPECT_TRUE(members) << text_of(diags_);
    if (members) p.members = std::move(*members);
    return p;
  }
  void write_folder_for(const TargetSpec& spec) {
    fs::remove_all(folder());
    ASSERT_TRUE(write_package(package(spec), folder() + "/", diags_)) << text_of(diags_);
  }
  [[nodiscard]] std::string folder() const { return dir_->path() + "/tree"; }
  [[nodiscard]] std::string outside() const { return dir_->path() + "/outside"; }
  Json tree() { return Json::parse(*read_text(folder() + "/tree.json", diags_)); }
  void write(const Json& json) { std::ofstream(folder() + "/tree.json") << json.dump(2); }
  [[nodiscard]] Result<void> pack(const std::string& out, Diagnostics& diags,
                                  const std::optional<TargetSpec>& named = {}) const {
    const std::vector<std::string> folders{folder()};
    BuildOptions options;
    options.target = named;
    return pack_trees(folders, options, dir_->path() + "/" + out, diags);
  }
  // What is said of a folder with `value` at `pointer` of tree.json.
  std::string refused(const char* pointer, const Json& value, const char* out = "out.a") {
    const Json kept = tree();
    Json json = kept;
    json[Json::json_pointer(pointer)] = value;
    write(json);
    Diagnostics diags;
    EXPECT_FALSE(pack(out, diags)) << pointer << " " << value;
    write(kept);
    EXPECT_FALSE(fs::exists(dir_->path() + "/" + out)) << pointer;
    EXPECT_FALSE(fs::exists(outside())) << pointer;
    return text_of(diags);
  }
  // A program that leaves a file when it is run.
  std::string trap(const std::string& name) {
    const std::string path = dir_->path() + "/" + name;
    std::ofstream(path) << "#!/bin/sh\necho \"$@\" > '" << outside() << "'\nexec gcc \"$@\"\n";
    fs::permissions(path, fs::perms::owner_all);
    return path;
  }

  Diagnostics diags_;
  Result<TemporaryDirectory> dir_ = TemporaryDirectory::create(diags_);
};

TEST_F(UntrustedFolder, TextThatWouldBeMoreThanText) {
  const std::string shell = "$(shell touch " + outside() + ")";
  for (const std::string& evil : {std::string("../evil"), shell, std::string("`id`"), std::string("a;b"),
                                  std::string("a\nb"), std::string("a b"), std::string("a*/b")}) {
    EXPECT_THAT(refused("/prefix", evil), HasSubstr("'prefix': has text that it cannot have"));
    EXPECT_THAT(refused("/target/name", evil), HasSubstr("'name': has text that it cannot have"));
    EXPECT_THAT(refused("/target/cpu", evil), HasSubstr("'cpu': has text that it cannot have"));
    EXPECT_THAT(refused("/target/isa", {evil}), HasSubstr("'isa': has text that it cannot have"));
    EXPECT_THAT(refused("/target/simulator", evil), HasSubstr("'simulator': has text that it cannot have"));
    EXPECT_THAT(refused("/link_libraries", {evil}), HasSubstr("'link_libraries': has text that it cannot have"));
    EXPECT_THAT(refused("/headers", {{evil, "src/api.h"}}), HasSubstr("'headers': has text that it cannot have"));
    EXPECT_THAT(refused("/modules/0/name", evil), HasSubstr("'name': has text that it cannot have"));
    EXPECT_THAT(refused("/modules/0/standard", evil), HasSubstr("'standard': has text that it cannot have"));
    EXPECT_THAT(refused("/modules/0/opt_level", evil), HasSubstr("'opt_level': has text that it cannot have"));
    EXPECT_THAT(refused("/modules/0/symbols/0/name", evil), HasSubstr("'root': has text that it cannot have"));
    EXPECT_THAT(refused("/modules/0/constants/0/symbol", evil), HasSubstr("'root': has text that it cannot have"));
  }
  for (const char* field : {"/target/pools/0/name", "/modules/0/codegen", "/modules/0/loader", "/target/gnu_command"})
    EXPECT_THAT(refused(field, "a\nb"), HasSubstr("expected one line without control characters"));
  EXPECT_THAT(refused("/modules/0/opt_level", "4"),
              HasSubstr("'opt_level': has text that it cannot have (found '4', expected 0, 1, 2"));
  for (const Json& align : {Json(0), Json(3), Json(4294967304)})
    EXPECT_THAT(refused("/modules/0/constants/0/align", align), HasSubstr("has an alignment that there is not"));
  for (const Json& number : {Json(-1), Json(1e300), Json("8")})
    EXPECT_THAT(refused("/modules/0/constants/0/bytes", number), HasSubstr("type must be a whole number"));
}

TEST_F(UntrustedFolder, CommandsAreRunOnlyIfTheUserNamesThem) {
  if (find_program("gcc").empty()) GTEST_SKIP() << "no gcc";
  const std::string evil = trap("evil.sh");
  EXPECT_THAT(refused("/target/gnu_command", evil, "out.so"),
              HasSubstr("tree.json: error: 'gnu_command': is of no target that byoc knows, and would be used on this "
                        "machine (found " +
                        evil));
  EXPECT_THAT(refused("/target/gnu_command", "-x", "out.so"), HasSubstr("is an option and no program"));
  for (const char* flag : {"-fplugin=/tmp/x.so", "-wrapper", "--specs=/tmp/x.specs", "-B/tmp", "@/tmp/x", "-mllvm",
                           "-march=x86-64,-x", "/etc/passwd"})
    EXPECT_THAT(refused("/target/gnu_flags", {flag}, "out.so"), HasSubstr("'gnu_flags': is of no target")) << flag;
  EXPECT_THAT(refused("/target/include_dirs", {"/tmp"}), HasSubstr("'include_dirs': is of no target"));

  Json json = tree();
  json["target"]["gnu_command"] = evil;
  json["target"]["gnu_flags"] = {"-fno-ident"};
  json["target"]["include_dirs"] = {"/tmp"};
  write(json);
  TargetSpec named = target("host");
  named.gnu_command = trap("mine.sh");
  Diagnostics diags;
  ASSERT_TRUE(pack("out.so", diags, named)) << text_of(diags);
  EXPECT_TRUE(fs::exists(outside()));
  EXPECT_THAT(*read_text(outside(), diags_), Not(HasSubstr("-fno-ident")));
  named.name = "board";
  EXPECT_FALSE(pack("out.so", diags, named));
  EXPECT_THAT(text_of(diags), HasSubstr("'--target': the folder is for another target (found board, expected host)"));
  named.name = "host";
  named.cpu = "haswell";
  EXPECT_FALSE(pack("out.so", diags, named));
  EXPECT_THAT(text_of(diags), HasSubstr("the modules are for different targets: cpu differs"));
}

TEST_F(UntrustedFolder, LinksDoNotLeaveIt) {
  const std::string secret = dir_->path() + "/secret";
  std::ofstream(secret) << "int answer(void) { return 1; }\n";
  for (const char* file : {"src/root.c", "src/api.h", "tree.json"}) {
    const std::string path = folder() + "/" + file;
    const std::string kept = *read_text(path, diags_);
    fs::remove(path);
    fs::create_symlink(secret, path);
    Diagnostics diags;
    EXPECT_FALSE(pack("out.a", diags)) << file;
    EXPECT_THAT(text_of(diags), HasSubstr(std::string(file) + ": error: is a link that leaves the folder (found"));
    fs::remove(path);
    std::ofstream(path) << kept;
  }
  // A folder may be one, and so may a file of it that stays inside.
  fs::rename(folder() + "/src/api.h", folder() + "/src/other.h");
  fs::create_symlink("other.h", folder() + "/src/api.h");
  fs::rename(folder(), dir_->path() + "/real");
  fs::create_symlink("real", folder());
  ASSERT_TRUE(pack("out.a", diags_)) << text_of(diags_);
}

// Commands of the user's own stand in Makefile and CMakeLists.txt as they are, whatever characters they have.
TEST_F(UntrustedFolder, BuildFilesSayWordsAsTheyAre) {
  if (find_program("gcc").empty() || find_program("make").empty() || find_program("cmake").empty())
    GTEST_SKIP() << "no gcc, make or cmake";
  TargetSpec odd = target("host");
  fs::create_directory(dir_->path() + "/my $tools #1; 'x' \\#");
  odd.gnu_command = trap("my $tools #1; 'x' \\#/gcc");
  odd.gnu_flags = {"-DTEXT=\"a;b $(shell touch " + outside() + "2) $ENV{HOME} #'\\x\"", "-DPLAIN=1"};
  write_folder_for(odd);
  auto made = run_process({"make", "-s", "-C", folder(), "BUILD=" + dir_->path() + "/b", "AR=ar"}, diags_);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->exit_code, 0) << made->errors;
  EXPECT_THAT(*read_text(outside(), diags_), HasSubstr(odd.gnu_flags[0] + " -DPLAIN=1 "));
  EXPECT_FALSE(fs::exists(outside() + "2"));

  std::string text = *read_text(folder() + "/CMakeLists.txt", diags_);
  const std::size_t set = text.find("set(root_TARGET_FLAGS");
  ASSERT_NE(set, std::string::npos);
  std::ofstream(dir_->path() + "/flags.cmake") << text.substr(set, text.find('\n', set) - set)
                                               << "\nforeach(flag ${root_TARGET_FLAGS})\nmessage(\"${flag}\")\n"
                                                  "endforeach()\n";
  auto said = run_process({"cmake", "-P", dir_->path() + "/flags.cmake"}, diags_);
  ASSERT_TRUE(said);
  EXPECT_EQ(said->errors, odd.gnu_flags[0] + "\n-DPLAIN=1\n-fPIC\n");
}

// Members of libraries become files of the folder and words of its Makefile.
TEST_F(UntrustedFolder, MembersOfLibrariesHavePlainNames) {
  const auto object = test::assemble({"gcc"}, "int helper(void) { return 1; }\n");
  if (!object) GTEST_SKIP() << "no gcc";
  std::string archive = "!<arch>\n";
  std::string header = "$(id) ;x.o/     0           0     0     644     ";
  std::string size = std::to_string(object->size());
  size.resize(10, ' ');
  archive += header.substr(0, 48) + size + "`\n";
  archive.append(reinterpret_cast<const char*>(object->data()), object->size());
  Package p = package(target("host"));
  p.tree.modules[0].imports = {1};
  p.tree.modules.push_back({.content = ObjectLibrary{}, .name = "vendor", .bytes = blob(archive)});
  auto members = compile_tree(p.tree, p.target, {}, diags_);
  ASSERT_TRUE(members) << text_of(diags_);
  EXPECT_EQ(members->at(1).name, "vendor___id___x.o");
}

// What a manifest says becomes C in some packs.
TEST_F(UntrustedFolder, ManifestsAreChecked) {
  ModelInterface m;
  m.prefix = "net";
  m.further_workspaces = {{"dtcm", "dtcm", ".bss.dtcm", 300, 32, 200}};
  m.inputs = {
      {.name = "x", .field = "x", .dtype = DType::i8, .dims = {2, 3}, .bytes = 6, .quantisation = {{1, 2}, {0, 0}, 0}}};
  m.steps = {{.symbol = "net_conv", .kernel = "conv_s8", .nodes = {}, .macs = 5, .results = {}}};
  Package p = package(target("host"));
  p.prefix = "net";
  p.header_name = "net.h";
  p.tree.headers["net.h"] = "int net;\n";
  p.description = {.interface = m, .target = name_of(p.target), .toolchain = "clang", .link_libraries = {"acme"}};
  fs::remove_all(folder());
  ASSERT_TRUE(write_package(p, folder() + "/", diags_)) << text_of(diags_);
  const std::string path = folder() + "/net.json";
  const Json kept = Json::parse(*read_text(path, diags_));
  const auto said = [&](const char* pointer, const Json& value) {
    Json json = kept;
    json[Json::json_pointer(pointer)] = value;
    std::ofstream(path) << json.dump();
    Diagnostics diags;
    EXPECT_FALSE(pack("out.tar", diags)) << pointer;
    EXPECT_FALSE(fs::exists(dir_->path() + "/out.tar")) << pointer;
    return text_of(diags);
  };
  EXPECT_THAT(said("/prefix", "other"), HasSubstr("the manifest is of another model (found other, expected net)"));
  EXPECT_THAT(said("/further_workspaces/0/field", "x 1\n#define y"), HasSubstr("is no C identifier"));
  EXPECT_THAT(said("/further_workspaces/0/section", "a\")"), HasSubstr("'section': has text that it cannot have"));
  EXPECT_THAT(said("/steps/0/symbol", "f();"), HasSubstr("'symbol': has text that it cannot have"));
  for (const auto& [field, value] : {std::pair("axis", Json(1)), std::pair("axis", Json(2)),
                                     std::pair("scales", Json{1}), std::pair("zero_points", Json{0})})
    EXPECT_THAT(said((std::string("/inputs/0/") + field).c_str(), value),
                HasSubstr("'x': the manifest has scales and zero points that are not those of the tensor's dims"));
  EXPECT_THAT(said("/inputs/0/zero_points", {0.5, 1e300}), HasSubstr("type must be a whole number, but is 0.5"));
  EXPECT_THAT(said("/link_libraries", {":../../x.so"}), HasSubstr("'link_libraries': has text that it cannot have"));
  EXPECT_THAT(said("/target/name", "../x.json"), HasSubstr("'target': has text that it cannot have"));
  EXPECT_THAT(said("/workspace/bytes", -1),
              HasSubstr("is no manifest of byoc (found type must be a whole number, but is -1"));
  const Json constant = {{"symbol", "a b"}, {"bytes", 1}, {"align", 1}, {"region", "flash"}, {"xxh3_128", ""}};
  EXPECT_THAT(said("/constants", Json::array({constant})), HasSubstr("'symbol': has text that it cannot have"));
  std::ofstream(path) << kept.dump();
  ASSERT_TRUE(pack("out.tar", diags_)) << text_of(diags_);
}

}  // namespace
}  // namespace byoc
