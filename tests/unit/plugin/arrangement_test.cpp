// Arrangements against their definition.
#include "byoc/arrangement.hpp"

#include <gtest/gtest.h>

#include <random>

#include "sdk/codegen/codegen/artifact_rules.hpp"

namespace byoc {
namespace {

using codegen::Arrangement;

// As the header says it: every element by itself.
std::vector<std::byte> by_definition(const Arrangement& a, std::span<const std::byte> source) {
  std::vector<std::byte> out;
  std::vector<std::uint64_t> counter(a.loops.size());
  for (std::uint64_t element = 0; element < a.elements(); ++element) {
    std::uint64_t rest = element;
    std::vector<std::uint64_t> index(a.axes.size());
    for (std::size_t l = a.loops.size(); l-- > 0;) {
      index[a.loops[l].axis] += rest % a.loops[l].count * a.loops[l].step;
      rest /= a.loops[l].count;
    }
    bool inside = true;
    std::uint64_t from = a.offset;
    for (std::size_t x = 0; x < a.axes.size(); ++x) {
      inside = inside && index[x] < a.axes[x].extent;
      from += index[x] * a.axes[x].stride;
    }
    for (std::uint32_t b = 0; b < a.element_size; ++b)
      out.push_back(inside ? source[from * a.element_size + b] : std::byte{0});
  }
  return out;
}

std::vector<std::byte> numbers(std::size_t size) {
  std::vector<std::byte> out(size);
  std::uint32_t state = 1;
  for (std::byte& b : out) b = static_cast<std::byte>((state = state * 1664525 + 1013904223) >> 24 | 1);
  return out;
}

// Random ones whose steps and strides are as layouts have them, and as they have not.
Arrangement random_arrangement(std::mt19937& random) {
  const auto pick = [&](std::uint64_t low, std::uint64_t high) {
    return std::uniform_int_distribution<std::uint64_t>(low, high)(random);
  };
  Arrangement a;
  a.element_size = 1u << pick(0, 3);
  a.offset = pick(0, 5);
  std::uint64_t stride = 1;
  for (std::uint64_t x = pick(0, 3); x-- > 0;) {
    a.axes.push_back({pick(0, 12) == 0 ? 0 : pick(1, 9), pick(0, 3) == 0 ? pick(0, 7) : stride});
    stride *= std::max<std::uint64_t>(a.axes.back().extent, 1);
  }
  if (a.axes.empty()) return a;
  for (std::uint64_t l = pick(0, 5); l-- > 0;) {
    const auto axis = static_cast<std::uint32_t>(pick(0, a.axes.size() - 1));
    const bool block = pick(0, 1) == 1;
    a.loops.push_back({pick(1, 6), axis, block ? 4u : pick(0, 2)});
  }
  std::shuffle(a.axes.begin(), a.axes.end(), random);
  return a;
}

TEST(Arrangement, RandomOnesAreAsDefined) {
  std::mt19937 random(7);
  const std::vector<std::byte> source = numbers(8 * 8192);
  std::size_t filled = 0;
  for (int i = 0; i < 20000; ++i) {
    const Arrangement a = random_arrangement(random);
    ASSERT_FALSE(plugin::check_arrangement(a, source.size())) << i;
    const std::vector<std::byte> expected = by_definition(a, source);
    ASSERT_EQ(codegen::arranged(a, source), expected) << i;
    filled += std::count(expected.begin(), expected.end(), std::byte{0}) != 0 ? 1u : 0u;
    // Any part, at any address.
    const std::uint64_t first = std::uniform_int_distribution<std::uint64_t>(0, a.elements())(random);
    const std::uint64_t count = std::uniform_int_distribution<std::uint64_t>(0, a.elements() - first)(random);
    std::vector<std::byte> part(count * a.element_size + 1, std::byte{42});
    codegen::Arranger(a).write(source, first, std::span(part).subspan(1));
    const auto begin = expected.begin() + static_cast<std::ptrdiff_t>(first * a.element_size);
    ASSERT_TRUE(std::equal(part.begin() + 1, part.end(), begin)) << i;
    ASSERT_EQ(part[0], std::byte{42});
  }
  EXPECT_GT(filled, 1000u);
}

TEST(Arrangement, BlocksOfFilters) {
  // OIHW [3,2,1,2] to [2 blocks of 2][I][W][2].
  const Arrangement a{
      .element_size = 2, .axes = {{3, 4}, {2, 2}, {2, 1}}, .loops = {{2, 0, 2}, {2, 1, 1}, {2, 2, 1}, {2, 0, 1}}};
  std::vector<std::uint16_t> source(12), expected{1, 5, 2, 6, 3, 7, 4, 8, 9, 0, 10, 0, 11, 0, 12, 0};
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<std::uint16_t>(i + 1);
  const std::vector<std::byte> made = codegen::arranged(a, std::as_bytes(std::span(source)));
  EXPECT_TRUE(std::ranges::equal(made, std::as_bytes(std::span(expected))));
}

struct Broken {
  const char* name;
  Arrangement how;
  const char *what, *found, *expected;
};

TEST(Arrangement, BrokenRulesAreNamed) {
  const std::uint64_t huge = std::uint64_t{1} << 63;
  const Broken all[] = {
      {"element", {.element_size = 3}, "elements of a size that there is not", "3 bytes", "1, 2, 4 or 8"},
      {"axis", {.axes = {{1, 1}}, .loops = {{1, 1, 1}}}, "a loop over an axis that does not exist", "1", "less than 1"},
      {"size",
       {.axes = {{1, 1}}, .loops = {{(std::uint64_t{1} << 40) + 1, 0, 1}}},
       "makes too much",
       "1099511627777 bytes",
       "at most 2^40 bytes"},
      {"overflow",
       {.axes = {{1, 1}}, .loops = {{huge, 0, 1}, {4, 0, 1}}},
       "makes too much",
       "2^64 bytes or more",
       "at most 2^40 bytes"},
      {"end",
       {.element_size = 4, .axes = {{5, 1}}, .loops = {{5, 0, 1}}},
       "reaches past the end",
       "element 4",
       "less than 4"},
      {"offset", {.offset = 16}, "reaches past the end", "element 16", "less than 16"},
      {"far", {.axes = {{huge, huge}}, .loops = {{3, 0, 1}}}, "reaches past the end", "2^64 or more", "less than 16"},
  };
  for (const Broken& b : all) {
    const auto broken = plugin::check_arrangement(b.how, 16);
    ASSERT_TRUE(broken) << b.name;
    EXPECT_NE(broken->what.find(b.what), std::string::npos) << b.name << ": " << broken->what;
    EXPECT_EQ(broken->found, b.found) << b.name;
    EXPECT_EQ(broken->expected, b.expected) << b.name;
  }
  // Nothing is read where an axis has no extent or a loop no iteration.
  EXPECT_FALSE(plugin::check_arrangement({.offset = 99, .axes = {{0, 1}}, .loops = {{4, 0, 1}}}, 16));
  EXPECT_FALSE(plugin::check_arrangement({.offset = 99, .axes = {{9, 1}}, .loops = {{0, 0, 1}}}, 16));
}

}  // namespace
}  // namespace byoc
