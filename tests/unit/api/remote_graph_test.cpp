// Graphs and libraries by hand, from the description of the formats, run by a server that knows neither.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "byoc/remote.hpp"
#include "sdk/base/support/process.hpp"
#include "tests/support/packed_graph.hpp"
#include "tests/support/remote_server.hpp"

namespace byoc {
namespace {

using test::graph;
using test::null_node;
using test::op;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class RemoteGraph : public testing::Test {
 protected:
  void SetUp() override {
    if (find_program("gcc").empty()) GTEST_SKIP() << "gcc is not installed";
    ASSERT_TRUE(directory_);
    write("lib.c", test::kPackedLibrary);
    ASSERT_EQ(run_process({"gcc", "-shared", "-fPIC", "-o", path("lib.so"), path("lib.c")}, diags_)->exit_code, 0);
    std::filesystem::create_directory(path("served"));
    server_.start(path("served"));
    auto session = RemoteSession::connect({server_.address(), test::kToken, {}}, diags_);
    ASSERT_TRUE(session);
    session_.emplace(std::move(*session));
  }
  [[nodiscard]] std::string path(const std::string& name) const { return directory_->path() + "/" + name; }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }
  Result<void> load(const SortedJson& json, const std::vector<std::pair<std::string, std::vector<float>>>& given = {}) {
    write("g.json", json.dump());
    const auto bytes = test::params(given);
    write("g.params", {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    return session_->load_graph(path("g.json"), path("lib.so"), given.empty() ? "" : path("g.params"), diags_);
  }
  // One list for each output of each run.
  std::vector<std::vector<float>> run(const std::vector<std::vector<float>>& inputs, bool reset = false) {
    std::vector<std::vector<std::byte>> bytes;
    for (const auto& i : inputs) {
      const auto b = std::as_bytes(std::span(i));
      bytes.emplace_back(b.begin(), b.end());
    }
    const auto ran = session_->run(bytes, reset, 3, diags_);
    if (!ran) return {};
    times_ = ran->nanoseconds;
    std::vector<std::vector<float>> out;
    for (const auto& o : ran->outputs) {
      out.emplace_back(o.size() / sizeof(float));
      std::memcpy(out.back().data(), o.data(), o.size());
    }
    return out;
  }
  [[nodiscard]] std::string last_error() const { return diags_.all().empty() ? "" : to_string(diags_.all().back()); }

  Diagnostics diags_;
  Result<TemporaryDirectory> directory_ = TemporaryDirectory::create(diags_);
  test::ServerProcess server_;
  std::optional<RemoteSession> session_;
  std::vector<std::uint64_t> times_;
};

SortedJson add_one() { return op("add", "tvmgen_default_fused_add", {{0, 0, 0}}); }

SortedJson a_plus_b(const SortedJson& shape = {2}) {
  return graph({null_node("a"), null_node("b"), op("y", "tvmgen_default_sum", {{0, 0, 0}, {1, 0, 0}})}, {0, 1, 2},
               {{2, 0, 0}}, shape);
}

TEST_F(RemoteGraph, B20RunsAGraphWrittenByHand) {
  ASSERT_TRUE(load(graph({null_node("x"), add_one()}, {0, 1}, {{1, 0, 0}}))) << last_error();
  ASSERT_EQ(session_->interface().inputs.size(), 1U);
  EXPECT_EQ(session_->interface().inputs[0].name, "x");
  EXPECT_EQ(session_->interface().outputs[0].dtype, DType::f32);
  EXPECT_THAT(run({{1, 2, 3, 4}}), ElementsAre(ElementsAre(2, 3, 4, 5))) << last_error();
  EXPECT_THAT(run({{1, 2, 3, 4}, {5, 6, 7, 8}}), ElementsAre(ElementsAre(2, 3, 4, 5), ElementsAre(6, 7, 8, 9)));
}

TEST_F(RemoteGraph, B85AddsWithAndWithoutAParameter) {
  ASSERT_TRUE(load(a_plus_b({1, 2}))) << last_error();
  EXPECT_EQ(session_->interface().inputs[1].name, "b");
  EXPECT_THAT(session_->interface().inputs[1].dims, ElementsAre(1, 2));
  EXPECT_THAT(run({{2, 3}, {4, 7}}), ElementsAre(ElementsAre(6, 10))) << last_error();
  ASSERT_EQ(times_.size(), 3U);
  EXPECT_GT(std::accumulate(times_.begin(), times_.end(), std::uint64_t{0}), 0U);

  const SortedJson with_c =
      graph({null_node("a"), null_node("b"), null_node("c"), op("s", "tvmgen_default_sum", {{0, 0, 0}, {1, 0, 0}}),
             op("y", "tvmgen_default_sum", {{3, 0, 0}, {2, 0, 0}})},
            {0, 1, 2, 3, 4}, {{4, 0, 0}}, {2});
  ASSERT_TRUE(load(with_c, {{"c", {8, 9}}})) << last_error();
  EXPECT_EQ(session_->interface().inputs.size(), 2U);  // c is there
  EXPECT_THAT(run({{2, 3}, {4, 7}}), ElementsAre(ElementsAre(14, 19))) << last_error();
  server_.stop();
  EXPECT_TRUE(run({{2, 3}, {4, 7}}).empty());
  EXPECT_THAT(last_error(), HasSubstr("the server is gone"));
}

// Storage that is reused, by an input that is overwritten too: each repeat begins with what the client gave.
TEST_F(RemoteGraph, StorageIsShared) {
  const SortedJson chain = graph({null_node("x"), add_one(), op("two", "tvmgen_default_fused_add", {{1, 0, 0}}),
                                  op("three", "tvmgen_default_fused_add", {{2, 0, 0}})},
                                 {0, 1, 0, 1}, {{3, 0, 0}});
  ASSERT_TRUE(load(chain)) << last_error();
  EXPECT_THAT(run({{1, 2, 3, 4}}), ElementsAre(ElementsAre(4, 5, 6, 7)));
  // An output that is an input, and the same output twice.
  ASSERT_TRUE(load(graph({null_node("x"), add_one()}, {0, 1}, {{0, 0, 0}, {1, 0, 0}, {1, 0, 0}})));
  EXPECT_THAT(run({{1, 2, 3, 4}}),
              ElementsAre(ElementsAre(1, 2, 3, 4), ElementsAre(2, 3, 4, 5), ElementsAre(2, 3, 4, 5)));
}

TEST_F(RemoteGraph, WhatIsBuiltInNeedsNoFunction) {
  SortedJson json = graph({null_node("x"), op("flat", "__nop", {{0, 0, 0}}), op("copy", "__copy", {{1, 0, 0}}),
                           op("add", "tvmgen_default_fused_add", {{1, 0, 0}})},
                          {0, 0, 1, 2}, {{2, 0, 0}, {3, 0, 0}});
  json["attrs"]["shape"][1] = {{2, 2}, {4}, {4}, {4}};
  ASSERT_TRUE(load(json)) << last_error();
  EXPECT_THAT(run({{1, 2, 3, 4}}), ElementsAre(ElementsAre(1, 2, 3, 4), ElementsAre(2, 3, 4, 5)));
}

TEST_F(RemoteGraph, FlattenedOperandsHaveOneDimension) {
  SortedJson json = graph(
      {null_node("x"), op("rank", "tvmgen_default_rank", {{0, 0, 0}}), op("flat", "tvmgen_default_rank", {{0, 0, 0}})},
      {0, 1, 2}, {{1, 0, 0}, {2, 0, 0}}, {2, 2});
  json["nodes"][2]["attrs"]["flatten_data"] = "1";
  ASSERT_TRUE(load(json)) << last_error();
  const auto out = run({{1, 2, 3, 4}});
  ASSERT_EQ(out.size(), 2U);
  EXPECT_EQ(out[0][0], 2);
  EXPECT_EQ(out[1][0], 1);
}

// What byoc's own graphs keep from run to run is what it was at first after a reset.
TEST_F(RemoteGraph, ParametersThatAreWrittenAreAsTheyWereAfterAReset) {
  SortedJson json = graph({null_node("x"), null_node("n"), op("y", "tvmgen_default_sum", {{0, 0, 0}, {1, 0, 0}}),
                           op("keep", "__copy", {{2, 0, 0}})},
                          {0, 1, 2, 1}, {{2, 0, 0}}, {1});
  ASSERT_TRUE(load(json, {{"n", {10}}})) << last_error();
  // The first run of the second call stands for three.
  EXPECT_THAT(run({{1}, {1}}), ElementsAre(ElementsAre(11), ElementsAre(14)));
  ASSERT_TRUE(load(json, {{"n", {10}}}));
  EXPECT_THAT(run({{1}, {1}}, true), ElementsAre(ElementsAre(11), ElementsAre(13)));
}

TEST_F(RemoteGraph, WhatIsWrongIsSaid) {
  const auto refused = [&](const SortedJson& json, const char* why,
                           const std::vector<std::pair<std::string, std::vector<float>>>& given = {}) {
    EXPECT_FALSE(load(json, given)) << why;
    EXPECT_THAT(last_error(), HasSubstr(why));
  };
  refused(graph({null_node("x"), op("y", "nobody", {{0, 0, 0}})}, {0, 1}, {{1, 0, 0}}),
          "the library has no function nobody");
  refused(a_plus_b(), "'c': the graph has no such parameter", {{"c", {1, 2}}});
  refused(a_plus_b(), "'b': the parameter is of another type or shape (found float32[3], expected float32[2])",
          {{"b", {1, 2, 3}}});
  SortedJson json = a_plus_b();
  json["heads"] = {{7, 0, 0}};
  refused(json, "g.json: error: ");
  json = a_plus_b();
  json["attrs"]["dltype"][1] = {"float32x4", "float32", "float32"};
  refused(json, "'a': no tensor of a model is of this type (found float32x4)");
  ASSERT_TRUE(load(graph({null_node("x"), op("y", "tvmgen_default_fail", {{0, 0, 0}})}, {0, 1}, {{1, 0, 0}})));
  EXPECT_TRUE(run({{1, 2, 3, 4}}).empty());
  EXPECT_THAT(last_error(), HasSubstr("tvmgen_default_fail returned -3"));
  // The session goes on.
  ASSERT_TRUE(load(a_plus_b()));
  EXPECT_THAT(run({{1, 2}, {3, 4}}), ElementsAre(ElementsAre(4, 6)));
}

}  // namespace
}  // namespace byoc
