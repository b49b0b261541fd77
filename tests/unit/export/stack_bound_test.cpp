#include "sdk/export/stack_bound.hpp"
#include "sdk/library/object/math_functions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace byoc {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

FunctionStack function(const std::string& name, std::uint64_t bytes, std::vector<StackCall> calls = {}) {
  return {.name = name, .global = true, .bytes = bytes, .calls = std::move(calls)};
}

StackBound bound(std::vector<FunctionStack> root, std::vector<FunctionStack> other = {}) {
  const std::vector<std::vector<FunctionStack>> objects{std::move(other), std::move(root)};
  return bound_of_calls(objects, 1, "m_");
}

TEST(StackBound, isTheDeepestChain) {
  const StackBound b =
      bound({function("m_run", 16, {{"one"}, {"two"}}), function("m_init", 60)},
            {function("one", 100, {{"leaf"}}), function("two", 8, {{"leaf"}, {"leaf"}}), function("leaf", 4)});
  EXPECT_EQ(b.bytes, 120U);
  EXPECT_EQ(b.allowance, 0U);
  EXPECT_THAT(b.allowed_for, IsEmpty());
  EXPECT_EQ(bound({function("m_run", 16), function("m_init", 60), function("other", 500)}).bytes, 60U);
}

TEST(StackBound, namesItsAllowances) {
  const StackBound b = bound({function("m_run", 16, {{"memcpy"}, {"step"}})},
                             {function("step", 40, {{"expf"}, {"__aeabi_fmul"}, {"m_weights", {}, true}})});
  EXPECT_EQ(b.bytes, 16U + 40U + stack_allowance("expf"));
  EXPECT_EQ(b.allowance, stack_allowance("expf"));
  EXPECT_THAT(b.allowed_for, ElementsAre("__aeabi_fmul", "expf", "memcpy"));
}

TEST(StackBound, isThereOnlyWhereAllOfAChainIsKnown) {
  FunctionStack pointer = function("step", 8);
  pointer.unknown = "calls by a pointer";
  EXPECT_EQ(bound({function("m_run", 16, {{"step"}})}, {pointer}).unknown, "step calls by a pointer");
  EXPECT_EQ(bound({function("m_run", 16, {{"a"}})}, {function("a", 8, {{"b"}}), function("b", 8, {{"a"}})}).unknown,
            "a calls itself");
  EXPECT_EQ(bound({function("m_run", 16, {{"npu_start"}})}).unknown,
            "m_run calls npu_start, which is not in the library");
  EXPECT_EQ(bound({function("m_run", 16, {{"npu_start"}})}).bytes, 0U);
}

TEST(StackBound, followsAddresses) {
  FunctionStack chooses = function("m_run", 16, {{"table", {}, true}, {"one", {}, true}});
  chooses.by_pointer = true;
  const std::vector<std::vector<FunctionStack>> objects{{chooses}, {function("one", 40)}};
  EXPECT_EQ(bound_of_calls(objects, 0, "m_", {"table"}).bytes, 56U);
  EXPECT_EQ(bound_of_calls(objects, 0, "m_").unknown, "m_run calls by a pointer");
}

TEST(StackBound, tellsLocalFunctionsOfTwoObjectsApart) {
  FunctionStack small = function("help", 4), large = function("help", 400);
  small.global = large.global = false;
  EXPECT_EQ(
      bound({function("m_run", 16, {{"help", 1}, {"step"}}), small}, {large, function("step", 8, {{"help", 0}})}).bytes,
      424U);
}

TEST(StackBound, knowsFunctionsOfOtherLibraries) {
  for (const char* name : {"expf", "exp", "fmaf", "lgammaf", "log1p"}) EXPECT_TRUE(is_math_function(name)) << name;
  for (const char* name : {"memcpy", "f", "", "expl", "__aeabi_fadd"}) EXPECT_FALSE(is_math_function(name)) << name;
  EXPECT_EQ(stack_allowance("vendor_start"), 0U);
  EXPECT_GT(stack_allowance("__mulsf3"), 0U);
}

}  // namespace
}  // namespace byoc
