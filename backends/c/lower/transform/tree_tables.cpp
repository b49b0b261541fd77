#include "backends/c/lower/transform/tree_tables.hpp"

#include <algorithm>
#include <span>

#include "backends/c/lower/step/element_type.hpp"

namespace byoc::c {
namespace {

constexpr std::int32_t kNanIsTrue = 8;
constexpr std::int64_t kMostDeep = 64, kMostNodes = 1 << 14;

std::vector<std::int32_t> integers(const codegen::Value& v) {
  std::vector<std::int32_t> out(v.elements());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::int32_t>(real_element(v, i));
  return out;
}

std::vector<double> reals(const codegen::Value& v) {
  std::vector<double> out(v.elements());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = real_element(v, i);
  return out;
}

bool all_between(std::span<const std::int32_t> list, std::int64_t low, std::int64_t high) {
  return std::all_of(list.begin(), list.end(), [&](std::int32_t v) { return v >= low && v < high; });
}

// No node is below itself: nodes that no node is above go one after the other.
bool has_no_circle(const Trees& t) {
  std::vector<std::size_t> above(t.splits.size()), free;
  const auto each_child = [&](std::size_t n, const auto& f) {
    for (const std::size_t way : {2U, 3U})
      if (t.nodes[4 * n + way] >= 0) f(static_cast<std::size_t>(t.nodes[4 * n + way]));
  };
  for (std::size_t n = 0; n < above.size(); ++n) each_child(n, [&](std::size_t child) { ++above[child]; });
  for (std::size_t n = 0; n < above.size(); ++n)
    if (above[n] == 0) free.push_back(n);
  for (std::size_t done = 0; done < free.size(); ++done)
    each_child(free[done], [&](std::size_t child) {
      if (--above[child] == 0) free.push_back(child);
    });
  return free.size() == above.size();
}

bool fit_each_other(const Trees& t) {
  const std::int64_t nodes = std::ssize(t.splits), leaves = std::ssize(t.first) - 1, weights = std::ssize(t.weights);
  if (leaves < 0 || t.width < 1 || std::ssize(t.nodes) != 4 * nodes || std::ssize(t.targets) != weights) return false;
  for (std::size_t n = 0; n < t.splits.size(); ++n) {
    const std::span<const std::int32_t> node(&t.nodes[4 * n], 4);
    if (!all_between(node.first(1), 0, t.features) || !all_between(node.subspan(1, 1), 0, 16) ||
        !all_between(node.last(2), -leaves, nodes))
      return false;
  }
  return t.first.front() == 0 && t.first.back() == weights && std::is_sorted(t.first.begin(), t.first.end()) &&
         all_between(t.targets, 0, t.width) && all_between(t.roots, -leaves, nodes) && has_no_circle(t);
}

// The size of a tree as code, in which a shared node appears several times.
struct Written {
  std::int64_t nodes = 0, weights = 0;
  bool fits = true;
};

void count(const Trees& t, std::int32_t at, std::int64_t depth, Written& out) {
  if (at < 0) {
    const auto leaf = static_cast<std::size_t>(-1 - at);
    out.weights += t.first[leaf + 1] - t.first[leaf];
    return;
  }
  out.fits = out.fits && depth < kMostDeep && ++out.nodes < kMostNodes;
  if (!out.fits) return;
  const auto n = 4 * static_cast<std::size_t>(at);
  count(t, t.nodes[n + 2], depth + 1, out);
  count(t, t.nodes[n + 3], depth + 1, out);
}

// Writes the trees as C, one after the other.
class Writer {
 public:
  Writer(const Trees& trees, std::string name) : t_(trees), name_(std::move(name)) {}

  std::string function() {
    const std::string type(c_type(t_.dtype));
    text_ = "static void " + name_ + "(const " + type + "* x, " + type + "* y) {\n";
    const std::string largest = t_.dtype == DType::f32 ? "FLT_MAX" : "DBL_MAX";
    const std::string start = t_.aggregate == "min" ? largest : t_.aggregate == "max" ? "-" + largest : "0";
    // Sums of one target stay in a register, and so does the weight that most leaves have.
    one_ = t_.width == 1 && t_.one_weight_each();
    if (one_) text_ += "  " + type + " s = " + start + ", w;\n";
    if (t_.splits.empty()) text_ += "  (void)x;\n";  // leaves alone
    for (std::int64_t i = 0; !one_ && i < t_.width; ++i) text_ += "  y[" + std::to_string(i) + "] = " + start + ";\n";
    for (const std::int32_t root : t_.roots) {
      write(root, 1);
      if (one_) text_ += "  " + added("s", "w");
    }
    if (one_) text_ += "  y[0] = s;\n";
    if (t_.aggregate == "average")
      for (std::int64_t i = 0; i < t_.width; ++i)
        text_ += "  y[" + std::to_string(i) + "] /= (" + type + ")" + std::to_string(t_.roots.size()) + ";\n";
    return text_ + "}\n";
  }

