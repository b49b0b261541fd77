// A model's RAM against its time: the plans that no other plan beats in both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace byoc {

struct FrontierPoint {
  std::uint64_t ram = 0;    // bytes of workspaces, instance, inputs and outputs, as --max-ram bounds them
  std::uint64_t time = 0;   // of one inference, in Frontier::unit
  std::uint64_t flash = 0;  // bytes
};

struct Frontier {
  std::string model, target;
  std::string unit;                   // "cycles", "instructions", "nanoseconds"
  std::vector<FrontierPoint> points;  // more RAM and less time from one to the next
};

// Bounds to ask for: `count` of them, from the least that any plan needs to `most`, evenly.
[[nodiscard]] std::vector<std::uint64_t> frontier_bounds(std::uint64_t least, std::uint64_t most, std::size_t count);

// The points in the order of their RAM, without those that are not faster than a point with less RAM.
[[nodiscard]] std::vector<FrontierPoint> best_of(std::vector<FrontierPoint> points);

// A table for terminals, and a page with the curve.
[[nodiscard]] std::string frontier_table(const Frontier&);
[[nodiscard]] std::string frontier_page(const Frontier&);

}  // namespace byoc
