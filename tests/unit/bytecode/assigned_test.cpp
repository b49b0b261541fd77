// The registers that are assigned at each place, against the plain way with a set for each; and the growth of the work.
#include "sdk/program/bytecode/assigned.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tests/unit/bytecode/modules.hpp"

namespace byoc::bytecode {
namespace {

using testing::HasSubstr;
using Set = std::vector<bool>;

Set both(Set a, const Set& b) {
  for (std::size_t r = 0; r < a.size(); ++r) a[r] = a[r] && b[r];
  return a;
}

std::optional<std::uint32_t> first_of_first_only(const Set& a, const Set& b) {
  for (std::uint32_t r = 0; r < a.size(); ++r)
    if (a[r] && !b[r]) return r;
  return std::nullopt;
}

TEST(Assigned, isWhatSetsSay) {
  constexpr std::uint32_t kRegisters = 9;
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    Assigned assigned(kRegisters);
    Set here(kRegisters);
    std::vector<std::optional<Set>> places(Assigned::kMostPlaces);
    for (int i = 0; i < 200; ++i) {
      const std::uint32_t reg = random() % kRegisters;
      const unsigned p = random() % 4;
      switch (random() % 7) {
        case 0:
        case 1:
        case 2: assigned.set(reg, here[reg] = random() % 2 != 0); break;
        case 3:
          if (places[p]) {
            assigned.meet_there(p);
            places[p] = both(*places[p], here);
          } else if (const auto made = assigned.follow()) {
            places[*made] = here;
          }
          break;
        case 4:
          if (!places[p]) break;
          assigned.meet_here(p);
          here = both(here, *places[p]);
          break;
        case 5:
          if (!places[p]) break;
          if (random() % 2 != 0) {
            assigned.go(p);
            here = *places[p];
          } else {
            assigned.take(p);
            places[p] = here;
          }
          break;
        default:
          if (!places[p] || random() % 3 != 0) break;
          assigned.leave(p);
          places[p].reset();
      }
      for (std::uint32_t r = 0; r < kRegisters; ++r) ASSERT_EQ(assigned.has(r), here[r]) << round << " " << i;
      for (unsigned k = 0; k < places.size(); ++k)
        if (places[k]) {
          ASSERT_EQ(assigned.lost(k), first_of_first_only(*places[k], here)) << round << " " << i;
        }
    }
  }
}

TEST(Assigned, followsSoManyPlaces) {
  Assigned assigned(1);
  for (unsigned p = 0; p < Assigned::kMostPlaces; ++p) EXPECT_EQ(assigned.follow(), p);
  EXPECT_FALSE(assigned.follow());
  assigned.leave(3);
  EXPECT_EQ(assigned.follow(), 3u);
}

// Registers that are looked at for `n` jumps over code with a register each.
std::uint64_t steps(std::uint32_t n, bool one_target) {
  Assigned assigned(n);
  const unsigned last = *assigned.follow();
  for (std::uint32_t r = 0; r < n; ++r) {
    assigned.set(r, true);
    assigned.meet_there(last);
    if (!one_target) {
      const unsigned own = *assigned.follow();
      assigned.set(r, false);
      assigned.meet_there(own);
      assigned.set(r, true);
      assigned.meet_here(own);
      assigned.leave(own);
    }
    EXPECT_EQ(assigned.lost(last), std::nullopt);
  }
  assigned.go(last);
  return assigned.steps();
}

TEST(Assigned, workGrowsAsTheCodeDoes) {
  for (const bool one_target : {false, true})
    for (std::uint32_t n = 1000; n <= 64000; n *= 2)
      EXPECT_LE(static_cast<double>(steps(2 * n, one_target)), 2.1 * static_cast<double>(steps(n, one_target))) << n;
}

// Constants, a branch behind each: to one target, or to the next instruction.
Module with_branches(std::uint32_t count, bool one_target) {
  Module m = interpreted(R"(graph "g" requant=onnx {
    input %0 "x" : bool[]
    const %1 : bool[] = [1]
    %2 : bool[] = And.7(%0, %1)
    output %2
  })");
  Function& f = m.functions[0];
  f.registers = 1 + count;
  f.code.clear();
  for (std::uint32_t i = 0; i < count; ++i) {
    f.code.push_back({Op::constant, {1 + i, 0}});
    f.code.push_back({Op::branch, {0, one_target ? 2 * count : 2 * i + 2}});
  }
  f.code.push_back({Op::give, {0}});
  return m;
}

TEST(VmVerifier, manyBranches) {
  for (const bool one_target : {false, true}) {
    const Module m = with_branches(200'000, one_target);
    Diagnostics diags;
    EXPECT_TRUE(verify(m, "m", diags)) << text(diags);
  }
}

TEST(VmVerifier, refusesJumpsThatCrossManyOthers) {
  Module m = with_branches(Assigned::kMostPlaces + 1, true);
  Function& f = m.functions[0];
  for (std::uint32_t i = 0; i + 1 < f.code.size(); i += 2) f.code[i + 1].words[1] += i / 2;
  for (std::uint32_t i = 0; i < Assigned::kMostPlaces; ++i) f.code.insert(f.code.end() - 1, {Op::kill, {1}});
  EXPECT_THAT(refused(m), HasSubstr("jumps cross more others than in code that byoc writes (expected at most 16 "
                                    "targets at one place)"));
}

}  // namespace
}  // namespace byoc::bytecode
