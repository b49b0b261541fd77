// What compares vectors of floats with a number is false for a NaN, wherever code is generated.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "sdk/library/compile/compiler.hpp"
#include "sdk/library/compile/llvm_module.hpp"
#include "tests/support/objects.hpp"

namespace byoc {
namespace {

using test::target;
using test::text_of;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;

constexpr const char* kPositive = R"(
void positive(const float* restrict x, float* restrict y);
void positive(const float* restrict x, float* restrict y) {
  for (int i = 0; i < 64; ++i) y[i] = x[i] < 0.0f ? 0.0f : x[i];
}
)";

// A module that compares vectors with a number, on either side.
std::string comparison(const std::string& predicate, bool number_first, int elements) {
  const std::string type = "<" + std::to_string(elements) + " x float>";
  const std::string number = elements == 4 ? "%t" : "zeroinitializer";
  return "define void @f(ptr %p, ptr %q, float %f) {\n  %x = load " + type +
         ", ptr %p, align 4\n"
         "  %s = insertelement " +
         type + " poison, float %f, i32 0\n  %t = shufflevector " + type + " %s, " + type + " poison, <" +
         std::to_string(elements) + " x i32> zeroinitializer\n  %c = fcmp " + predicate + " " + type + " " +
         (number_first ? number + ", %x" : "%x, " + number) + "\n  %y = select <" + std::to_string(elements) +
         " x i1> %c, " + type + " %t, " + type + " %x\n  store " + type + " %y, ptr %q, align 4\n  ret void\n}\n";
}

class MveComparisons : public ::testing::Test {
 protected:
  void SetUp() override {
    if (find_program("llvm-objdump-19").empty()) GTEST_SKIP() << "llvm-objdump-19 is not installed";
  }

  // "gt" and so on: the conditions of the vector comparisons in an object.
  std::vector<std::string> conditions(const Result<ObjectBytes>& object) {
    EXPECT_TRUE(object) << text_of(diags_);
    auto folder = TemporaryDirectory::create(diags_);
    if (!object || !folder) return {};
    const std::string path = folder->path() + "/f.o";
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(object->data()), static_cast<std::streamsize>(object->size()));
    auto ran = run_process({"llvm-objdump-19", "-d", path}, diags_);
    EXPECT_TRUE(ran && ran->exit_code == 0);
    std::vector<std::string> out;
    std::istringstream text(ran ? ran->output : "");
    for (std::string line; std::getline(text, line);) {
      std::size_t at = line.find("\tvcmp");
      if (at == std::string::npos) at = line.find("\tvpt");
      const std::size_t type = at == std::string::npos ? at : line.find(".f32\t", at);
      if (type != std::string::npos) out.push_back(line.substr(type + 5, 2));
    }
    return out;
  }

  std::vector<std::string> conditions(const std::string& module) {
    return conditions(compile_llvm_module("f.ll", std::as_bytes(std::span(module)), m55_, {}, diags_));
  }

  Diagnostics diags_;
  TargetSpec m55_ = target("cortex-m55");
};

TEST_F(MveComparisons, OfC) {
  auto c = Compiler::create(m55_, "clang", {}, diags_);
  ASSERT_TRUE(c) << text_of(diags_);
  EXPECT_THAT(conditions((*c)->compile({.name = "positive", .text = kPositive}, {}, diags_)),
              AllOf(Contains("gt"), Each("gt")));
}

TEST_F(MveComparisons, OfModulesOfPlugins) {
  for (const int elements : {2, 4, 8})
    for (const bool number_first : {false, true})
      for (const std::string relation : {"t", "e"}) {
        const std::string predicate = (number_first ? "og" : "ol") + relation;
        SCOPED_TRACE(predicate + " " + std::to_string(elements));
        EXPECT_THAT(conditions(comparison(predicate, number_first, elements)),
                    AllOf(Contains("g" + relation), Each("g" + relation)));
      }
}

TEST_F(MveComparisons, OfLinkedModules) {
  auto c = Compiler::create(m55_, "clang", {.bitcode = true}, diags_);
  ASSERT_TRUE(c) << text_of(diags_);
  const auto bitcode = (*c)->compile({.name = "positive", .text = kPositive}, {}, diags_);
  ASSERT_TRUE(bitcode) << text_of(diags_);
  const std::vector<LinkInput> inputs{{.name = "positive.c", .bytes = *bitcode}};
  const auto linked = link_llvm_modules("all", inputs, {}, m55_, {}, diags_);
  ASSERT_TRUE(linked) << text_of(diags_);
  EXPECT_THAT(conditions(linked->object), AllOf(Contains("gt"), Each("gt")));
}

}  // namespace
}  // namespace byoc
