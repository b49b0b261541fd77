#include "sdk/program/graphjson/graph_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace byoc {
namespace {

using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

// As TVM writes it: x and p0 are added, the sum gets another shape, which is the output.
constexpr const char* kAdd = R"({
  "nodes": [
    {"op": "null", "name": "x", "inputs": []},
    {"op": "null", "name": "p0", "inputs": []},
    {"op": "tvm_op", "name": "tvmgen_default_fused_add",
     "attrs": {"num_outputs": "1", "num_inputs": "2", "flatten_data": "0", "func_name": "tvmgen_default_fused_add",
               "hash": "3b7c9f0d2e1a4c55"},
     "inputs": [[0, 0, 0], [1, 0, 0]]},
    {"op": "tvm_op", "name": "reshape_nop",
     "attrs": {"num_outputs": "1", "num_inputs": "1", "flatten_data": "0", "func_name": "__nop"},
     "inputs": [[2, 0, 0]]}
  ],
  "arg_nodes": [0, 1],
  "heads": [[3, 0, 0]],
  "attrs": {
    "dltype": ["list_str", ["float32", "float32", "float32", "float32"]],
    "device_index": ["list_int", [1, 1, 1, 1]],
    "storage_id": ["list_int", [0, 1, 2, 2]],
    "shape": ["list_shape", [[10, 5], [1, 5], [10, 5], [50]]]
  },
  "node_row_ptr": [0, 1, 2, 3, 4]
})";

nlohmann::json add() { return nlohmann::json::parse(kAdd); }

std::vector<std::string> errors_of(const std::string& text) {
  Diagnostics diags;
  EXPECT_FALSE(read_graph_json(text, "g.json", diags)) << text;
  std::vector<std::string> out;
  for (const Diagnostic& d : diags.all()) out.push_back(to_string(d));
  return out;
}
std::vector<std::string> errors_of(const nlohmann::json& json) { return errors_of(json.dump()); }

// What the first error is after one value has been replaced.
std::string error_with(const char* pointer, const nlohmann::json& value) {
  nlohmann::json json = add();
  json[nlohmann::json::json_pointer(pointer)] = value;
  const std::vector<std::string> all = errors_of(json);
  return all.empty() ? "" : all.front();
}

TEST(GraphJson, ReadsWhatOthersWrite) {
  Diagnostics diags;
  const auto graph = read_graph_json(kAdd, "g.json", diags);
  ASSERT_TRUE(graph) << to_string(diags.all().at(0));
  ASSERT_EQ(graph->nodes.size(), 4U);
  EXPECT_EQ(graph->nodes[2].function, "tvmgen_default_fused_add");
  EXPECT_EQ(graph->nodes[2].attrs.at("hash"), "3b7c9f0d2e1a4c55");
  EXPECT_EQ(graph->nodes[3].inputs, (std::vector<GraphJsonRef>{{2, 0, 0}}));
  EXPECT_EQ(graph->entries[3].shape, (std::vector<std::int64_t>{50}));
  EXPECT_EQ(storage_bytes(*graph), (std::map<std::uint32_t, std::uint64_t>{{0, 200}, {1, 20}, {2, 200}}));
  EXPECT_EQ(entry_classes(*graph), (std::vector<std::uint32_t>{0, 1, 2, 2}));
}

TEST(GraphJson, WhatIsNotKnownGoesThroughAsItIs) {
  nlohmann::json json = add();
  json["attrs"]["colour"] = {"list_str", {"red", "green"}};
  json["attrs"]["size"] = 7;
  json["metadata"] = {{"anything", {1, 2, {{"deep", true}}}}};
  json["nodes"][3]["control_deps"] = {0};
  Diagnostics diags;
  const auto graph = read_graph_json(json.dump(), "g.json", diags);
  ASSERT_TRUE(graph) << to_string(diags.all().at(0));
  EXPECT_EQ(nlohmann::json::parse(write_graph_json(*graph)), json);
}

TEST(GraphJson, TheTextOfAGraphIsAlwaysTheSame) {
  Diagnostics diags;
  const auto graph = read_graph_json(kAdd, "g.json", diags);
  ASSERT_TRUE(graph);
  const std::string text = write_graph_json(*graph);
  const auto again = read_graph_json(text, "g.json", diags);
  ASSERT_TRUE(again);
  EXPECT_EQ(write_graph_json(*again), text);
  EXPECT_EQ(nlohmann::json::parse(text), add());
}

