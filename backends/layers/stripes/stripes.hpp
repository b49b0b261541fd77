// Several steps computed together, a few rows at a time: which rows of what in which order.
#pragma once

#include <compare>
#include <optional>
#include <span>
#include <vector>

#include "backends/layers/stripes/unit.hpp"

namespace byoc::layers {

// Units in their order. All that they read and do not compute is `entry`; what they compute nobody else reads, but for
// the result of the last one, the exit.
struct Patch {
  std::vector<Unit> units;
  codegen::ValueId entry = codegen::kNoValue;
  std::int64_t rows = 0;  // that a unit computes at a time, at most

  [[nodiscard]] codegen::ValueId exit() const { return units.back().output; }
};

// The form that a unit takes where it computes a part of its rows.
struct UnitRows {
  std::vector<std::int64_t> in;  // rows of each of Unit::inputs
  std::int64_t out = 0;
  std::int64_t pad_top = 0, pad_bottom = 0;

  friend auto operator<=>(const UnitRows&, const UnitRows&) = default;
};

// Rows of a unit's result that are still needed move to the start of their buffer before more are computed.
struct Keep {
  std::int64_t from = 0, rows = 0;  // where they are, in rows; 0 rows: nothing is moved

  friend bool operator==(const Keep&, const Keep&) = default;
};

struct UnitCall {
  std::size_t unit = 0;
  UnitRows rows;
  std::vector<std::int64_t> in;  // of each operand the row where it starts: of its buffer, of the entry itself
  std::int64_t out = 0;          // the same of the result
  Keep keep;
};

struct Stripes {
  static constexpr std::size_t kEntry = SIZE_MAX;
  std::vector<std::vector<std::size_t>>
      sources;                               // of each unit, for each operand: the unit that computes it, or kEntry
  std::vector<std::vector<UnitCall>> calls;  // for each time that rows of the exit are computed, up to and with that
  std::vector<std::int64_t> buffer_rows;     // of each unit's result that are there at a time; 0 for the exit
  // The units whose results exist while this unit computes, its own included: bit i for unit i.
  std::vector<std::uint64_t> beside;
  // The number of bytes before the entry at which the exit may start (codegen::Overlay::lead) if nobody reads the entry
  // later.
  std::int64_t lead = 0;
};

inline constexpr std::size_t kMostUnits = 64;  // of a patch

// The rows of the exit are computed from the first to the last, and before them what they need and is not there yet, at
// most Patch::rows of anything at a time. No row is computed twice: those that are needed again are kept. Null: some
// rows need none at all of an operand.
[[nodiscard]] std::optional<Stripes> cut_into_stripes(const codegen::Region&, const Patch&);

}  // namespace byoc::layers
