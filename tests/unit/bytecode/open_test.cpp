// Steps of nodes of which only a run knows the length of some dims.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sdk/base/support/frame.hpp"
#include "tests/unit/bytecode/modules.hpp"

namespace byoc::bytecode {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// x[N,2] + y[M,2], where one of N and M may be 1.
const char kAdd[] = R"(graph "g" requant=onnx symbols=[N, M, K] {
  input %0 "x" : f32[N,2]
  input %1 "y" : f32[M,2]
  %2 "z" : f32[K,2] = Add.14(%0, %1)
  output %2
})";

// Two operands and a result, of which N, M and the result's length are told.
std::int32_t add(const byoc_step_args_t* args) {
  const auto* x = static_cast<const float*>(args->operands[0]);
  const auto* y = static_cast<const float*>(args->operands[1]);
  auto* z = static_cast<float*>(args->operands[2]);
  const std::int32_t n = args->dims[0], m = args->dims[1], rows = args->dims[2];
  if (n > 8) return 7;
  for (std::int32_t i = 0; i < rows; ++i)
    for (std::int32_t k = 0; k < 2; ++k) z[2 * i + k] = x[2 * (n == 1 ? 0 : i) + k] + y[2 * (m == 1 ? 0 : i) + k];
  return 0;
}

Module opened(const char* text) {
  Lowered l = lower(parsed(text), nobody, [](const NodeOf&) { return true; });
  EXPECT_EQ(l.open.nodes.size(), 1u);
  Primitive& p = l.module.primitives[0];
  p.name = "m_add";
  p.inputs = 2;
  p.operands = {0, 0, 0};
  p.open = OpenOperands{{0, 1, 2}, {{0, 0}, {1, 0}, {2, 0}}};
  l.module.prefix = "m";
  return l.module;
}

class VmOpen : public testing::Test {
 protected:
  Result<std::vector<Tensor>> run(const Module& module, const std::vector<Tensor>& inputs, const Limits& limits = {}) {
    EXPECT_TRUE(verify(module, "m", diags)) << text(diags);
    const byoc_step_table_t table{BYOC_STEP_TABLE_VERSION, 1, &entry, nullptr, 0, 0};
    auto machine = Machine::link(module, &table, nullptr, "m", diags);
    if (!machine) return failure;
    auto first = machine->run(inputs, limits, diags);
    if (!first) return failure;
    return machine->run(inputs, limits, diags);  // what it keeps of the first does not count
  }

  byoc_place_t places[3] = {
      {BYOC_PLACE_GIVEN, 0, 0, 0, nullptr}, {BYOC_PLACE_GIVEN, 1, 0, 0, nullptr}, {BYOC_PLACE_GIVEN, 2, 0, 0, nullptr}};
  byoc_step_entry_t entry{"m_add", add, places, nullptr, 2, 1, 0, 0, 0};
  Diagnostics diags;
};

TEST_F(VmOpen, oneStepForAllLengths) {
  const Module m = opened(kAdd);
  const auto same = run(m, {floats({2, 2}, {1, 2, 3, 4}), floats({2, 2}, {10, 20, 30, 40})});
  ASSERT_TRUE(same) << text(diags);
  EXPECT_THAT(elements<float>((*same)[0]), ElementsAre(11, 22, 33, 44));
  const auto broadcast = run(m, {floats({1, 2}, {1, 2}), floats({3, 2}, {1, 2, 3, 4, 5, 6})});
  ASSERT_TRUE(broadcast) << text(diags);
  EXPECT_THAT(*(*broadcast)[0].type.dims, ElementsAre(3, 2));
  EXPECT_THAT(elements<float>((*broadcast)[0]), ElementsAre(2, 4, 4, 6, 6, 8));
  // Nothing is computed of nothing.
  const auto empty = run(m, {floats({0, 2}, {}), floats({1, 2}, {1, 2})});
  ASSERT_TRUE(empty) << text(diags);
  EXPECT_THAT(*(*empty)[0].type.dims, ElementsAre(0, 2));
}

TEST_F(VmOpen, refusesWhatDoesNotFit) {
  EXPECT_FALSE(run(opened(kAdd), {floats({2, 2}, {1, 2, 3, 4}), floats({3, 2}, {1, 2, 3, 4, 5, 6})}));
  EXPECT_THAT(text(diags), HasSubstr("Add"));
}

TEST_F(VmOpen, lengthsOfOneNameAreOne) {
  const Module m = opened(R"(graph "g" requant=onnx symbols=[N] {
  input %0 "x" : f32[N,2]
  input %1 "y" : f32[N,2]
  %2 "z" : f32[N,2] = Add.14(%0, %1)
  output %2
})");
  EXPECT_FALSE(run(m, {floats({1, 2}, {1, 2}), floats({2, 2}, {1, 2, 3, 4})}));
  EXPECT_THAT(text(diags), HasSubstr("input 1 has another length than what is named alike"));
}

