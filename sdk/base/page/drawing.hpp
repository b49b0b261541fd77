// Drawings as SVG 1.1, each with its own style, so that they can stand alone.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sdk/base/page/layout.hpp"

namespace byoc::page {

// The colours that boxes and spans have: of inputs and outputs, of what the executor does itself, and of others by
// their number, which come around again.
enum class Tone { quiet, executor, other };

// The class that drawing.css has for a tone: "quiet", "executor", "t3".
[[nodiscard]] std::string tone_class(Tone tone, std::size_t number = 0);

struct Box {
  std::string title;       // the first line; cut where it is too long
  std::string subtitle;    // the second one, the same
  std::string whole = {};  // shown on demand
  std::string link = {};   // where it leads, "#n3"; "": nowhere
  Tone tone = Tone::quiet;
  std::size_t number = 0;  // of Tone::other
  double share = 0;        // of the whole cost, 0 to 1: drawn as a bar
};

// A graph with more boxes is not drawn: the result is "".
inline constexpr std::size_t kMostBoxes = 2500;

[[nodiscard]] std::string draw_graph(std::span<const Box> boxes, std::span<const Edge> edges, const std::string& title);

// Bytes of a memory in use during the steps [first, last].
struct Span {
  std::string name;
  std::uint64_t offset = 0, bytes = 0;
  std::uint32_t first = 0, last = 0;
};

// Steps from left to right, bytes from bottom to top. `live`: of each step the bytes that it needs at least.
[[nodiscard]] std::string draw_memory(std::span<const Span> spans, std::span<const std::uint64_t> live,
                                      std::uint64_t bytes, const std::string& title);

// A point of a curve, what is shown on demand, and what stands beside it where there is room.
struct CurvePoint {
  std::uint64_t x = 0, y = 0;
  std::string whole;
  std::string label = {};
};

// The values that an axis shows, first to last.
struct Axis {
  std::vector<std::uint64_t> ticks;
};

// An axis with round ticks. It begins at 0, unless all values are in its upper half: then around them, for nobody would
// see how they differ.
[[nodiscard]] Axis axis_of(std::uint64_t least, std::uint64_t most);

// Points in the order of their x, joined. `x`, `y`: what they are; an axis that does not begin at 0 says so.
[[nodiscard]] std::string draw_curve(std::span<const CurvePoint> points, const std::string& x, const std::string& y,
                                     const std::string& title);

}  // namespace byoc::page
