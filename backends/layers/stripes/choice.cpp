#include "backends/layers/stripes/choice.hpp"

#include <algorithm>

namespace byoc::layers {
namespace {

using codegen::Region;
using codegen::Step;
using codegen::ValueId;

// Estimated instructions: of a call of a kernel, of a byte that is moved or laid out again.
constexpr double kPerCall = 300, kPerByte = 0.5;

// The steps in which a value is in memory.
struct Life {
  std::uint64_t bytes = 0;
  std::size_t first = SIZE_MAX, last = 0;  // first: of the step that computes it; SIZE_MAX: none does
  bool outside = false;                    // it comes into the region or leaves it

  [[nodiscard]] bool made_in(std::size_t from, std::size_t to) const { return first >= from && first < to; }
  [[nodiscard]] bool counts() const { return !outside && first != SIZE_MAX; }
};

// A way from the border before step `from` to that before step `to`: a step as it is, or a patch.
struct Edge {
  std::size_t from = 0, to = 0;
  std::uint64_t live = 0;  // bytes, at most
  double cost = 0;
  std::int64_t rows = 0;  // 0: no patch
};

class PatchChoice {
 public:
  PatchChoice(const Region& region, const Recorder& whole, const OperatorTraits& traits, const PartWorkspace& parts,
              std::uint64_t budget)
      : region_(region), steps_(whole.steps), sizes_(parts), budget_(budget) {
    find_lives(whole);
    for (const Step& s : steps_) units_.push_back(read_unit(region, s, traits));
  }

  std::vector<Patch> run() {
    const std::size_t n = steps_.size();
    for (std::size_t s = 0; s < n; ++s) edges_.push_back({s, s + 1, live_at(s), 0, 0});
    const auto most = [&](std::size_t from, std::size_t to) {
      std::uint64_t live = 0;
      for (std::size_t s = from; s < to; ++s) live = std::max(live, edges_[s].live);
      return live;
    };
    if (most(0, n) <= budget_) return {};
    for (std::size_t from = 0; from < n; ++from)
      for (std::size_t to = from + 2; to <= std::min(n, from + kMostUnits) && units_[to - 1]; ++to) {
        if (!units_[from]) break;
        add_patches(from, to, most(from, to));
      }
    return patches(path(std::max(budget_, smallest_peak())));
  }

 private:
  [[nodiscard]] ValueId root(ValueId v) const {
    for (auto at = aliases_.find(v); at != aliases_.end(); at = aliases_.find(v)) v = at->second;
    return v;
  }

  void find_lives(const Recorder& whole) {
    aliases_.insert(whole.aliases.begin(), whole.aliases.end());
    lives_.resize(region_.values.size() + whole.private_values.size());
    for (ValueId v = 0; v < region_.values.size(); ++v) lives_[v].bytes = region_.values[v].bytes();
    for (std::size_t p = 0; p < whole.private_values.size(); ++p)
      lives_[region_.values.size() + p].bytes = whole.private_values[p].bytes;
    for (std::size_t s = 0; s < steps_.size(); ++s) {
      for (const codegen::Operand& o : steps_[s].outputs) {
        Life& life = lives_[place(o)];
        life.first = std::min(life.first, s);
        life.last = std::max(life.last, s);
      }
      for (const codegen::Operand& o : steps_[s].inputs) lives_[place(o)].last = s;
    }
    for (const auto* list : {&region_.inputs, &region_.outputs})
      for (const ValueId v : *list) lives_[root(v)].outside = true;
    for (std::size_t i = 0; i < lives_.size(); ++i)
      if (lives_[i].first != SIZE_MAX) made_.push_back(i);
  }

  // Among lives_.
  [[nodiscard]] std::size_t place(const codegen::Operand& o) const {
    return o.value == codegen::kNoValue ? region_.values.size() + o.private_value : root(o.value);
  }

  // Bytes that are in use while step `s` runs.
  [[nodiscard]] std::uint64_t live_at(std::size_t s) const {
    std::uint64_t live = 0;
    for (const std::size_t i : made_)
      if (const Life& l = lives_[i]; l.counts() && l.first <= s && s <= l.last) live += l.bytes;
    for (const codegen::Workspace& w : steps_[s].workspaces) live += w.bytes;
    for (const codegen::Overlay& o : steps_[s].overlays) {
      const Life &in = lives_[place(steps_[s].inputs[o.input])], &out = lives_[place(steps_[s].outputs[o.output])];
      if (!in.counts() || !out.counts() || in.last != s || out.first != s) continue;
      return live - saved(in, out, o.lead);
    }
    return live;
  }
  static std::uint64_t saved(const Life& in, const Life& out, std::uint64_t lead) {
    return in.bytes + out.bytes - std::min(in.bytes + out.bytes, std::max(lead + in.bytes, out.bytes));
  }

