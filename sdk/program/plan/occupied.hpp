// The bytes of a pool that are in use in each step. Internal to this folder.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace byoc::plan {

class Occupied {
 public:
  explicit Occupied(std::uint32_t steps);

  // Takes bytes [begin, end) in the steps [first, last].
  void add(std::uint32_t first, std::uint32_t last, std::int64_t begin, std::int64_t end);
  // The end of a range that overlaps bytes [begin, end) in one of the steps; nullopt: they are free. An empty range
  // overlaps a range that extends across it, and must not lie inside another.
  [[nodiscard]] std::optional<std::int64_t> in_the_way(std::uint32_t first, std::uint32_t last, std::int64_t begin,
                                                       std::int64_t end) const;

 private:
  struct Range {
    std::int64_t begin, end;
  };
  // Ordered and apart from each other.
  class Ranges {
   public:
    void add(Range r);
    [[nodiscard]] std::optional<std::int64_t> in_the_way(const Range& r) const;

   private:
    std::vector<Range> all_;
  };
  // A stretch of steps, halved by its two children: what is taken in all of it and is not said of its parent, and what
  // is taken in any of it (but for what is said of its parents).
  struct Stretch {
    Ranges throughout, somewhere;
  };

  template <class Partly, class Wholly>
  void visit(std::uint32_t first, std::uint32_t last, const Partly& partly, const Wholly& wholly) const;

  std::uint32_t leaves_ = 1;        // a power of two
  std::vector<Stretch> stretches_;  // a heap: of 1 all steps, of k its halves are 2 k and 2 k + 1
};

}  // namespace byoc::plan