// A node whose rule asks for the sizes of an input finds them in a run, whatever the model states of it.
TEST(VmOpenRank, inputsMayBeOfAnyRank) {
  const Module m = interpreted(R"(graph "g" requant=onnx {
  input %0 "x" : f32?
  const %1 : f32[1,1,2] = [1, 1]
  %2 "y" : f32? = Conv.11(%0, %1) {auto_pad="SAME_UPPER"}
  output %2
})");
  const auto y = run(m, {floats({1, 1, 3}, {1, 2, 4})});
  ASSERT_EQ(y.size(), 1U);
  EXPECT_THAT(elements<float>(y[0]), ElementsAre(3, 6, 4));
}

TEST_F(VmOpen, stepsThatFailEndTheRun) {
  EXPECT_FALSE(run(opened(kAdd), {floats({9, 2}, std::vector<float>(18)), floats({1, 2}, {1, 2})}));
  EXPECT_THAT(text(diags), HasSubstr("step 'm_add' failed (found 7, expected 0)"));
}

TEST_F(VmOpen, resultsCountAgainstTheLimit) {
  EXPECT_FALSE(run(opened(kAdd), {floats({1, 2}, {1, 2}), floats({4, 2}, std::vector<float>(8))}, {.memory = 60}));
  EXPECT_THAT(text(diags), HasSubstr("more memory than they may"));
}

TEST_F(VmOpen, libraryMustHaveTheStepAsAnOpenOne) {
  places[1].place = BYOC_PLACE_INPUT;
  EXPECT_FALSE(run(opened(kAdd), {floats({1, 2}, {1, 2}), floats({1, 2}, {1, 2})}));
  EXPECT_THAT(text(diags), HasSubstr("a step of this name with other operands"));
}

TEST_F(VmOpen, isReadAsItWasWritten) {
  const std::vector<std::byte> bytes = write(opened(kAdd));
  const auto again = read(Blob::view(bytes, nullptr), "m", diags);
  ASSERT_TRUE(again) << text(diags);
  EXPECT_EQ(write(*again), bytes);
  EXPECT_THAT(disassemble(*again), HasSubstr("0: open_step Add, \"m_add\" : r2 <- r0 r1\n"));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::vector<std::byte> damaged = bytes;
    damaged[i] ^= std::byte{1};
    seal_frame(damaged);
    Diagnostics ignored;
    const auto module = read(Blob::view(damaged, nullptr), "m", ignored);
    ASSERT_EQ(bool(module), !ignored.has_errors()) << i;
  }
}

TEST_F(VmOpen, isVerified) {
  using M = Module;
  const auto changed = [&](const auto& change) {
    Module m = opened(kAdd);
    change(m);
    return refused(m);
  };
  const auto open = [](M& m) -> OpenOperands& { return *m.primitives[0].open; };
  EXPECT_THAT(changed([&](M& m) { open(m).operands[0] = 3; }), HasSubstr("an operand that its node does not have"));
  EXPECT_THAT(changed([&](M& m) { open(m).operands[0] = 2; }), HasSubstr("an operand that its node does not have"));
  EXPECT_THAT(changed([&](M& m) { open(m).operands[2] = 1; }), HasSubstr("an operand that its node does not have"));
  EXPECT_THAT(changed([&](M& m) { open(m).lengths[0].axis = 2; }), HasSubstr("a length that its node does not have"));
  EXPECT_THAT(changed([&](M& m) { open(m).lengths[0].operand = 3; }),
              HasSubstr("a length that its node does not have"));
  EXPECT_THAT(changed([&](M& m) { open(m).operands.pop_back(); }), HasSubstr("has operands as other steps do"));
  EXPECT_THAT(changed([&](M& m) { m.primitives[0].operands[0] = 8; }), HasSubstr("has operands as other steps do"));
  EXPECT_THAT(changed([&](M& m) { m.primitives[0].open.reset(); }), HasSubstr("in another way than it takes"));
  EXPECT_THAT(changed([&](M& m) { m.functions[0].code[0].words[1] = 1; }), HasSubstr("a primitive is out of range"));
  EXPECT_THAT(changed([&](M& m) { m.functions[0].code[0].words[0] = 1; }), HasSubstr("a node is out of range"));
  // A type that is not known is no constant of the library's.
  EXPECT_THAT(changed([&](M& m) { m.functions[0].code[0].words[4] = kNone; }), HasSubstr("a node has other operands"));
}

}  // namespace
}  // namespace byoc::bytecode
