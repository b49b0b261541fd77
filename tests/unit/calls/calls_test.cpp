// Functions that are given what they are declared to take, in their order, and errors that name them.
#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "sdk/run/calls/model_functions.hpp"
#include "sdk/run/calls/packed_calls.hpp"

namespace byoc::calls {
namespace {

std::string seen;                 // the calls so far
std::int32_t status_of_init = 0;  // what they return
std::int32_t status_of_run = 0;

std::int32_t init(void* instance) { return seen += "init ", *static_cast<char*>(instance) = 1, status_of_init; }
std::int32_t reset(void* instance) { return seen += "reset ", *static_cast<char*>(instance) == 1 ? 0 : 9; }
std::int32_t deinit(void*) { return seen += "deinit ", 0; }
std::int32_t run_plain(void* const* inputs, void* const* outputs, void* workspace) {
  *static_cast<int*>(outputs[0]) = *static_cast<int*>(inputs[0]) + *static_cast<int*>(workspace);
  return status_of_run;
}
std::int32_t run_with_all(void* instance, void* const* inputs, void* const* outputs, void* w0, void* w1, void* w2,
                          void* w3, void* w4, void* w5) {
  seen += *static_cast<char*>(instance) == 1 ? "run " : "run too early ";
  *static_cast<int*>(outputs[0]) = *static_cast<int*>(inputs[0]);
  for (void* w : {w0, w1, w2, w3, w4, w5}) std::memset(w, 1, 64);
  return 0;
}

template <class F>
void* address(F* function) {
  return reinterpret_cast<void*>(function);
}

Find find_in(std::map<std::string, void*> functions) {
  return [functions = std::move(functions)](const std::string& name) {
    const auto found = functions.find(name);
    return found == functions.end() ? nullptr : found->second;
  };
}

std::string text(const std::optional<CallError>& error) { return error ? error->text() : "done"; }

TEST(ModelFunctions, OfAModelWithoutAnInstanceTakeItsWorkspace) {
  ModelFunctions m;
  const std::vector<BufferNeed> workspaces{{4, 4}};
  ASSERT_EQ(text(m.load(find_in({{"m_run", address(run_plain)}}), "m", {}, workspaces)), "done");
  int in = 41, out = 0;
  void *inputs[] = {&in}, *outputs[] = {&out};
  EXPECT_EQ(text(m.run(inputs, outputs)), "done");
  EXPECT_EQ(out, 41);  // the workspace is zeros
  EXPECT_EQ(text(m.reset()), "done");
  status_of_run = -3;
  EXPECT_EQ(text(m.run(inputs, outputs)), "m_run returned -3");
  status_of_run = 0;
}

TEST(ModelFunctions, CallsAnInstanceFromInitToDeinit) {
  seen.clear();
  const Find find = find_in({{"m_run", address(run_with_all)},
                             {"m_init", address(init)},
                             {"m_reset", address(reset)},
                             {"m_deinit", address(deinit)}});
  const std::vector<BufferNeed> workspaces(ModelFunctions::kMostWorkspaces, BufferNeed{64, 128});
  {
    ModelFunctions m;
    ASSERT_EQ(text(m.load(find, "m", {8, 8}, workspaces)), "done");
    int in = 7, out = 0;
    void *inputs[] = {&in}, *outputs[] = {&out};
    EXPECT_EQ(text(m.run(inputs, outputs)), "done");
    EXPECT_EQ(text(m.reset()), "done");
    EXPECT_EQ(out, 7);
  }
  EXPECT_EQ(seen, "init run reset deinit ");
}

TEST(ModelFunctions, OneThatIsMissingOrFailsIsNamed) {
  seen.clear();
  std::map<std::string, void*> functions;
  const auto load = [&] {
    ModelFunctions m;
    return text(m.load(find_in(functions), "m", {8, 8}, {}));
  };
  EXPECT_EQ(load(), "the library has no function m_run");
  functions["m_run"] = address(run_with_all);
  functions["m_init"] = address(init);
  functions["m_reset"] = address(reset);
  EXPECT_EQ(load(), "the library has no function m_deinit");
  functions["m_deinit"] = address(deinit);
  status_of_init = 5;
  EXPECT_EQ(load(), "m_init returned 5");
  EXPECT_EQ(seen, "init ");  // one that failed is not ended
  status_of_init = 0;
}

TEST(Memory, IsZeroedAtItsAlignment) {
  const Memory small({3, 1}), large({100, 4096}), none({0, 1});
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(small.data()) % 64, 0u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(large.data()) % 4096, 0u);
  EXPECT_NE(none.data(), nullptr);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(static_cast<const char*>(large.data())[i], 0);
}

std::int32_t packed_double(byoc_packed_value_t* args, std::int32_t* codes, std::int32_t count, byoc_packed_value_t*,
                           std::int32_t*, void*) {
  if (count != 2 || codes[1] != BYOC_PACKED_ARG_TENSOR) return 1;
  const auto *in = static_cast<byoc_dl_tensor_t*>(args[0].v_handle),
             *out = static_cast<byoc_dl_tensor_t*>(args[1].v_handle);
  if (in->ndim != 1 || in->shape[0] != 2) return 2;
  for (int i = 0; i < 2; ++i) static_cast<int*>(out->data)[i] = 2 * static_cast<const int*>(in->data)[i];
  return 0;
}

TEST(PackedCalls, RunFunctionsAndCopiesOnTensorsThatMove) {
  const PackedTensor two_ints{0, BYOC_DL_INT, 32, 1, {2}};
  std::vector<PackedTensor> tensors(3, two_ints);
  for (std::uint32_t i = 0; i < 3; ++i) tensors[i].buffer = i;
  int a[] = {1, 2}, b[] = {0, 0}, c[] = {0, 0}, other[] = {5, 6};
  void* buffers[] = {a, b, c};
  PackedCalls calls;
  const auto missing = calls.load(find_in({{"twice", address(packed_double)}}), tensors,
                                  {{"twice", {0, 1}}, {"", {1, 2}}, {"thrice", {0, 1}}, {"twice", {0}}}, buffers);
  EXPECT_EQ(missing, std::vector<std::size_t>{2});
  ASSERT_EQ(calls.size(), 4u);
  EXPECT_EQ(text(calls.run(0)), "done");
  EXPECT_EQ(text(calls.run(1)), "done");
  EXPECT_EQ(c[0], 2);
  EXPECT_EQ(c[1], 4);
  calls.tensors()[0].data = other;
  EXPECT_EQ(text(calls.run(0)), "done");
  EXPECT_EQ(b[1], 12);
  EXPECT_EQ(text(calls.run(3)), "twice returned 1");
}

}  // namespace
}  // namespace byoc::calls
