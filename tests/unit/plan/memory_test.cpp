#include "sdk/program/plan/memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "sdk/program/plan/occupied.hpp"

namespace byoc::plan {
namespace {

Buffer buffer(std::uint64_t bytes, std::uint32_t first, std::uint32_t last, std::uint32_t align = 4) {
  return {"b" + std::to_string(first) + "_" + std::to_string(bytes), bytes, align, first, last, 0};
}

bool valid(const Problem& p, const Plan& plan) {
  Diagnostics diags;
  const bool ok = bool(verify_plan(p, plan, diags));
  for (const Diagnostic& d : diags.all()) ADD_FAILURE() << to_string(d);
  return ok;
}

// The lowest free place is the one that looking at everything finds. What has no bytes may go further than it must.
TEST(Occupied, findsWhatIsInTheWay) {
  struct Taken {
    std::uint32_t first, last;
    std::int64_t begin, end;
  };
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    const std::uint32_t steps = 1 + random() % 40;
    Occupied occupied(steps);
    std::vector<Taken> all;
    for (int i = 0; i < 60; ++i) {
      const std::uint32_t a = random() % steps, b = random() % steps;
      const std::int64_t size = random() % 8;
      std::int64_t at = 0, plain = 0;
      const Taken now{std::min(a, b), std::max(a, b), 0, 0};
      while (const auto end = occupied.in_the_way(now.first, now.last, at, at + size)) {
        ASSERT_GT(*end, at);
        at = *end;
      }
      const auto touches = [&](const Taken& t) {
        return t.first <= now.last && now.first <= t.last && t.begin < plain + size && plain < t.end;
      };
      while (std::any_of(all.begin(), all.end(), touches)) ++plain;
      if (size == 0) plain = at;
      ASSERT_EQ(at, plain);
      ASSERT_FALSE(std::any_of(all.begin(), all.end(), touches));
      all.push_back({now.first, now.last, at, at + size});
      occupied.add(now.first, now.last, at, at + size);
    }
  }
}

// Each pair of them is in use at one time.
TEST(Plan, manyLongLivedBuffersTakeNoTimeAtAll) {
  constexpr std::uint32_t kMany = 60'000;
  Problem p;
  p.steps = kMany + 1;
  std::uint64_t all = 0;
  for (std::uint32_t i = 0; i < kMany; ++i) {
    p.buffers.push_back(buffer(4 * (1 + i % 7), i, kMany));
    all += p.buffers.back().bytes;
  }
  const Plan plan = make_plan(p);
  EXPECT_TRUE(valid(p, plan));
  EXPECT_EQ(plan.pools[0].bytes, all);
}

TEST(Plan, chainNeedsTwoNeighbours) {
  Problem p;
  p.steps = 3;
  p.buffers = {buffer(100, 0, 1), buffer(200, 1, 2), buffer(60, 2, 2)};
  const Plan plan = make_plan(p);
  EXPECT_TRUE(valid(p, plan));
  EXPECT_EQ(plan.pools[0].bytes, 300u);
  EXPECT_EQ(plan.pools[0].lower_bound, 300u);
}

TEST(Plan, overlayRunsInPlace) {
  Problem p;
  p.steps = 2;
  p.buffers = {buffer(100, 0, 1), buffer(100, 1, 1)};
  p.overlays = {{0, 1}};
  const Plan plan = make_plan(p);
  EXPECT_TRUE(valid(p, plan));
  EXPECT_EQ(plan.pools[0].bytes, 100u);
  EXPECT_EQ(plan.pools[0].lower_bound, 100u);
}

TEST(Plan, overlayIsRefusedWhileTheInputIsStillRead) {
  Problem p;
  p.steps = 3;
  p.buffers = {buffer(100, 0, 2), buffer(100, 1, 2)};
  p.overlays = {{0, 1}};
  const Plan plan = make_plan(p);
  EXPECT_TRUE(valid(p, plan));
  EXPECT_EQ(plan.pools[0].bytes, 200u);
}

TEST(Plan, anOutputThatStartsBeforeItsInputReachesIntoIt) {
  Problem p;
  p.steps = 3;
  p.buffers = {buffer(100, 0, 1), buffer(100, 1, 2), buffer(120, 2, 2)};
  p.overlays = {{0, 1, 16}, {1, 2, 8}};
  const Plan plan = make_plan(p);
  EXPECT_TRUE(valid(p, plan));
  EXPECT_EQ(plan.offsets[0], plan.offsets[1] + 16);
  EXPECT_EQ(plan.offsets[1], plan.offsets[2] + 8);
  EXPECT_EQ(plan.pools[0].bytes, 124u);
  EXPECT_EQ(plan.pools[0].lower_bound, 120u);
  EXPECT_EQ(live_bytes(p, 0), (std::vector<std::uint64_t>{100, 116, 120}));
}

TEST(Plan, aLeadThatSavesNothingOrIsNoMultipleOfTheAlignmentIsNotTaken) {
  for (const std::uint64_t lead : {std::uint64_t{100}, std::uint64_t{2}, std::uint64_t{1} << 40}) {
    Problem p;
    p.steps = 2;
    p.buffers = {buffer(100, 0, 1), buffer(100, 1, 1)};
    p.overlays = {{0, 1, lead}};
    const Plan plan = make_plan(p);
    EXPECT_TRUE(valid(p, plan));
    EXPECT_EQ(plan.pools[0].bytes, 200u) << lead;
  }
}

TEST(Plan, leadsOfAChainKeepEachAlignment) {
  Problem p;
  p.steps = 4;
  p.buffers = {buffer(64, 0, 1, 4), buffer(64, 1, 2, 4), buffer(64, 2, 3, 32)};
  p.overlays = {{0, 1, 4}, {1, 2, 32}};
  EXPECT_TRUE(valid(p, make_plan(p)));
}

// Bound together, all four would start ever lower, and the workspace would have no room beside the largest. Behind that
// nothing need be written over anything.
TEST(Plan, overlaysThatNoPeakNeedsDoNotBind) {
  Problem p;
  p.steps = 4;
  p.buffers = {
      {"a", 64, 16, 0, 1}, {"b", 128, 16, 1, 2}, {"c", 32, 16, 2, 3}, {"d", 32, 16, 3, 3}, {"w", 48, 16, 1, 1}};
  p.overlays = {{0, 1, 16}, {1, 2, 16}, {2, 3, 16}};
  const Plan plan = make_plan(p);
  EXPECT_TRUE(valid(p, plan));
  EXPECT_EQ(plan.pools[0].lower_bound, 176u);
  EXPECT_EQ(plan.pools[0].bytes, 176u);
}

TEST(Plan, verifierKnowsTheLead) {
  Problem p;
  p.steps = 2;
  p.buffers = {buffer(64, 0, 1), buffer(64, 1, 1)};
  p.overlays = {{0, 1, 16}};
  const Plan plan = make_plan(p);
  EXPECT_TRUE(valid(p, plan));
  Plan bad = plan;
  for (const std::vector<std::uint64_t>& offsets :
       {std::vector<std::uint64_t>{0, 0}, {12, 0}, {20, 0}, {0, 16}, {0, 12}}) {
    bad.offsets = offsets;
    bad.pools[0].bytes = 100;
    Diagnostics diags;
    EXPECT_FALSE(verify_plan(p, bad, diags)) << offsets[0] << " " << offsets[1];
  }
  p.overlays.clear();
  Diagnostics diags;
  EXPECT_FALSE(verify_plan(p, plan, diags));
}

TEST(Plan, verifierFindsEveryKindOfFault) {
  Problem p;
  p.steps = 2;
  p.buffers = {buffer(8, 0, 1), buffer(8, 0, 1)};
  Plan plan = make_plan(p);
  Plan bad = plan;
  bad.offsets = {0, 4};
  Diagnostics diags;
  EXPECT_FALSE(verify_plan(p, bad, diags));
  EXPECT_NE(to_string(diags.all()[0]).find("while both are in use"), std::string::npos);
  bad = plan;
  bad.offsets[0] = 1;
  Diagnostics misaligned;
  EXPECT_FALSE(verify_plan(p, bad, misaligned));
  EXPECT_NE(to_string(misaligned.all()[0]).find("misaligned"), std::string::npos);
  bad = plan;
  bad.pools[0].bytes = 8;
  Diagnostics past;
  EXPECT_FALSE(verify_plan(p, bad, past));
  EXPECT_NE(to_string(past.all()[0]).find("past the end"), std::string::npos);
  bad.offsets.pop_back();
  Diagnostics missing;
  EXPECT_FALSE(verify_plan(p, bad, missing));
}

Problem two_pools(std::uint64_t first, std::uint64_t second) {
  Problem p;
  p.steps = 3;
  p.pools = 2;
  p.sizes = {first, second};
  return p;
}

std::vector<std::uint32_t> assigned(Problem& p) {
  assign_pools(p);
  EXPECT_TRUE(valid(p, make_plan(p)));
  std::vector<std::uint32_t> out;
  for (const Buffer& b : p.buffers) out.push_back(b.pool);
  return out;
}

Buffer choosy(std::uint64_t bytes, std::uint32_t first, std::uint32_t last, std::vector<std::uint32_t> choices) {
  Buffer b = buffer(bytes, first, last);
  b.choices = std::move(choices);
  return b;
}

using Pools = std::vector<std::uint32_t>;

TEST(AssignPools, theFirstOfItsChoicesThatHasRoom) {
  Problem p = two_pools(0, 100);
  p.buffers = {buffer(50, 0, 2), choosy(100, 0, 0, {1, 0}), choosy(100, 1, 1, {1, 0}), choosy(100, 1, 1, {1, 0})};
  EXPECT_EQ(assigned(p), (Pools{0, 1, 1, 0}));
  EXPECT_EQ(make_plan(p).pools[1].bytes, 100u);
  EXPECT_EQ(make_plan(p).pools[0].bytes, 150u);
}

TEST(AssignPools, whatHasNoChoiceGoesFirstThenTheLargest) {
  Problem p = two_pools(0, 100);
  p.buffers = {choosy(30, 0, 0, {1, 0}), choosy(70, 0, 0, {1, 0}), choosy(20, 0, 0, {1})};
  EXPECT_EQ(assigned(p), (Pools{0, 1, 1}));
}

TEST(AssignPools, whatFitsNowhereIsInItsFirstChoiceOrInPoolZero) {
  Problem p = two_pools(10, 10);
  p.buffers = {choosy(11, 0, 0, {1, 0}), choosy(11, 1, 1, {1}), buffer(3, 0, 0)};
  EXPECT_EQ(assigned(p), (Pools{0, 1, 0}));
  p.pools = 3;
  p.sizes = {10, 10, 10};
  p.buffers = {choosy(11, 0, 0, {2, 1})};
  EXPECT_EQ(assigned(p), (Pools{2}));
}

TEST(AssignPools, buffersOverlayOnlyInOneMemory) {
  Problem p = two_pools(0, 0);
  p.buffers = {choosy(8, 0, 1, {1}), buffer(8, 1, 2), choosy(8, 1, 2, {1})};
  p.overlays = {{0, 1}, {0, 2}};
  EXPECT_EQ(assigned(p), (Pools{1, 0, 1}));
  const Plan plan = make_plan(p);
  EXPECT_EQ(plan.pools[1].bytes, 8u);
  EXPECT_EQ(plan.pools[1].lower_bound, 8u);
  EXPECT_EQ(plan.pools[0].bytes, 8u);
}

TEST(AssignPools, theVerifierKnowsTheChoices) {
  Problem p = two_pools(0, 0);
  p.buffers = {choosy(8, 0, 1, {1})};  // and it is in pool 0
  const Plan plan = make_plan(p);
  Diagnostics diags;
  EXPECT_FALSE(verify_plan(p, plan, diags));
  EXPECT_NE(to_string(diags.all()[0]).find("planned in a pool that it may not live in"), std::string::npos);
}

TEST(AssignPools, randomProblemsKeepToSizesWhereSomethingElseIsLeft) {
  std::mt19937 random(11);
  for (int round = 0; round < 400; ++round) {
    Problem p = two_pools(0, 500 + random() % 1000);
    p.steps = 1 + random() % 12;
    for (std::size_t i = 0; i < 20; ++i) {
      const auto first = static_cast<std::uint32_t>(random() % p.steps);
      const auto last = first + static_cast<std::uint32_t>(random() % (p.steps - first));
      p.buffers.push_back(choosy(random() % 500, first, last, random() % 4 ? Pools{1, 0} : Pools{0}));
      p.buffers.back().name = std::to_string(i);
      p.buffers.back().align = 1U << random() % 4;
    }
    for (std::uint32_t a = 0; round % 2 != 0 && a < p.buffers.size(); ++a)
      for (std::uint32_t b = 0; b < p.buffers.size(); ++b)
        if (p.buffers[a].last == p.buffers[b].first && a != b && random() % 3 == 0)
          p.overlays.push_back({a, b, random() % 2 ? 0 : random() % 100});
    assign_pools(p);
    const Plan plan = make_plan(p);
    ASSERT_TRUE(valid(p, plan)) << "round " << round;
    ASSERT_LE(plan.pools[1].bytes, p.sizes[1]);
  }
}

TEST(Plan, randomProblemsAreValidAndNeverBelowTheBound) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    Problem p;
    p.steps = 1 + random() % 20;
    const std::size_t count = 1 + random() % 30;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t first = static_cast<std::uint32_t>(random() % p.steps);
      const std::uint32_t last = first + static_cast<std::uint32_t>(random() % (p.steps - first));
      Buffer b = buffer(random() % 1000, first, last, 1u << (random() % 5));
      b.name = std::to_string(i);
      p.buffers.push_back(b);
    }
    for (std::uint32_t i = 0; i < count; ++i)
      for (std::uint32_t j = 0; j < count; ++j)
        if (i != j && p.buffers[i].last == p.buffers[j].first && random() % 3 == 0)
          p.overlays.push_back({i, j, random() % 2 ? random() % 300 : 0});
    const Plan plan = make_plan(p);
    ASSERT_TRUE(valid(p, plan)) << "round " << round;
  }
}

}  // namespace
}  // namespace byoc::plan
