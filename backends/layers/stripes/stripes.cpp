#include "backends/layers/stripes/stripes.hpp"

#include <algorithm>

namespace byoc::layers {
namespace {

using codegen::Region;
using codegen::Value;
using codegen::ValueId;

struct Range {
  std::int64_t first = 0, end = 0;
};

class Cutter {
 public:
  Cutter(const Region& region, const Patch& patch)
      : units_(patch.units),
        most_(patch.rows),
        entry_(region.values[patch.entry]),
        exit_(region.values[patch.exit()]),
        last_(units_.size() - 1),
        ends_(units_.size(), 0) {
    for (const Unit& u : units_) {
      out_.sources.emplace_back();
      for (const ValueId v : u.inputs) out_.sources.back().push_back(source(v));
      rows_.push_back(rows_of(region.values[u.output]));
    }
  }

  std::optional<Stripes> run() {
    while (ends_[last_] < rows_[last_])
      if (!compute(last_, std::min(ends_[last_] + most_, rows_[last_]))) return std::nullopt;
    find_oldest();
    place_rows();
    find_lead();
    return std::move(out_);
  }

 private:
  // A unit computes rows `out` of its result; what it reads of rows that are there follows from that.
  struct Turn {
    std::size_t unit;
    Range out;
    std::vector<std::int64_t> oldest = {};  // the first row of each result, and last of the entry, that is read in this
                                            // turn or later; INT64_MAX: none
  };

  [[nodiscard]] std::size_t source(ValueId v) const {
    const auto made = std::find_if(units_.begin(), units_.end(), [&](const Unit& u) { return u.output == v; });
    return made == units_.end() ? Stripes::kEntry : static_cast<std::size_t>(made - units_.begin());
  }
  [[nodiscard]] std::int64_t rows(std::size_t source) const {
    return source == Stripes::kEntry ? rows_of(entry_) : rows_[source];
  }

  // The rows of its operands from which a unit computes rows `out` of its result, those beyond the image included.
  static Range window(const Unit& u, const Range& out) {
    return {out.first * u.window.stride - u.window.pad,
            (out.end - 1) * u.window.stride - u.window.pad + u.window.reach};
  }
  [[nodiscard]] Range inside(const Range& window, std::size_t source) const {
    return {std::max<std::int64_t>(window.first, 0), std::min(window.end, rows(source))};
  }

  // Takes the turns after which the first `end` rows of a unit's result are there.
  bool compute(std::size_t u, std::int64_t end) {
    while (ends_[u] < end) {
      const Range out{ends_[u], std::min(ends_[u] + most_, end)};
      const Range needed = window(units_[u], out);
      for (const std::size_t from : out_.sources[u]) {
        const Range in = inside(needed, from);
        if (in.first >= in.end || (from != Stripes::kEntry && !compute(from, in.end))) return false;
      }
      turns_.push_back({u, out});
      ends_[u] = out.end;
    }
    return true;
  }

  void find_oldest() {
    std::vector<std::int64_t> oldest(units_.size() + 1, INT64_MAX);
    for (auto t = turns_.rbegin(); t != turns_.rend(); ++t) {
      const Range needed = window(units_[t->unit], t->out);
      for (const std::size_t from : out_.sources[t->unit]) {
        std::int64_t& o = oldest[from == Stripes::kEntry ? units_.size() : from];
        o = std::min(o, inside(needed, from).first);
      }
      t->oldest = oldest;
    }
  }

  // Rows older than anything still read leave their buffer before more rows come in.
  void place_rows() {
    std::vector<std::int64_t> start(units_.size(), 0);  // the row at the start of each buffer
    std::fill(ends_.begin(), ends_.end(), 0);
    out_.buffer_rows.assign(units_.size(), 0);
    out_.beside.assign(units_.size(), 0);
    out_.calls.emplace_back();
    for (const Turn& t : turns_) {
      const std::size_t u = t.unit;
      UnitCall call;
      call.unit = u;
      if (u != last_) {
        const std::int64_t before = start[u];
        start[u] = std::max(before, std::min(t.oldest[u], t.out.first));
        if (start[u] != before && start[u] != t.out.first) call.keep = {start[u] - before, t.out.first - start[u]};
        out_.buffer_rows[u] = std::max(out_.buffer_rows[u], t.out.end - start[u]);
      }
      call.out = t.out.first - start[u];
      call.rows.out = t.out.end - t.out.first;
      const Range needed = window(units_[u], t.out);
      for (const std::size_t from : out_.sources[u]) {
        const Range in = inside(needed, from);
        call.rows.in.push_back(in.end - in.first);
        call.in.push_back(in.first - (from == Stripes::kEntry ? 0 : start[from]));
        call.rows.pad_top = in.first - needed.first;
        call.rows.pad_bottom = needed.end - in.end;
      }
      for (std::size_t v = 0; v < last_; ++v)
        if (v == u || t.oldest[v] < ends_[v]) out_.beside[u] |= std::uint64_t{1} << v;
      ends_[u] = t.out.end;
      out_.calls.back().push_back(std::move(call));
      if (u == last_) out_.calls.emplace_back();
    }
    out_.calls.pop_back();
  }

  // Computes by definition the largest lead of the written bytes over those still to be read. If the last unit reads
  // the entry itself, its writes of that turn count as written before.
  void find_lead() {
    const std::vector<std::size_t>& direct = out_.sources[last_];
    const bool reads = std::find(direct.begin(), direct.end(), Stripes::kEntry) != direct.end();
    std::int64_t written = 0;  // rows
    for (const Turn& t : turns_) {
      if (t.unit == last_ && reads) written = t.out.end;
      if (t.oldest.back() != INT64_MAX)
        out_.lead = std::max(out_.lead, written * row_bytes(exit_) - t.oldest.back() * row_bytes(entry_));
      if (t.unit == last_) written = t.out.end;
    }
  }

  const std::vector<Unit>& units_;
  const std::int64_t most_;
  const Value &entry_, &exit_;
  const std::size_t last_;
  std::vector<std::int64_t> rows_;  // of each unit's whole result
  std::vector<std::int64_t> ends_;  // of these, that are there
  std::vector<Turn> turns_;
  Stripes out_;
};

}  // namespace

std::optional<Stripes> cut_into_stripes(const Region& region, const Patch& patch) {
  return Cutter(region, patch).run();
}

}  // namespace byoc::layers
