// Who gets which node, which regions form, and what the user and the report say about it.
#include "sdk/codegen/partition/partition.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "sdk/codegen/partition/borders.hpp"
#include "sdk/codegen/partition/match.hpp"
#include "sdk/codegen/partition/report.hpp"
#include "tests/unit/partition/placing.hpp"

namespace byoc {
namespace {

using codegen::kNoNode;
using codegen::PatternNode;
using testing::HasSubstr;
using Nodes = std::vector<ir::NodeId>;

class Placing : public testing::Test {
 protected:
  // The codegen of each node by its first letter, or the first diagnostic.
  std::string owners(const ir::Graph& g) {
    Diagnostics diags;
    auto p = make_partition(g, all_, target_, options_, diags);
    if (!p) return diags.all().empty() ? "" : to_string(diags.all()[0]);
    partition_ = std::move(*p);
    notes_.clear();
    for (const Diagnostic& d : diags.all()) notes_ += to_string(d) + "\n";
    std::string out;
    for (const NodePlacement& n : partition_.nodes) out += all_[n.codegen]->id()[0];
    return out;
  }
  [[nodiscard]] const std::string& notes() const { return notes_; }
  std::vector<Nodes> regions() const {
    std::vector<Nodes> out;
    for (const PlacedRegion& r : partition_.regions) out.push_back(r.bound.nodes);
    return out;
  }