TEST(GraphJson, AnOldNodeMayCallItsAttrsAttr) {
  nlohmann::json json = add();
  json["nodes"][2]["attr"] = json["nodes"][2]["attrs"];
  json["nodes"][2].erase("attrs");
  json["heads"] = {{3, 0}};
  Diagnostics diags;
  EXPECT_TRUE(read_graph_json(json.dump(), "g.json", diags));
}

TEST(GraphJson, EveryErrorIsReported) {
  nlohmann::json json = add();
  json["nodes"][0]["name"] = 7;
  json["nodes"][2]["attrs"].erase("func_name");
  json["attrs"]["dltype"][1][1] = "float33x";
  json["more"] = 1;
  EXPECT_THAT(errors_of(json),
              UnorderedElementsAre(HasSubstr("'more': is not a field of graph.json"), HasSubstr("nodes[0].name"),
                                   HasSubstr("has no 'func_name'"), HasSubstr("unknown element type")));
}

TEST(GraphJson, WhatIsWrongIsSaid) {
  const std::pair<const char*, std::pair<nlohmann::json, const char*>> kCases[] = {
      {"/nodes", {7, "'nodes': has the wrong type (found number, expected array)"}},
      {"/nodes/0", {7, "'nodes': has the wrong type"}},
      {"/nodes/0/op", {"call", "'x': is of a kind that graph.json does not have (found call"}},
      {"/nodes/0/more", {1, "'x': has a field that no node has (found more"}},
      {"/nodes/0/name", {"p0", "'p0': two nodes have this name"}},
      {"/nodes/0/name", {"", "'nodes': a node has no name"}},
      {"/nodes/0/inputs", {{{1, 0, 0}}, "'x': a null node has inputs"}},
      {"/nodes/2/attrs", {nlohmann::json::array(), "'tvmgen_default_fused_add': has the wrong type"}},
      {"/nodes/2/attrs/func_name", {"", "'tvmgen_default_fused_add': has no function"}},
      {"/nodes/2/attrs/num_inputs", {"3", "has another number of inputs than it says (found 2, expected 3)"}},
      {"/nodes/2/attrs/num_inputs", {"two", "'num_inputs' is no number (found 'two')"}},
      {"/nodes/2/attrs/num_outputs", {"99999999", "'num_outputs' is no number"}},
      {"/nodes/2/attrs/num_outputs", {"2", "'node_row_ptr': of node 'reshape_nop' is not the sum"}},
      {"/nodes/2/attrs/flatten_data", {0, "flatten_data': has the wrong type"}},
      {"/nodes/2/inputs", {{{0, 0, 0}, {3, 0, 0}}, "refers to a node that is not before it (found [3, 0]"}},
      {"/nodes/2/inputs", {{{0, 0, 0}, {9, 0, 0}}, "refers to a node that does not exist (found [9, 0]"}},
      {"/nodes/2/inputs", {{{0, 0, 0}, {1, 4, 0}}, "an output that node 'p0' does not have (found [1, 4]"}},
      {"/nodes/2/inputs", {{{0, 0, 0}, {1}}, "has something that is no entry (found 1 numbers"}},
      {"/nodes/2/inputs", {{{0, 0, 0}, {-1, 0, 0}}, "has something that is no index (found -1)"}},
      {"/nodes/2/control_deps", {{3}, "depends on a node that is not before it (found 3"}},
      {"/arg_nodes", {{0, 2}, "'arg_nodes': names a node that is no null node (found 2)"}},
      {"/arg_nodes", {{0, 1, 8}, "'arg_nodes': names no node (found 8)"}},
      {"/arg_nodes", {{0, 1, 1}, "'arg_nodes': names a node twice (found p0)"}},
      {"/arg_nodes", {{0}, "'arg_nodes': does not have a null node (expected p0)"}},
      {"/heads", {{{4, 0, 0}}, "'heads': refers to a node that does not exist"}},
      {"/node_row_ptr", {{0, 1, 2}, "has another length than there are nodes, and one more (found 3, expected 5)"}},
      {"/node_row_ptr", {{0, 1, 2, 3, 5}, "tables and nodes have different numbers of entries"}},
      {"/attrs/shape", {{"list_int", {1}}, "'shape': is not such a table"}},
      {"/attrs/shape/1/0", {{10, -5}, "'shape': has a dimension that is no size (found -5)"}},
      {"/attrs/shape/1/0", {7, "'shape': has the wrong type"}},
      {"/attrs/shape/1/0", {{1LL << 60, 1LL << 60}, "'x': has no size"}},
      {"/attrs/dltype/1/0", {"handle", "'x': has no size (found handle[10, 5])"}},
      {"/attrs/storage_id/1", {{0, 1}, "shape, storage_id and dltype have different lengths (found 4, 2, 4)"}},
      {"/attrs/device_index/1", {{1, 1}, "'device_index': has another length than there are entries"}},
      {"/attrs/device_index/1/2", {2, "is on a device that is not the CPU (found 2, expected 1)"}},
      {"/attrs/storage_scope",
       {{"list_str", {"", "global", "global.texture", ""}}, "is in a memory that is not the CPU's"}},
      {"/attrs/storage_scope", {{"list_str", {"", 7, "", ""}}, "'storage_scope': has the wrong type"}},
      {"/attrs/storage_id/1/3", {3, "__nop has an input and an output in different storage (found 2 and 3)"}},
      {"/attrs/shape/1/3", {{49}, "__nop has an input and an output of different sizes"}},
      {"/nodes/3/attrs/func_name", {"__copy", "shares storage 2 with 'tvmgen_default_fused_add'"}},
      {"/attrs/storage_id/1/1", {0, "'p0': shares storage 0 with 'x', which is needed at the same time"}},
  };
  for (const auto& [pointer, wrong] : kCases)
    EXPECT_THAT(error_with(pointer, wrong.first), HasSubstr(wrong.second)) << pointer << " " << wrong.first.dump();
}

