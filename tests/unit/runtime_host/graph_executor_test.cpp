// Graphs and libraries by hand, from the description of the formats: nothing here is written by byoc.
#include "byoc/graph_executor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "sdk/base/support/file.hpp"
#include "sdk/base/support/process.hpp"
#include "tests/support/packed_graph.hpp"

namespace byoc {
namespace {

using test::graph;
using test::null_node;
using test::op;
using test::params;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::span<const std::byte> bytes_of(const std::vector<float>& values) { return std::as_bytes(std::span(values)); }

std::vector<float> floats(std::span<const std::byte> bytes) {
  std::vector<float> out(bytes.size() / sizeof(float));
  if (!bytes.empty()) std::memcpy(out.data(), bytes.data(), bytes.size());
  return out;
}

float* data(const byoc_packed_value_t& v) {
  const auto* t = static_cast<const byoc_dl_tensor_t*>(v.v_handle);
  return reinterpret_cast<float*>(static_cast<std::byte*>(t->data) + t->byte_offset);
}

std::int64_t elements(const byoc_packed_value_t& v) {
  const auto* t = static_cast<const byoc_dl_tensor_t*>(v.v_handle);
  std::int64_t out = 1;
  for (int d = 0; d < t->ndim; ++d) out *= t->shape[d];
  return out;
}

std::int32_t add_one(byoc_packed_value_t* args, std::int32_t* codes, std::int32_t count, byoc_packed_value_t*,
                     std::int32_t*, void*) {
  if (count != 2 || codes[0] != 7 || codes[1] != 7) return -1;
  for (std::int64_t i = 0; i < elements(args[1]); ++i) data(args[1])[i] = data(args[0])[i] + 1;
  return 0;
}

std::int32_t add(byoc_packed_value_t* args, std::int32_t*, std::int32_t count, byoc_packed_value_t*, std::int32_t*,
                 void*) {
  if (count != 3) return -1;
  for (std::int64_t i = 0; i < elements(args[2]); ++i) data(args[2])[i] = data(args[0])[i] + data(args[1])[i];
  return 0;
}

// Writes how many dimensions its input has.
std::int32_t rank(byoc_packed_value_t* args, std::int32_t*, std::int32_t, byoc_packed_value_t*, std::int32_t*, void*) {
  data(args[1])[0] = static_cast<float>(static_cast<const byoc_dl_tensor_t*>(args[0].v_handle)->ndim);
  return 0;
}

std::int32_t fail(byoc_packed_value_t*, std::int32_t*, std::int32_t, byoc_packed_value_t*, std::int32_t*, void*) {
  return -3;
}

float linked[4] = {10, 20, 30, 40};

// The parameter of storage 1 is part of the library.
std::int32_t lookup_linked(byoc_packed_value_t* args, std::int32_t* codes, std::int32_t, byoc_packed_value_t* result,
                           std::int32_t* code, void*) {
  if (codes[0] != 0 || args[0].v_int != 1) return 0;
  result->v_handle = linked;
  *code = 3;
  return 0;
}

PackedLookup functions() {
  return [](const std::string& name) -> byoc_packed_function_t {
    if (name == "add_one") return add_one;
    if (name == "add") return add;
    if (name == "rank") return rank;
    return name == "fail" ? fail : nullptr;
  };
}

Result<GraphExecutor> make(const SortedJson& json, Diagnostics& diags, PackedLookup lookup = functions()) {
  return GraphExecutor::create({"g.json", json.dump(), std::move(lookup), {}}, diags);
}

std::string first_error(const Diagnostics& diags) { return diags.all().empty() ? "" : to_string(diags.all().front()); }

SortedJson plus_one() { return graph({null_node("x"), op("add", "add_one", {{0, 0, 0}})}, {0, 1}, {{1, 0, 0}}); }

SortedJson x_plus_y() {
  return graph({null_node("x"), null_node("y"), op("add", "add", {{0, 0, 0}, {1, 0, 0}})}, {0, 1, 2}, {{2, 0, 0}});
}

std::vector<float> output(const GraphExecutor& executor) {
  Diagnostics diags;
  const auto bytes = executor.get_output(0, diags);
  return bytes ? floats(*bytes) : std::vector<float>{};
}

TEST(GraphExecutor, B20RunsAGraphWrittenByHand) {
  Diagnostics diags;
  auto executor = make(plus_one(), diags);
  ASSERT_TRUE(executor) << first_error(diags);
  const std::vector<float> a{1, 2, 3, 4};
  ASSERT_TRUE(executor->set_input("x", bytes_of(a), diags));
  ASSERT_TRUE(executor->run(diags));
  EXPECT_THAT(output(*executor), ElementsAre(2, 3, 4, 5));
  EXPECT_EQ(floats(*executor->get_input(0, diags)), a);
}

// The files are gone when the executor is there.
Result<GraphExecutor> open_compiled(Diagnostics& diags) {
  auto directory = TemporaryDirectory::create(diags);
  if (!directory) return failure;
  const std::string at = directory->path();
  std::ofstream(at + "/lib.c") << test::kPackedLibrary;
  std::ofstream(at + "/g.json") << graph(
      {null_node("x"), op("tvmgen_default_fused_add", "tvmgen_default_fused_add", {{0, 0, 0}})}, {0, 1}, {{1, 0, 0}});
  const std::vector<std::byte> file = params({{"x", {5, 6, 7, 8}}});
  std::ofstream(at + "/g.params")
      .write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
  const auto compiled = run_process({"gcc", "-shared", "-fPIC", "-o", at + "/lib.so", at + "/lib.c"}, diags);
  if (!compiled || compiled->exit_code != 0) return failure;
  return GraphExecutor::open(at + "/g.json", at + "/lib.so", at + "/g.params", diags);
}

TEST(GraphExecutor, B20RunsALibraryThatOthersCompiled) {
  if (find_program("gcc").empty()) GTEST_SKIP() << "gcc is not installed";
  Diagnostics diags;
  auto executor = open_compiled(diags);
  ASSERT_TRUE(executor) << first_error(diags);
  ASSERT_TRUE(executor->run(diags));
  EXPECT_THAT(output(*executor), ElementsAre(6, 7, 8, 9));
}

TEST(GraphExecutor, ALibraryThatIsNoneIsAnError) {
  Diagnostics diags;
  auto directory = TemporaryDirectory::create(diags);
  ASSERT_TRUE(directory);
  std::ofstream(directory->path() + "/g.json") << plus_one();
  EXPECT_FALSE(GraphExecutor::open(directory->path() + "/g.json", directory->path() + "/g.json", "", diags));
  EXPECT_THAT(first_error(diags), HasSubstr("cannot be loaded"));
}

TEST(GraphExecutor, B21TenExecutorsShareTheParametersOfOneThatIsGone) {
  Diagnostics diags;
  const std::vector<float> x{1, 2, 3, 4};
  const std::vector<std::byte> file = params({{"x", x}});
  std::vector<GraphExecutor> all;
  {
    auto source = make(x_plus_y(), diags);
    ASSERT_TRUE(source && source->load_params(file, diags));
    for (int i = 0; i < 10; ++i) {
      auto executor = make(x_plus_y(), diags);
      ASSERT_TRUE(executor && executor->share_params(*source, file, diags)) << first_error(diags);
      EXPECT_EQ(executor->get_input(0, diags)->data(), source->get_input(0, diags)->data());
      all.push_back(*executor);
    }
  }
  for (int i = 0; i < 10; ++i) {
    const std::vector<float> y(4, static_cast<float>(i));
    ASSERT_TRUE(all[static_cast<std::size_t>(i)].set_input("y", bytes_of(y), diags));
  }
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(all[static_cast<std::size_t>(i)].run(diags));
    const auto f = static_cast<float>(i);
    EXPECT_THAT(output(all[static_cast<std::size_t>(i)]), ElementsAre(1 + f, 2 + f, 3 + f, 4 + f));
  }
}

TEST(GraphExecutor, SharingWhatTheSourceDoesNotHaveIsAnError) {
  Diagnostics diags;
  auto source = make(plus_one(), diags), executor = make(x_plus_y(), diags);
  ASSERT_TRUE(source && executor);
  EXPECT_FALSE(executor->share_params(*source, params({{"y", {1, 2, 3, 4}}}), diags));
  EXPECT_THAT(first_error(diags), HasSubstr("the graph has no such input (found 'y', expected x)"));
}

TEST(GraphExecutor, B22AnUnknownParameterIsAWarningOrAnError) {
  Diagnostics diags;
  auto executor = make(x_plus_y(), diags);
  ASSERT_TRUE(executor);
  const std::vector<std::byte> file = params({{"x", {1, 2, 3, 4}}, {"y_unknown", {9, 9, 9, 9}}});
  ASSERT_TRUE(executor->load_params(file, diags));
  ASSERT_EQ(diags.count(), 1U);
  EXPECT_EQ(diags.all()[0].level, Level::warning);
  EXPECT_THAT(first_error(diags), HasSubstr("'y_unknown': the graph has no such parameter"));
  EXPECT_THAT(floats(*executor->get_input(0, diags)), ElementsAre(1, 2, 3, 4));
  auto strict = make(x_plus_y(), diags);
  ASSERT_TRUE(strict);
  EXPECT_FALSE(strict->load_params(file, diags, UnknownParams::error));
  EXPECT_THAT(floats(*strict->get_input(0, diags)), ElementsAre(0, 0, 0, 0));  // nothing of the file
}

TEST(GraphExecutor, B25ParametersAreLoadedLater) {
  Diagnostics diags;
  const std::vector<std::byte> file = params({{"x", {1, 2, 3, 4}}});
  auto with = make(x_plus_y(), diags), without = make(x_plus_y(), diags);
  ASSERT_TRUE(with && without && with->load_params(file, diags));
  const std::vector<float> y{1, 1, 1, 1};
  for (GraphExecutor* e : {&*with, &*without}) {
    ASSERT_TRUE(e->set_input("y", bytes_of(y), diags));
    ASSERT_TRUE(e->run(diags));
  }
  EXPECT_THAT(output(*with), ElementsAre(2, 3, 4, 5));
  EXPECT_THAT(output(*without), ElementsAre(1, 1, 1, 1));
  ASSERT_TRUE(without->load_params(file, diags) && without->run(diags));
  EXPECT_EQ(output(*with), output(*without));
}

TEST(GraphExecutor, AParameterOfAnotherShapeIsAnError) {
  Diagnostics diags;
  auto executor = make(x_plus_y(), diags);
  ASSERT_TRUE(executor);
  EXPECT_FALSE(executor->load_params(params({{"x", {1, 2, 3}}}), diags));
  EXPECT_THAT(first_error(diags),
              HasSubstr("the parameter is of another type or shape (found float32[3], expected float32[4])"));
}

byoc_dl_tensor_t tensor(std::vector<float>& values, std::int64_t* shape) {
  return {values.data(), {BYOC_DL_CPU, 0}, 1, {BYOC_DL_FLOAT, 32, 1}, shape, nullptr, 0};
}

TEST(GraphExecutor, B28BuffersOfTheCallersAreReadAndWrittenInPlace) {
  Diagnostics diags;
  auto executor = make(x_plus_y(), diags);
  ASSERT_TRUE(executor);
  // Not at a multiple of 64, which nothing here needs.
  std::vector<float> x{0, 1, 2, 3, 4}, y{0, 10, 20, 30, 40}, out(5);
  std::int64_t shape[1] = {4};
  byoc_dl_tensor_t tx = tensor(x, shape), ty = tensor(y, shape), to = tensor(out, shape);
  tx.byte_offset = ty.byte_offset = to.byte_offset = sizeof(float);
  ASSERT_TRUE(executor->set_input_zero_copy("x", tx, diags) && executor->set_input_zero_copy("y", ty, diags) &&
              executor->set_output_zero_copy(0, to, diags))
      << first_error(diags);
  ASSERT_TRUE(executor->run(diags));
  EXPECT_THAT(out, ElementsAre(0, 11, 22, 33, 44));
  x[1] = 100;
  ASSERT_TRUE(executor->run(diags));
  EXPECT_EQ(out[1], 110);
  EXPECT_EQ(executor->get_output(0, diags)->data(), std::as_bytes(std::span(out)).subspan(4).data());
}

TEST(GraphExecutor, ABufferThatDoesNotFitIsAnError) {
  Diagnostics diags;
  auto executor = make(x_plus_y(), diags);
  ASSERT_TRUE(executor);
  std::vector<float> values(8);
  std::int64_t four[1] = {4}, five[1] = {5}, stride[1] = {2};
  const auto refused = [&](const byoc_dl_tensor_t& t, const char* why) {
    Diagnostics told;
    EXPECT_FALSE(executor->set_input_zero_copy(0, t, told));
    EXPECT_THAT(first_error(told), HasSubstr(why));
    Diagnostics output;
    EXPECT_FALSE(executor->set_output_zero_copy(0, t, output));
  };
  byoc_dl_tensor_t t = tensor(values, five);
  refused(t, "another type or shape (found float32[5], expected float32[4])");
  t = tensor(values, four);
  t.dtype.code = BYOC_DL_INT;
  refused(t, "another type or shape (found int32[4], expected float32[4])");
  t = tensor(values, four);
  t.strides = stride;
  refused(t, "the tensor has gaps (found a stride of 2, expected 1)");
  t = tensor(values, four);
  t.device.device_type = 2;
  refused(t, "on a device that is not the CPU (found 2)");
  t = tensor(values, four);
  t.byte_offset = 1;
  refused(t, "at an address that its elements cannot have (expected a multiple of 4)");
  EXPECT_FALSE(executor->set_input_zero_copy(2, tensor(values, four), diags));
  EXPECT_THAT(first_error(diags), HasSubstr("the graph has no such input (found 2, expected 0 to 1)"));
}

TEST(GraphExecutor, AnUnknownInputIsAnError) {
  Diagnostics diags;
  auto executor = make(x_plus_y(), diags);
  ASSERT_TRUE(executor);
  const std::vector<float> a(4);
  EXPECT_FALSE(executor->set_input("z", bytes_of(a), diags));
  EXPECT_THAT(first_error(diags), HasSubstr("the graph has no such input (found 'z', expected x, y)"));
  Diagnostics more;
  EXPECT_FALSE(executor->set_input(std::size_t{2}, bytes_of(a), more));
  EXPECT_FALSE(executor->get_output(1, more));
  EXPECT_FALSE(executor->set_input("x", bytes_of({1, 2}), more));
  EXPECT_THAT(to_string(more.all().back()),
              HasSubstr("of another size (found 8 bytes, expected 16 bytes, float32[4])"));
}

TEST(GraphExecutor, B30LinkedParametersNeedNoFile) {
  Diagnostics diags;
  const auto lookup = [](const std::string& name) {
    return name == "_lookup_linked_param" ? lookup_linked : functions()(name);
  };
  auto executor = make(x_plus_y(), diags, lookup);
  ASSERT_TRUE(executor);
  EXPECT_EQ(executor->get_input(1, diags)->data(), reinterpret_cast<const std::byte*>(linked));
  ASSERT_TRUE(executor->run(diags));
  EXPECT_THAT(output(*executor), ElementsAre(10, 20, 30, 40));
  // A file that has it as well does not write into the library.
  ASSERT_TRUE(executor->load_params(params({{"y", {1, 1, 1, 1}}}), diags) && executor->run(diags));
  EXPECT_THAT(output(*executor), ElementsAre(1, 1, 1, 1));
  EXPECT_EQ(linked[0], 10);
}

TEST(GraphExecutor, NopAndCopyAreBuiltIn) {
  SortedJson json = graph({null_node("x"), op("flat", "__nop", {{0, 0, 0}}), op("copy", "__copy", {{1, 0, 0}}),
                           op("add", "add_one", {{1, 0, 0}})},
                          {0, 0, 1, 2}, {{2, 0, 0}, {3, 0, 0}, {1, 0, 0}});
  json["attrs"]["shape"][1] = {{2, 2}, {4}, {4}, {4}};
  Diagnostics diags;
  auto executor = make(json, diags);
  ASSERT_TRUE(executor) << first_error(diags);
  std::vector<float> x{1, 2, 3, 4};
  std::int64_t shape[2] = {2, 2};
  byoc_dl_tensor_t t = tensor(x, shape);
  t.ndim = 2;
  // What is only looked at in another shape comes from the caller's buffer, too.
  ASSERT_TRUE(executor->set_input_zero_copy(0, t, diags) && executor->run(diags)) << first_error(diags);
  EXPECT_EQ(floats(*executor->get_output(0, diags)), x);
  EXPECT_THAT(floats(*executor->get_output(1, diags)), ElementsAre(2, 3, 4, 5));
  EXPECT_EQ(floats(*executor->get_output(2, diags)), x);
  EXPECT_FALSE(executor->set_output_zero_copy(2, tensor(x, &shape[0]), diags));
}

TEST(GraphExecutor, AnOutputThatIsAnInputIsNotRedirected) {
  Diagnostics diags;
  auto executor = make(graph({null_node("x")}, {0}, {{0, 0, 0}}), diags);
  ASSERT_TRUE(executor);
  std::vector<float> x(4);
  std::int64_t shape[1] = {4};
  EXPECT_FALSE(executor->set_output_zero_copy(0, tensor(x, shape), diags));
  EXPECT_THAT(first_error(diags), HasSubstr("the output is an input, which must be copied"));
}

TEST(GraphExecutor, AnInputThatTheGraphWritesIsNotTheCallers) {
  Diagnostics diags;
  auto executor = make(graph({null_node("x"), op("add", "add_one", {{0, 0, 0}})}, {0, 0}, {{1, 0, 0}}), diags);
  ASSERT_TRUE(executor);
  std::vector<float> x(4);
  std::int64_t shape[1] = {4};
  EXPECT_FALSE(executor->set_input_zero_copy(0, tensor(x, shape), diags));
  EXPECT_THAT(first_error(diags), HasSubstr("the graph writes this input, which must be copied"));
  EXPECT_FALSE(executor->share_params(*executor, params({{"x", {1, 2, 3, 4}}}), diags));
  EXPECT_THAT(to_string(diags.all().back()), HasSubstr("the graph writes this parameter, which cannot be shared"));
}

TEST(GraphExecutor, FlattenedOperandsHaveOneDimension) {
  SortedJson json = graph({null_node("x"), op("rank", "rank", {{0, 0, 0}}), op("flat", "rank", {{0, 0, 0}})}, {0, 1, 2},
                          {{1, 0, 0}, {2, 0, 0}}, {2, 2});
  json["nodes"][2]["attrs"]["flatten_data"] = "1";
  Diagnostics diags;
  auto executor = make(json, diags);
  ASSERT_TRUE(executor && executor->run(diags)) << first_error(diags);
  EXPECT_EQ(floats(*executor->get_output(0, diags))[0], 2);
  EXPECT_EQ(floats(*executor->get_output(1, diags))[0], 1);
}

TEST(GraphExecutor, TellsOfEveryTensorAndOfTheTimeOfEveryNode) {
  Diagnostics diags;
  auto executor = make(graph({null_node("x"), op("one", "add_one", {{0, 0, 0}}), op("two", "add_one", {{1, 0, 0}})},
                             {0, 1, 0}, {{2, 0, 0}}),
                       diags);
  ASSERT_TRUE(executor) << first_error(diags);
  std::vector<std::string> seen;
  const auto observe = [&](std::size_t node, const GraphTensor& t, std::span<const std::byte> bytes) {
    seen.push_back(std::to_string(node) + " " + t.name + " " + std::to_string(floats(bytes)[0]));
  };
  ASSERT_TRUE(executor->run(observe, diags));
  EXPECT_THAT(seen, ElementsAre("1 one 1.000000", "2 two 2.000000"));
  const auto times = executor->run_timed(diags);
  ASSERT_TRUE(times);
  ASSERT_EQ(times->size(), 3U);
  EXPECT_EQ((*times)[0], 0U);
}

TEST(GraphExecutor, WhatIsMissingOrFailsIsNamed) {
  Diagnostics diags;
  EXPECT_FALSE(make(graph({null_node("x"), op("n", "nobody", {{0, 0, 0}})}, {0, 1}, {{1, 0, 0}}), diags));
  EXPECT_THAT(first_error(diags), HasSubstr("'n': the library has no such function (found nobody)"));
  Diagnostics told;
  auto executor = make(graph({null_node("x"), op("n", "fail", {{0, 0, 0}})}, {0, 1}, {{1, 0, 0}}), told);
  ASSERT_TRUE(executor);
  EXPECT_FALSE(executor->run(told));
  EXPECT_THAT(first_error(told), HasSubstr("'n': function 'fail' failed (found -3, expected 0)"));
}

TEST(GraphExecutor, AGraphThatNeedsTooMuchMemoryIsAnError) {
  Diagnostics diags;
  EXPECT_FALSE(make(graph({null_node("x")}, {0}, {{0, 0, 0}}, {std::int64_t{1} << 50}), diags));
  EXPECT_THAT(first_error(diags), HasSubstr("'storage 0': there is not so much memory"));
}

TEST(GraphExecutor, MetadataOfByocsThatIsWrongIsAnError) {
  for (const SortedJson& own :
       {SortedJson{{"align", "x"}}, SortedJson{{"align", 48}}, SortedJson{{"align", 1e300}}, SortedJson{{"inputs", 9}},
        SortedJson{{"inputs", -0.5}}, SortedJson{{"states", {"z"}}}, SortedJson{{"devices", {{"threads", {1e300}}}}}}) {
    SortedJson json = plus_one();
    json["metadata"]["byoc"] = own;
    Diagnostics diags;
    EXPECT_FALSE(make(json, diags)) << own.dump();
    EXPECT_THAT(first_error(diags), HasSubstr("'metadata': ")) << own.dump();
  }
}

}  // namespace
}  // namespace byoc