  Picky npu_{"npu", {"B", "C"}};
  Picky dsp_{"dsp", {"B", "C"}};
  Picky c_{"c", {"A", "B", "C"}, codegen::Role::reference};
  std::vector<codegen::Codegen*> all_ = {&npu_, &c_};
  TargetSpec target_;
  PartitionOptions options_;
  Partition partition_;
  std::string notes_;  // of the last one
};

TEST_F(Placing, referencesTakeTheRestWhereverTheyStand) {
  all_ = {&c_, &npu_};
  EXPECT_EQ(owners(chain({"A", "B", "B", "A"})), "cnnc");
  Picky other("other", {"A", "B"}, codegen::Role::reference);
  all_ = {&other, &npu_, &c_};
  other.priority = 1;  // among themselves as everybody else
  EXPECT_EQ(owners(chain({"A", "B", "C"})), "onn");
}

TEST_F(Placing, referencesTakeTheRest) {
  EXPECT_EQ(owners(chain({"A", "B", "B", "A"})), "cnnc");
  EXPECT_EQ(regions(), (std::vector<Nodes>{{0}, {1, 2}, {3}}));
  EXPECT_EQ(partition_.nodes[1].decision, Decision::order);
  EXPECT_EQ(partition_.nodes[1].against, 1u);
  EXPECT_EQ(partition_.nodes[0].decision, Decision::only);
}

TEST_F(Placing, saysWhyNobodyTakesANode) {
  EXPECT_NE(owners(chain({"A", "D"})).find("no codegen supports operator D: npu: no D; c: no D"), std::string::npos);
}

TEST_F(Placing, theUsersOrderThenPriorityThenCostThenId) {
  all_ = {&npu_, &dsp_, &c_};
  const ir::Graph g = chain({"B"});
  EXPECT_EQ(owners(g), "d");
  EXPECT_EQ(partition_.nodes[0].decision, Decision::id);
  npu_.cost = 10;
  EXPECT_EQ(owners(g), "n");  // a known cost before an unknown one
  EXPECT_EQ(partition_.nodes[0].decision, Decision::cost);
  dsp_.cost = 9;
  EXPECT_EQ(owners(g), "d");
  npu_.priority = 1;
  EXPECT_EQ(owners(g), "n");
  EXPECT_EQ(partition_.nodes[0].decision, Decision::priority);
  options_.prefer = {"c", "dsp"};
  EXPECT_EQ(owners(g), "c");
  EXPECT_EQ(partition_.nodes[0].decision, Decision::order);
  options_.prefer = {"dsp"};
  EXPECT_EQ(owners(g), "d");
  options_.prefer = {"gpu"};
  EXPECT_NE(owners(g).find("no such codegen; did you mean npu? (found 'gpu', expected npu, dsp, c)"),
            std::string::npos);
}

TEST_F(Placing, pinsComeFirst) {
  const ir::Graph g = chain({"B", "B", "B", "A"});
  options_.pins = {{"n1", "c"}};
  EXPECT_EQ(owners(g), "ncnc");
  EXPECT_EQ(partition_.nodes[1].decision, Decision::pin);
  options_.pins = {{"op:B", "c"}, {"#2", "npu"}};
  EXPECT_EQ(owners(g), "ccnc");
  options_.pins = {{"n?", "c"}};
  EXPECT_EQ(owners(g), "cccc");
  options_.pins = {{"n3", "npu"}};
  EXPECT_NE(owners(g).find("the codegen that it is pinned to does not support operator A: npu: no A"),
            std::string::npos);
  options_.pins = {{"x*", "npu"}};
  EXPECT_NE(owners(g).find("no node has this name (found 'x*'"), std::string::npos);
  options_.pins = {{"n0", "gpu"}};
  EXPECT_NE(owners(g).find("there is no such codegen; did you mean npu? (found 'gpu'"), std::string::npos);
}

// Names come from the model, and may be long.
TEST_F(Placing, starsInPinsTakeNoTimeAndNoStack) {
  ir::Graph g = chain({"B", "B"});
  g.nodes[0].name = std::string(1 << 20, 'a');
  g.nodes[1].name = "a*b?";
  options_.pins = {{"*a*a*a*a*a*a*a*a*a*a*a*ab", "c"}};
  EXPECT_NE(owners(g).find("no node has this name"), std::string::npos);
  options_.pins = {{"*a*aaa*a*", "c"}};
  EXPECT_EQ(owners(g), "cn");
  for (const char* fits : {"a*b?", "a**", "*b?", "??b?", "*?*?*?*?*"}) {
    options_.pins = {{"#0", "npu"}, {fits, "c"}};
    EXPECT_EQ(owners(g)[1], 'c') << fits;
  }
}

// A hundred thousand nodes are placed in the time of a test.
TEST_F(Placing, longChainsTakeTimeInProportion) {
  constexpr std::size_t kMany = 100'000;
  EXPECT_EQ(owners(chain(std::vector<std::string>(kMany, "A"))), std::string(kMany, 'c'));
  EXPECT_EQ(partition_.regions.size(), 1u);
}

TEST_F(Placing, exactOnesOnRequest) {
  npu_.exactness = codegen::Exactness::lsb;
  const ir::Graph g = chain({"B"});
  EXPECT_EQ(owners(g), "n");
  options_.require_exact = true;
  EXPECT_EQ(owners(g), "c");
  EXPECT_EQ(partition_.nodes[0].verdicts[0].text, "its results are within 1 LSB, and exact ones are asked for");
}

TEST_F(Placing, neighboursMergeWhateverTheirOrder) {
  // Two branches in turn: 0 and 2 are npu's and connected, 1 is between them in the list only.
  EXPECT_EQ(owners(wired({{"B", {0}}, {"A", {0}}, {"B", {1}}, {"A", {2, 3}}})), "ncnc");
  EXPECT_EQ(regions(), (std::vector<Nodes>{{0, 2}, {1, 3}}));
  // Here 1 reads 0 and is read by 2: together they would wait for it.
  EXPECT_EQ(owners(wired({{"B", {0}}, {"A", {1}}, {"B", {1, 2}}})), "ncn");
  EXPECT_EQ(regions(), (std::vector<Nodes>{{0}, {1}, {2}}));
}

TEST_F(Placing, groupsAreTakenWholeOrNotAtAll) {
  npu_ = Picky("npu", {});
  npu_.offered = {{{0, 1}, {true, codegen::Reason::none, {}}}};
  EXPECT_EQ(owners(chain({"A", "A", "A"})), "nnc");
  EXPECT_EQ(partition_.regions[0].bound.region.groups[0].nodes, (std::vector<codegen::NodeId>{0, 1}));
  options_.pins = {{"n1", "c"}};
  EXPECT_EQ(owners(chain({"A", "A", "A"})), "ccc");
  options_.pins.clear();
  // Not convex: 1 lies between 0 and 2.
  npu_.offered = {{{0, 2}, {true, codegen::Reason::none, {}}}};
  EXPECT_EQ(owners(chain({"A", "A", "A"})), "ccc");
  // Each convex, both together a circle: 0 -> 1, 2 -> 3 with groups {0, 3} and {1, 2}.
  const ir::Graph crossed = wired({{"A", {0}}, {"A", {1}}, {"A", {0}}, {"A", {3}}, {"A", {2, 4}}});
  npu_.offered = {{{0, 3}, {true, codegen::Reason::none, {}}}, {{1, 2}, {true, codegen::Reason::none, {}}}};
  EXPECT_EQ(owners(crossed), "nccnc");
}

TEST_F(Placing, cheapestTakesWhatOthersEstimateLessFor) {
  const ir::Graph g = chain({"B", "A"});
  npu_.cost = 30;
  c_.cost = 10;
  EXPECT_EQ(owners(g), "nc");
  EXPECT_THAT(notes(),
              HasSubstr("codegen 'npu' takes 1 nodes that the reference estimates fewer cycles for, most for B"));
  EXPECT_THAT(notes(), HasSubstr("(found 30 cycles, expected 10)"));
  options_.prefer = {"cheapest"};
  EXPECT_EQ(owners(g), "cc");
  EXPECT_EQ(partition_.nodes[0].verdicts[0].reason, codegen::Reason::cost);
  EXPECT_EQ(partition_.nodes[0].verdicts[0].text, "it estimates 30 cycles and 'c' 10");
  options_.prefer = {"npu", "cheapest"};  // who is named before it stays
  EXPECT_EQ(owners(g), "nc");
  options_.prefer = {"cheapest"};
  options_.pins = {{"n0", "npu"}};
  EXPECT_EQ(owners(g), "nc");
  options_.pins = {};
  npu_.cost = 10;  // no more than the other: the usual order
  EXPECT_EQ(owners(g), "nc");
  npu_.cost = 0;  // what says nothing cannot be compared
  EXPECT_EQ(owners(g), "nc");
}

TEST_F(Placing, cheapestWeighsAGroupAgainstItsNodes) {
  const ir::Graph g = chain({"A", "A"});
  npu_.offered = {{{0, 1}, {true, codegen::Reason::none, {}}}};
  npu_.offered[0].verdict.cost = 25;
  c_.cost = 10;
  EXPECT_EQ(owners(g), "nn");
  EXPECT_THAT(notes(), HasSubstr("takes 2 nodes that the reference estimates fewer cycles for"));
  options_.prefer = {"cheapest"};
  EXPECT_EQ(owners(g), "cc");
  npu_.offered[0].verdict.cost = 20;
  EXPECT_EQ(owners(g), "nn");
}

TEST_F(Placing, cheapestCountsBorders) {
  // Four bytes at each border: 2 * (1 + 3) cycles.
  target_.pools = {{"ram", PoolKind::ram, 0, {"bandwidth-4", "latency-3"}, {}}};
  options_.prefer = {"cheapest"};
  npu_.cost = 10;
  c_.cost = 25;
  const ir::Graph island = chain({"A", "B", "A"});
  EXPECT_EQ(owners(island), "ccc");  // 10 + 2 * 8 against 25
  EXPECT_EQ(partition_.nodes[1].verdicts[0].text, "its 1 nodes here take 26 cycles with their borders, and 'c' 25");
  EXPECT_EQ(partition_.nodes[1].verdicts[0].reason, codegen::Reason::cost);
  c_.cost = 26;  // no less: stays
  EXPECT_EQ(owners(island), "cnc");
  c_.cost = 25;
  EXPECT_EQ(owners(chain({"B", "A"})), "nc");              // one border: 18 against 25
  EXPECT_EQ(owners(chain({"A", "B", "B", "A"})), "cnnc");  // 36 against 50
  options_.pins = {{"n1", "npu"}};
  EXPECT_EQ(owners(island), "cnc");
  options_.pins = {};
  options_.prefer = {"npu", "cheapest"};
  EXPECT_EQ(owners(island), "cnc");
  options_.prefer = {"cheapest"};
  target_.pools[0].attributes = {"cached"};  // nobody knows what a border costs
  EXPECT_EQ(owners(island), "cnc");
}

TEST_F(Placing, cheapestCountsAValueOnceForEveryCodegenThatReadsIt) {
  target_.pools = {{"ram", PoolKind::ram, 0, {"bandwidth-4", "latency-3"}, {}}};
  options_.prefer = {"cheapest"};
  npu_.cost = 10;
  c_.cost = 17;
  // The first node's value goes to two nodes of the other: one border of 8 cycles.
  const ir::Graph fork = wired({{"B", {0}}, {"A", {1}}, {"A", {1}}});
  EXPECT_EQ(owners(fork), "ccc");
  c_.cost = 18;
  EXPECT_EQ(owners(fork), "ncc");
}

TEST_F(Placing, cheapestCountsBordersAroundAGroup) {
  target_.pools = {{"ram", PoolKind::ram, 0, {"bandwidth-4", "latency-3"}, {}}};
  options_.prefer = {"cheapest"};
  npu_.offered = {{{1, 2}, {true, codegen::Reason::none, {}}}};
  npu_.offered[0].verdict.cost = 30;
  c_.cost = 20;
  const ir::Graph g = chain({"A", "A", "A", "A"});
  EXPECT_EQ(owners(g), "cccc");  // 30 + 2 * 8 against 2 * 20
  npu_.offered[0].verdict.cost = 24;
  EXPECT_EQ(owners(g), "cnnc");  // 40 is no more than 40
}

TEST_F(Placing, whoTakesNothingIsSaid) {
  EXPECT_EQ(owners(chain({"A", "A"})), "cc");
  EXPECT_THAT(notes(), HasSubstr("codegen 'npu' takes nothing of this model; of 2 of 2 nodes it says: no A"));
  EXPECT_EQ(owners(chain({"B", "A"})), "nc");
  EXPECT_EQ(notes(), "");
}

TEST_F(Placing, bordersHaveAPriceAndRegionsTotals) {
  TargetSpec target;
  target.pools = {{"flash", PoolKind::flash, 0, {}, ""}, {"ram", PoolKind::ram, 0, {}, ""}};
  const ir::Graph g = chain({"B", "A", "B"});
  ASSERT_EQ(owners(g), "ncn");
  std::vector<Border> borders = borders_of(g, partition_, target);
  ASSERT_EQ(borders.size(), 2U);
  const std::uint64_t bytes = g.values[1].type.bytes();
  EXPECT_EQ(borders[0].bytes, bytes);
  EXPECT_EQ(borders[0].values, 1U);
  EXPECT_FALSE(borders[0].cycles);
  target.pools[1].attributes = {"cached", "bandwidth-4", "latency-3", "cache_line-32"};
  borders = borders_of(g, partition_, target);
  const std::uint64_t lines = (bytes + 31) / 32;
  EXPECT_EQ(borders[1].cache_lines, lines);
  EXPECT_EQ(borders[1].cycles, 2 * ((bytes + 3) / 4 + 3) + 8 * lines);
  ModelInterface model;
  for (std::size_t n = 0; n < 3; ++n) {
    StepInfo s;
    s.kernel = "k";
    s.nodes = {g.nodes[n].describe()};
    s.constant_bytes = 10 * (n + 1);
    s.live_bytes = 100 - n;
    s.kernel_bytes = 7;
    model.steps.push_back(s);
  }
  const std::vector<RegionTotals> totals = region_totals(g, partition_, model);
  ASSERT_EQ(totals.size(), 3U);
  EXPECT_EQ(totals[1].constant_bytes, 20U);
  EXPECT_EQ(totals[1].kernel_bytes, 7U);
  EXPECT_EQ(totals[1].ram_bytes, 99U);
}

TEST_F(Placing, limits) {
  const ir::Graph g = chain({"B", "A", "B", "B", "A", "B", "B", "B"});
  options_.min_region_nodes = 2;
  EXPECT_EQ(owners(g), "ccnncnnn");
  EXPECT_EQ(partition_.nodes[0].verdicts[0].text, "its region has 1 nodes, and at least 2 are asked for");
  options_.max_regions = 1;
  EXPECT_EQ(owners(g), "cccccnnn");
  options_ = {};
  options_.max_region_nodes = 2;
  EXPECT_EQ(owners(g), "ncnncnnn");
  for (const PlacedRegion& r : partition_.regions) EXPECT_TRUE(r.codegen != 0 || r.bound.nodes.size() <= 2);
}

TEST(Match, optionalAndCommutativeNodes) {
  codegen::Pattern p{"add_b_relu",
                     {{"", "B", {PatternNode::kAny}}, {"", "Add", {0, PatternNode::kAny}}, {"", "R", {1}}}};
  p.nodes[1].commutative = true;
  p.nodes[2].optional = true;
  const auto matches = [&](const ir::Graph& g) {
    std::vector<std::vector<codegen::NodeId>> out;
    const plugin::BoundRegion whole = plugin::make_region(g);
    for (const codegen::Match& m : find_matches(whole.region, {&p, 1})) out.push_back(m.nodes);
    return out;
  };
  using Found = std::vector<std::vector<codegen::NodeId>>;
  // The larger one first.
  EXPECT_EQ(matches(wired({{"B", {0}}, {"Add", {1, 0}}, {"R", {2}}})), (Found{{0, 1, 2}, {0, 1, kNoNode}}));
  EXPECT_EQ(matches(wired({{"B", {0}}, {"Add", {0, 1}}})), (Found{{0, 1, kNoNode}}));
  EXPECT_EQ(matches(wired({{"A", {0}}, {"Add", {1, 0}}})), Found{});
  // Of two that could be the B, one is read elsewhere too: the other.
  EXPECT_EQ(matches(wired({{"B", {0}}, {"B", {1}}, {"Add", {1, 2}}, {"R", {3}}})), (Found{{1, 2, 3}, {1, 2, kNoNode}}));
  // What B computes is read elsewhere too.
  EXPECT_EQ(matches(wired({{"B", {0}}, {"Add", {1, 0}}, {"X", {2, 1}}})), Found{});
}

TEST(Match, constantsAndAbsentInputs) {
  ir::Graph g = wired({{"B", {0}}, {"B", {1}}});
  const ir::ValueId w = g.add_constant("w", g.values[0].type, Blob::own(std::vector<std::byte>(4)));
  g.nodes[0].inputs.push_back(w);
  g.nodes[1].inputs.push_back(ir::kNoValue);
  const plugin::BoundRegion whole = plugin::make_region(g);
  const codegen::Pattern constant{"k", {{"", "B", {PatternNode::kAny, PatternNode::kConstant}}}};
  const codegen::Pattern absent{"a", {{"", "B", {PatternNode::kAny, PatternNode::kAbsent, PatternNode::kAbsent}}}};
  ASSERT_EQ(find_matches(whole.region, {&constant, 1}).size(), 1u);
  EXPECT_EQ(find_matches(whole.region, {&constant, 1})[0].nodes[0], 0u);
  ASSERT_EQ(find_matches(whole.region, {&absent, 1}).size(), 1u);
  EXPECT_EQ(find_matches(whole.region, {&absent, 1})[0].nodes[0], 1u);
}

TEST_F(Placing, declaredPatternsAreGranted) {
  npu_ = Picky("npu", {});
  npu_.patterns_ = {{"pair", {{"", "A", {PatternNode::kAny}}, {"", "A", {0}}}}};
  EXPECT_EQ(owners(chain({"A", "A", "A"})), "nnc");
  EXPECT_EQ(partition_.regions[0].bound.region.groups[0].pattern, 0u);
}

// Whatever is claimed and grouped: each node is in one region, groups are whole, and regions can run in their order.
TEST_F(Placing, noPartitionCreatesACycle) {
  std::mt19937 random(7);
  const auto below = [&](std::size_t n) { return static_cast<std::uint32_t>(random() % n); };
  all_ = {&npu_, &dsp_, &c_};
  for (int round = 0; round < 300; ++round) {
    std::vector<Wire> wires;
    const std::uint32_t count = 2 + below(24);
    for (std::uint32_t n = 0; n < count; ++n) {
      Wire w{std::string(1, static_cast<char>('A' + below(3))), {below(n + 1)}};
      if (below(2) != 0) w.from.push_back(below(n + 1));
      wires.push_back(w);
    }
    const ir::Graph g = wired(wires);
    for (Picky* p : {&npu_, &dsp_}) {
      p->offered.clear();
      p->priority = static_cast<std::int32_t>(below(3));
      for (std::uint32_t i = below(5); i != 0; --i) {
        codegen::Group group{{}, {true, codegen::Reason::none, {}}};
        for (std::uint32_t n = 0; n < count; ++n)
          if (below(4) == 0) group.nodes.push_back(n);
        if (!group.nodes.empty()) p->offered.push_back(group);
      }
    }
    options_.min_region_nodes = below(3);
    options_.max_regions = below(4);
    ASSERT_EQ(owners(g).size(), count);
    std::vector<int> seen(count, 0);
    for (std::size_t r = 0; r < partition_.regions.size(); ++r)
      for (ir::NodeId n : partition_.regions[r].bound.nodes) {
        ++seen[n];
        EXPECT_EQ(partition_.nodes[n].region, r);
        EXPECT_EQ(partition_.nodes[n].codegen, partition_.regions[r].codegen);
        for (ir::ValueId v : g.nodes[n].inputs)
          EXPECT_TRUE(v == 0 || partition_.nodes[v - 1].region <= r) << "round " << round;
      }
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), static_cast<std::ptrdiff_t>(count));
  }
}

TEST_F(Placing, theReportNamesEverything) {
  npu_.cost = 5;
  const ir::Graph g = chain({"A", "B"});
  owners(g);
  const std::string json = partition_json(g, all_, {}, partition_);
  for (const char* part : {"\"decided_by\": \"order\"", "\"against\": \"c\"", "\"text\": \"no A\"",
                           "\"reason\": \"operator\"", "\"node_share\": 50.0", "\"cost\": 5.0"})
    EXPECT_NE(json.find(part), std::string::npos) << part << "\n" << json;
  const std::string page = partition_html(g, all_, {}, partition_);
  for (const char* part :
       {"<td>no A</td>", "<td class=\"yes\">takes it</td>", "<a href=\"#n0\">", "<div class=\"detail\" id=\"n1\">"})
    EXPECT_NE(page.find(part), std::string::npos) << part << "\n" << page;
  EXPECT_TRUE(partition_svg(g, all_, partition_).starts_with("<svg"));
}

}  // namespace
}  // namespace byoc
