// The order in which a patch computes rows, followed row by row in a memory of its own.
#include "backends/layers/stripes/stripes.hpp"

#include <gtest/gtest.h>

#include <random>

#include "backends/layers/stripes/arena.hpp"

namespace byoc::layers {
namespace {

using Bits = std::mt19937;

std::int64_t pick(Bits& random, std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

// Random units over images of some bytes a row, of which each reads what came before it, some of it twice.
struct StripesCase {
  codegen::Region region;
  Patch patch;

  codegen::ValueId add_value(std::int64_t rows, std::int64_t row_bytes) {
    codegen::Value v;
    v.dtype = DType::i8;
    v.dims = {1, rows, row_bytes};
    region.values.push_back(v);
    return static_cast<codegen::ValueId>(region.values.size() - 1);
  }
  [[nodiscard]] std::int64_t rows(codegen::ValueId v) const { return rows_of(region.values[v]); }

  // Null where the window does not fit the image.
  void add_unit(Bits& random, codegen::ValueId from) {
    Unit u;
    if (pick(random, 0, 3) != 0) u.window = {pick(random, 1, 3), pick(random, 1, 5), 0};
    u.window.pad = pick(random, 0, u.window.reach - 1);
    const std::int64_t pad_end = pick(random, 0, u.window.reach - 1);
    const std::int64_t free = rows(from) + u.window.pad + pad_end - u.window.reach;
    if (free < 0) return;
    u.inputs = {from};
    u.output = add_value(free / u.window.stride + 1, pick(random, 1, 40));
    patch.units.push_back(u);
    // The same image once more, as in a residual block: of another value with as many rows.
    for (const Unit& other : patch.units)
      if (other.output != u.output && rows(other.output) == rows(u.output) && pick(random, 0, 1)) {
        Unit sum;
        sum.inputs = {u.output, other.output};
        sum.output = add_value(rows(u.output), pick(random, 1, 40));
        patch.units.push_back(sum);
        break;
      }
  }
};

StripesCase random_stripes(Bits& random) {
  StripesCase c;
  c.patch.entry = c.add_value(pick(random, 1, 24), pick(random, 1, 40));
  codegen::ValueId last = c.patch.entry;
  for (std::int64_t n = pick(random, 1, 7); n > 0; --n) {
    c.add_unit(random, last);
    if (!c.patch.units.empty()) last = c.patch.units.back().output;
  }
  c.patch.rows = pick(random, 1, 6);
  return c;
}

// What lies in a byte: a row of a value. 0 is anything else.
std::int64_t tag(codegen::ValueId v, std::int64_t row) { return 1000 * (static_cast<std::int64_t>(v) + 1) + row; }

class Machine {
 public:
  Machine(const StripesCase& c, const Stripes& stripes, const Arena& arena)
      : c_(c), stripes_(stripes), arena_(arena), lead_(static_cast<std::int64_t>(lead_of(stripes))) {
    work_.assign(arena.bytes, 0);
    const auto bytes = [&](codegen::ValueId v) { return c.rows(v) * row_bytes(c.region.values[v]); };
    border_.assign(static_cast<std::size_t>(std::max(lead_ + bytes(c.patch.entry), bytes(c.patch.exit()))), 0);
    for (std::int64_t r = 0; r < c.rows(c.patch.entry); ++r) write(border_, lead_, c.patch.entry, r, r);
    ends_.assign(c.patch.units.size(), 0);
  }

  // "" or what went wrong.
  std::string run() {
    for (const auto& stripe : stripes_.calls)
      for (const UnitCall& call : stripe)
        if (std::string wrong = step(call); !wrong.empty()) return wrong;
    const codegen::ValueId exit = c_.patch.exit();
    for (std::int64_t r = 0; r < c_.rows(exit); ++r)
      if (!holds(border_, 0, exit, r, r)) return "the exit lacks row " + std::to_string(r);
    return "";
  }

 private:
  using Memory = std::vector<std::int64_t>;
  [[nodiscard]] std::int64_t bytes(codegen::ValueId v) const { return row_bytes(c_.region.values[v]); }
  void write(Memory& m, std::int64_t base, codegen::ValueId v, std::int64_t place, std::int64_t row) {
    for (std::int64_t i = 0; i < bytes(v); ++i)
      m.at(static_cast<std::size_t>(base + place * bytes(v) + i)) = tag(v, row);
  }
  [[nodiscard]] bool holds(const Memory& m, std::int64_t base, codegen::ValueId v, std::int64_t place,
                           std::int64_t row) const {
    for (std::int64_t i = 0; i < bytes(v); ++i)
      if (m.at(static_cast<std::size_t>(base + place * bytes(v) + i)) != tag(v, row)) return false;
    return true;
  }

  std::string step(const UnitCall& call) {
    const Unit& u = c_.patch.units[call.unit];
    const bool is_last = call.unit + 1 == c_.patch.units.size();
    const auto at = static_cast<std::int64_t>(arena_.buffers[call.unit]);
    if (call.keep.rows != 0) {
      const auto from = work_.begin() + at + call.keep.from * bytes(u.output);
      std::vector<std::int64_t> kept(from, from + call.keep.rows * bytes(u.output));
      std::copy(kept.begin(), kept.end(), work_.begin() + at);
    }
    // By definition: row y needs rows [y * stride - pad, ... + reach) of each operand.
    const std::int64_t first = ends_[call.unit], end = first + call.rows.out;
    const std::int64_t low = first * u.window.stride - u.window.pad;
    const std::int64_t high = (end - 1) * u.window.stride - u.window.pad + u.window.reach;
    for (std::size_t i = 0; i < u.inputs.size(); ++i) {
      const codegen::ValueId v = u.inputs[i];
      const std::size_t from = stripes_.sources[call.unit][i];
      const std::int64_t needed = std::max<std::int64_t>(low, 0), behind = std::min(high, c_.rows(v));
      if (call.rows.in[i] != behind - needed || call.rows.pad_top != needed - low ||
          call.rows.pad_bottom != high - behind)
        return "a wrong window";
      const bool is_entry = from == Stripes::kEntry;
      const Memory& memory = is_entry ? border_ : work_;
      const std::int64_t base = is_entry ? lead_ : static_cast<std::int64_t>(arena_.buffers[from]);
      for (std::int64_t r = needed; r < behind; ++r)
        if (!holds(memory, base, v, call.in[i] + r - needed, r))
          return "unit " + std::to_string(call.unit) + " does not find row " + std::to_string(r) + " of operand " +
                 std::to_string(i);
    }
    // Results of the last unit may have been written before it reads.
    ends_[call.unit] = end;
    for (std::int64_t r = first; r < end; ++r)
      write(is_last ? border_ : work_, is_last ? 0 : at, u.output, call.out + r - first, r);
    if (is_last)
      for (std::size_t i = 0; i < u.inputs.size(); ++i)
        if (stripes_.sources[call.unit][i] == Stripes::kEntry)
          for (std::int64_t r = std::max<std::int64_t>(low, 0); r < std::min(high, c_.rows(u.inputs[i])); ++r)
            if (!holds(border_, lead_, u.inputs[i], call.in[i] + r - std::max<std::int64_t>(low, 0), r))
              return "the last unit overwrites row " + std::to_string(r) + " that it reads";
    return "";
  }

  const StripesCase& c_;
  const Stripes& stripes_;
  const Arena& arena_;
  const std::int64_t lead_;
  Memory work_, border_;  // bytes; the border is the exit from 0 on, and the entry from lead_ on
  std::vector<std::int64_t> ends_;
};

TEST(Stripes, everyRowIsWhereItIsReadUntilItIs) {
  Bits random(7);
  int cut = 0, with_lead = 0;
  for (int i = 0; i < 3000; ++i) {
    const StripesCase c = random_stripes(random);
    if (c.patch.units.empty()) continue;
    const auto stripes = cut_into_stripes(c.region, c.patch);
    if (!stripes) continue;
    const auto arena = lay_out(c.region, c.patch, *stripes, nullptr);
    ASSERT_TRUE(arena);
    ASSERT_EQ(Machine(c, *stripes, *arena).run(), "") << "case " << i;
    ++cut;
    with_lead += stripes->lead != 0 ? 1 : 0;
  }
  EXPECT_GT(cut, 1500);
  EXPECT_GT(with_lead, 300);
}

// Two convolutions of 3x3 on 8 rows: the second reads three rows of the first, two of which it keeps.
TEST(Stripes, aWindowKeepsTheRowsThatItReadsAgain) {
  StripesCase c;
  c.patch.entry = c.add_value(8, 4);
  for (codegen::ValueId from = c.patch.entry; c.patch.units.size() < 2; from = c.patch.units.back().output) {
    Unit u;
    u.window = {1, 3, 1};
    u.inputs = {from};
    u.output = c.add_value(8, 4);
    c.patch.units.push_back(u);
  }
  c.patch.rows = 1;
  const auto stripes = cut_into_stripes(c.region, c.patch);
  ASSERT_TRUE(stripes);
  EXPECT_EQ(stripes->buffer_rows, (std::vector<std::int64_t>{3, 0}));
  EXPECT_EQ(stripes->calls.size(), 8u);
  EXPECT_EQ(stripes->calls[0].size(), 3u);  // the first row needs two of the first result
  EXPECT_EQ(stripes->calls[4].size(), 2u);
  EXPECT_EQ(stripes->calls[4][0].keep, (Keep{1, 2}));
  EXPECT_EQ(stripes->calls[7].size(), 1u);  // the last needs none that is not there
  EXPECT_EQ(lay_out(c.region, c.patch, *stripes, nullptr)->bytes, 16u);
  // Row y of the exit is written when rows up to y + 2 of the entry have been read for the last time but for two.
  EXPECT_EQ(stripes->lead, 0);
}

TEST(Stripes, whatNeedsNoRowAtAllIsNotCut) {
  StripesCase c;
  c.patch.entry = c.add_value(2, 4);
  Unit u;
  u.window = {1, 1, 1};  // the first row is one of padding alone
  u.inputs = {c.patch.entry};
  u.output = c.add_value(4, 4);
  c.patch.units = {u};
  c.patch.rows = 1;
  EXPECT_FALSE(cut_into_stripes(c.region, c.patch));
}

}  // namespace
}  // namespace byoc::layers
