#include "sdk/codegen/partition/quotient.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>

namespace byoc {
namespace {

// One value for each node, read by later ones: of up to `reach` nodes before it each reads some.
ir::Graph random_graph(std::size_t nodes, std::size_t reach, std::mt19937& random) {
  ir::Graph out;
  out.values.resize(nodes);
  out.nodes.resize(nodes);
  for (ir::NodeId n = 0; n < nodes; ++n) {
    out.nodes[n].outputs = {n};
    for (std::size_t i = random() % 4; n != 0 && i > 0; --i)
      out.nodes[n].inputs.push_back(static_cast<ir::ValueId>(n - 1 - random() % std::min<std::size_t>(n, reach)));
  }
  return out;
}

// The definition: nobody waits for himself if each node stands for `part[node]`.
bool has_circle(const ir::Graph& graph, const std::vector<std::uint32_t>& part) {
  std::map<std::uint32_t, std::set<std::uint32_t>> waits;
  for (ir::NodeId n = 0; n < graph.nodes.size(); ++n) {
    waits[part[n]];
    for (const ir::ValueId v : graph.nodes[n].inputs)
      if (part[v] != part[n]) waits[part[n]].insert(part[v]);
  }
  for (bool some = true; some;) {
    some = false;
    for (auto it = waits.begin(); it != waits.end();) {
      const bool ready = std::none_of(it->second.begin(), it->second.end(), [&](auto p) { return waits.contains(p); });
      it = ready ? waits.erase(it) : std::next(it);
      some = some || ready;
    }
  }
  return !waits.empty();
}

void expect_same(const ir::Graph& graph, const Quotient& quotient, const std::vector<std::uint32_t>& part) {
  std::map<std::uint32_t, std::vector<ir::NodeId>> members;
  for (ir::NodeId n = 0; n < part.size(); ++n) members[part[n]].push_back(n);
  for (const auto& [p, nodes] : members) {
    ASSERT_EQ(quotient.members(quotient.part_of(nodes[0])), nodes);
    ASSERT_EQ(quotient.size(quotient.part_of(nodes[0])), nodes.size());
  }
  const std::vector<std::uint32_t> order = quotient.order();
  ASSERT_EQ(order.size(), members.size());
  std::map<std::uint32_t, std::size_t> at;
  for (std::size_t i = 0; i < order.size(); ++i) at[order[i]] = i;
  for (ir::NodeId n = 0; n < part.size(); ++n)
    for (const ir::ValueId v : graph.nodes[n].inputs) ASSERT_LE(at.at(quotient.part_of(v)), at.at(quotient.part_of(n)));
}

class Quotients : public testing::TestWithParam<std::size_t> {};

TEST_P(Quotients, BecomeOneWhereTheDefinitionAllowsIt) {
  std::mt19937 random(static_cast<std::uint32_t>(GetParam()));
  std::size_t taken = 0, refused = 0;
  for (int round = 0; round < 60; ++round) {
    const std::size_t nodes = 2 + random() % 40;
    const ir::Graph graph = random_graph(nodes, GetParam(), random);
    Quotient quotient(graph);
    std::vector<std::uint32_t> part(nodes);
    std::iota(part.begin(), part.end(), 0U);
    for (std::size_t i = 0; i < nodes; ++i) {
      std::vector<ir::NodeId> drawn(2 + (random() % 3 == 0 ? random() % 3 : 0));
      for (ir::NodeId& n : drawn) n = static_cast<ir::NodeId>(random() % nodes);
      std::vector<std::uint32_t> wanted = part;
      for (std::uint32_t& p : wanted)
        if (std::any_of(drawn.begin(), drawn.end(), [&](ir::NodeId n) { return part[n] == p; })) p = part[drawn[0]];
      const bool allowed = !has_circle(graph, wanted);
      ++(allowed ? taken : refused);
      ASSERT_EQ(drawn.size() == 2 ? quotient.try_merge(quotient.part_of(drawn[0]), quotient.part_of(drawn[1]))
                                  : quotient.try_join(drawn),
                allowed);
      if (allowed) part = wanted;
      expect_same(graph, quotient, part);
    }
  }
  EXPECT_GT(taken, 300);
  EXPECT_GT(refused, 100);
}

INSTANTIATE_TEST_SUITE_P(Reach, Quotients, testing::Values(1, 2, 3, 5, 9, 40));

// A part that stays where it is takes in one node after the other, and what each of these waits for moves in between it
// and the last that did: labels run out time and again, and are given anew.
TEST(Quotients, KeepTheirOrderHoweverOftenPartsMove) {
  constexpr ir::NodeId kMoves = 300, kReaders = 400;
  constexpr ir::NodeId kFirst = 1, kMoved = kFirst + kReaders, kTaken = kMoved + kMoves;
  ir::Graph graph;
  graph.values.resize(kTaken + kMoves);
  graph.nodes.resize(graph.values.size());
  for (ir::NodeId n = 0; n < graph.nodes.size(); ++n) graph.nodes[n].outputs = {n};
  // 0 has many readers, so that the search from it is the longer one.
  for (ir::NodeId i = 0; i < kReaders; ++i) graph.nodes[kFirst + i].inputs = {0};
  for (ir::NodeId i = 0; i < kMoves; ++i) {
    if (i != 0) graph.nodes[kMoved + i].inputs = {kMoved + i - 1};
    graph.nodes[kTaken + i].inputs = {0, kMoved + i};
  }
  Quotient quotient(graph);
  for (ir::NodeId i = 0; i < kMoves; ++i) ASSERT_TRUE(quotient.try_merge(quotient.part_of(0), kTaken + i)) << i;
  for (ir::NodeId i = 0; i < kMoves; ++i) {
    ASSERT_FALSE(quotient.try_merge(kMoved + i, kFirst + i)) << i;  // the part is between the two
    if (i > 1) {
      ASSERT_FALSE(quotient.try_merge(kMoved + i, kMoved + i - 2)) << i;
    }
  }
  const std::vector<std::uint32_t> order = quotient.order();
  ASSERT_EQ(order.size(), 1 + kReaders + kMoves);
  for (ir::NodeId i = 0; i < kMoves; ++i) EXPECT_EQ(order[i], kMoved + i);
  EXPECT_EQ(order[kMoves], quotient.part_of(0));
}

}  // namespace
}  // namespace byoc