 private:
  [[nodiscard]] std::string added(const std::string& sum, const std::string& weight) const {
    if (t_.aggregate == "min") return "if (" + weight + " < " + sum + ") " + sum + " = " + weight + ";\n";
    if (t_.aggregate == "max") return "if (" + weight + " > " + sum + ") " + sum + " = " + weight + ";\n";
    return sum + " += " + weight + ";\n";
  }

  [[nodiscard]] std::string condition(std::size_t n) const {
    static constexpr const char* kCompare[] = {" <= ", " < ", " >= ", " > ", " == ", " != "};
    const std::int32_t mode = t_.nodes[4 * n + 1];
    const std::string x = "x[" + std::to_string(t_.nodes[4 * n]) + "]";
    const std::string compared =
        x + kCompare[static_cast<std::size_t>(std::min(mode & 7, 5))] + c_literal(t_.dtype, t_.splits[n]);
    return (mode & kNanIsTrue) != 0 ? x + " != " + x + " || " + compared : compared;
  }

  void write(std::int32_t at, std::size_t depth) {
    const std::string indent(2 * std::min<std::size_t>(depth, 12), ' ');
    if (at < 0) {
      const auto leaf = static_cast<std::size_t>(-1 - at);
      for (auto e = static_cast<std::size_t>(t_.first[leaf]); e < static_cast<std::size_t>(t_.first[leaf + 1]); ++e) {
        const std::string weight = c_literal(t_.dtype, t_.weights[e]);
        text_ += indent + (one_ ? "w = " + weight + ";\n" : added("y[" + std::to_string(t_.targets[e]) + "]", weight));
      }
      return;
    }
    const auto n = static_cast<std::size_t>(at);
    text_ += indent + "if (" + condition(n) + ") {\n";
    write(t_.nodes[4 * n + 2], depth + 1);
    text_ += indent + "} else {\n";
    write(t_.nodes[4 * n + 3], depth + 1);
    text_ += indent + "}\n";
  }

  const Trees& t_;
  const std::string name_;
  std::string text_;
  bool one_ = false;
};

}  // namespace

bool Trees::small_indices() const {
  const auto most = std::max({splits.size(), first.size(), weights.size(), static_cast<std::size_t>(features)});
  return most <= 32768;
}

bool Trees::bytes() const { return features <= 256 && width <= 256; }

std::int32_t Trees::mode() const {
  for (std::size_t n = 1; n < splits.size(); ++n)
    if (nodes[4 * n + 1] != nodes[1]) return -1;
  return splits.empty() ? 0 : nodes[1];
}

bool Trees::one_weight_each() const {
  for (std::size_t leaf = 0; leaf < first.size(); ++leaf)
    if (first[leaf] != static_cast<std::int32_t>(leaf)) return false;
  return true;
}

std::uint64_t Trees::table_bytes() const {
  const std::uint64_t real = element_size(dtype), index = small_indices() ? 2 : 4, place = bytes() ? 1 : index;
  std::uint64_t out = splits.size() * (real + place + 2 * index + (mode() < 0 ? 1 : 0));
  out += roots.size() * index + weights.size() * real;
  if (width > 1) out += targets.size() * place;
  if (!one_weight_each()) out += first.size() * index;
  return out;
}

std::uint64_t Trees::code_bytes() const {
  Written w;
  for (const std::int32_t root : roots) count(*this, root, 0, w);
  if (!w.fits) return 0;
  // A comparison with a literal; a weight that is loaded, or added to a sum in memory.
  const std::uint64_t real = element_size(dtype), weight = (width == 1 && one_weight_each() ? 4 : 16) + real;
  return static_cast<std::uint64_t>(w.nodes) * (8 + real) + static_cast<std::uint64_t>(w.weights) * weight +
         8 * roots.size();
}

std::optional<Trees> trees_of(const codegen::Region& region, const codegen::Node& node) {
  const auto value = [&](std::size_t i) -> const codegen::Value& { return region.values[node.inputs[i]]; };
  Trees t;
  t.dtype = value(0).dtype;
  t.rows = value(0).dims[0];
  t.features = value(0).dims[1];
  t.width = node.integer("n_targets", 1);
  t.aggregate = node.text("aggregate", "sum");
  t.splits = reals(value(1));
  t.nodes = integers(value(2));
  t.roots = integers(value(3));
  t.first = integers(value(4));
  t.targets = integers(value(5));
  t.weights = reals(value(6));
  return fit_each_other(t) ? std::optional(std::move(t)) : std::nullopt;
}

std::string tree_code(const Trees& trees, const std::string& name) { return Writer(trees, name).function(); }

}  // namespace byoc::c