TEST(GraphJson, WhatIsMissingIsSaid) {
  for (const char* key : {"nodes", "arg_nodes", "heads", "node_row_ptr", "attrs"}) {
    nlohmann::json json = add();
    json.erase(key);
    EXPECT_THAT(errors_of(json).front(), HasSubstr(std::string("has no '") + key + "'"));
  }
  for (const char* key : {"shape", "storage_id", "dltype"}) {
    nlohmann::json json = add();
    json["attrs"].erase(key);
    EXPECT_THAT(errors_of(json).front(), HasSubstr(std::string("has no '") + key + "'"));
  }
}

TEST(GraphJson, WhatIsNoGraphIsRefused) {
  EXPECT_THAT(errors_of(std::string("{")).front(), HasSubstr("is no JSON"));
  EXPECT_THAT(errors_of(std::string("[]")).front(), HasSubstr("is no graph.json"));
  EXPECT_THAT(errors_of(std::string(1000, '[')).front(), HasSubstr("is nested deeper than a graph.json is"));
}

// A storage may be used once more when nobody needs what was there, and by what is written over it in place.
TEST(GraphJson, StorageIsCheckedByLiveness) {
  const auto chain = [](std::vector<int> storage) {
    nlohmann::json json = {{"arg_nodes", {0}}, {"heads", {{3, 0, 0}}}, {"node_row_ptr", {0, 1, 2, 3, 4}}};
    json["nodes"].push_back({{"op", "null"}, {"name", "x"}, {"inputs", nlohmann::json::array()}});
    for (int n = 1; n < 4; ++n)
      json["nodes"].push_back(
          {{"op", "tvm_op"},
           {"name", "n" + std::to_string(n)},
           {"inputs", {{n - 1, 0, 0}}},
           {"attrs", {{"func_name", "f"}, {"num_inputs", "1"}, {"num_outputs", "1"}, {"flatten_data", "0"}}}});
    json["attrs"] = {{"shape", {"list_shape", {{4}, {4}, {4}, {2, 2}}}},
                     {"dltype", {"list_str", {"int8", "int8", "int8", "int8"}}},
                     {"storage_id", {"list_int", storage}}};
    Diagnostics diags;
    return bool(read_graph_json(json.dump(), "g.json", diags));
  };
  EXPECT_TRUE(chain({0, 1, 2, 3}));
  EXPECT_TRUE(chain({0, 1, 0, 1}));   // two take turns
  EXPECT_TRUE(chain({0, 1, 1, 2}));   // in place
  EXPECT_FALSE(chain({0, 1, 2, 2}));  // another shape is not the same bytes
}

}  // namespace
}  // namespace byoc