  // The steps [from, to) as one in stripes of some heights, where that takes less than `most`.
  void add_patches(std::size_t from, std::size_t to, std::uint64_t most) {
    auto patch = make_patch(from, to);
    if (!patch) return;
    const Life &in = lives_[root(patch->entry)], &out = lives_[patch->exit()];
    std::uint64_t live = (in.counts() ? in.bytes : 0) + (out.counts() ? out.bytes : 0);
    for (const std::size_t i : made_) {
      const Life& l = lives_[i];
      if (&l == &in || &l == &out) continue;
      if (l.made_in(from, to) && (l.last >= to || l.outside)) return;
      if (l.counts() && l.first < from && l.last >= from) live += l.bytes;
    }
    const bool may_overlay = in.counts() && out.counts() && in.last < to;
    std::int64_t rows = 0;
    for (const Unit& u : patch->units) rows = std::max(rows, rows_of(region_.values[u.output]));
    for (patch->rows = 1; patch->rows < rows; patch->rows *= 2)
      add_patch(*patch, {from, to, live, 0, patch->rows}, may_overlay, most);
  }

  // Null: these steps read several values of others, or one under another name.
  [[nodiscard]] std::optional<Patch> make_patch(std::size_t from, std::size_t to) const {
    Patch patch;
    for (std::size_t s = from; s < to; ++s) {
      for (const ValueId v : units_[s]->inputs) {
        const bool inside =
            std::any_of(patch.units.begin(), patch.units.end(), [&](const Unit& u) { return u.output == v; });
        if (inside || patch.entry == v) continue;
        if (patch.entry != codegen::kNoValue || lives_[root(v)].made_in(from, to)) return std::nullopt;
        patch.entry = v;
      }
      patch.units.push_back(*units_[s]);
    }
    return patch;
  }

  // `edge.live`: of all values but those inside.
  void add_patch(const Patch& patch, Edge edge, bool may_overlay, std::uint64_t most) {
    const Life &in = lives_[root(patch.entry)], &out = lives_[patch.exit()];
    if (edge.live - (may_overlay ? saved(in, out, 0) : 0) >= most) return;
    const auto stripes = cut_into_stripes(region_, patch);
    if (!stripes) return;
    if (may_overlay) edge.live -= saved(in, out, lead_of(*stripes));
    // First without workspaces, which are known only after lowering.
    if (edge.live + lay_out(region_, patch, *stripes, nullptr)->bytes >= most) return;
    const auto arena = lay_out(region_, patch, *stripes, &sizes_);
    if (!arena || edge.live + arena->bytes >= most) return;
    edge.live += arena->bytes;
    edge.cost = cost(patch, *stripes);
    edges_.push_back(edge);
  }

  [[nodiscard]] double cost(const Patch& patch, const Stripes& stripes) const {
    double out = 0;
    for (const auto& stripe : stripes.calls)
      for (const UnitCall& c : stripe) {
        const Unit& u = patch.units[c.unit];
        const std::int64_t again = std::max<std::int64_t>(u.window.reach - u.window.stride, 0);
        const std::int64_t moved = c.keep.rows * row_bytes(region_.values[u.output]);
        out += kPerCall + kPerByte * static_cast<double>(moved + again * row_bytes(region_.values[u.inputs[0]]));
      }
    return out;
  }

  // The smallest largest live set that any way from the first to the last step has.
  [[nodiscard]] std::uint64_t smallest_peak() const {
    std::vector<std::uint64_t> peak(steps_.size() + 1, UINT64_MAX);
    peak[0] = 0;
    for (const Edge* e : in_order()) peak[e->to] = std::min(peak[e->to], std::max(peak[e->from], e->live));
    return peak.back();
  }

  // The cheapest way whose live sets are at most `most`.
  [[nodiscard]] std::vector<const Edge*> path(std::uint64_t most) const {
    std::vector<double> cost(steps_.size() + 1, -1);
    std::vector<const Edge*> last(steps_.size() + 1, nullptr);
    cost[0] = 0;
    for (const Edge* e : in_order()) {
      if (e->live > most || cost[e->from] < 0) continue;
      const double sum = cost[e->from] + e->cost;
      if (cost[e->to] >= 0 && cost[e->to] <= sum) continue;
      cost[e->to] = sum;
      last[e->to] = e;
    }
    std::vector<const Edge*> out;
    for (std::size_t at = steps_.size(); at != 0; at = last[at]->from) out.push_back(last[at]);
    std::reverse(out.begin(), out.end());
    return out;
  }

  // So that all ways to a border are known before those that go on from it.
  [[nodiscard]] std::vector<const Edge*> in_order() const {
    std::vector<const Edge*> out;
    for (const Edge& e : edges_) out.push_back(&e);
    std::stable_sort(out.begin(), out.end(), [](const Edge* a, const Edge* b) { return a->from < b->from; });
    return out;
  }

  [[nodiscard]] std::vector<Patch> patches(const std::vector<const Edge*>& path) const {
    std::vector<Patch> out;
    for (const Edge* e : path) {
      if (e->rows == 0) continue;
      out.push_back(*make_patch(e->from, e->to));
      out.back().rows = e->rows;
    }
    return out;
  }

  const Region& region_;
  const std::vector<Step>& steps_;
  PartSizes sizes_;
  const std::uint64_t budget_;
  std::map<ValueId, ValueId> aliases_;
  std::vector<Life> lives_;        // of the region's values, then of private ones
  std::vector<std::size_t> made_;  // those that a step computes
  std::vector<std::optional<Unit>> units_;
  std::vector<Edge> edges_;
};

}  // namespace

std::vector<Patch> choose_patches(const Region& region, const Recorder& whole, const OperatorTraits& traits,
                                  const PartWorkspace& parts, std::uint64_t budget) {
  return PatchChoice(region, whole, traits, parts, budget).run();
}

}  // namespace byoc::layers
