#include "backends/layers/kernel_choice.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <string>

namespace byoc::layers {
namespace {

using Choice = std::vector<std::size_t>;

// All sets of kernels are tried as long as there are no more of them than this; beyond, each wherever it
// can be taken, and one left out at a time.
constexpr std::size_t kMostKernels = 10;

std::string code_of(const KernelOption& o) { return o.kernel + o.suffix; }

struct Total {
  double time = 0, flash = 0;
};

Total total_of(const std::vector<LayerOptions>& layers, const Choice& choice) {
  Total out;
  std::set<std::string> code;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const KernelOption& o = layers[i].options[choice[i]];
    out.time += o.time();
    out.flash += static_cast<double>(o.constants);
    if (code.insert(code_of(o)).second) out.flash += static_cast<double>(o.code_bytes);
  }
  return out;
}

// Layers that share a kernel in one of their options, directly or through others: the others do not depend on them.
std::vector<std::vector<std::size_t>> groups_of(const std::vector<LayerOptions>& layers) {
  std::map<std::string, std::size_t> group_of_kernel;
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    groups.push_back({i});
    const std::size_t own = groups.size() - 1;
    for (const KernelOption& o : layers[i].options) {
      const auto [known, is_new] = group_of_kernel.try_emplace(code_of(o), own);
      const std::size_t other = known->second;
      if (is_new || other == own) continue;
      groups[own].insert(groups[own].end(), groups[other].begin(), groups[other].end());
      groups[other].clear();
      for (auto& [kernel, group] : group_of_kernel)
        if (group == other) group = own;
    }
  }
  return groups;
}

// The least of time + price * flash, where a byte of flash has a price in cycles or instructions.
class Pricing {
 public:
  Pricing(const std::vector<LayerOptions>& layers, double price) : layers_(layers), price_(price) {}

  Choice run() {
    Choice out(layers_.size());
    for (const auto& group : groups_of(layers_)) choose_group(group, out);
    return out;
  }

 private:
  // An option's own part.
  [[nodiscard]] double cost(const KernelOption& o) const {
    return o.time() + price_ * static_cast<double>(o.constants);
  }

  // The cost of the group with these kernels alone, and the option that each of its layers takes; infinity if a layer
  // has none.
  double with(const std::vector<std::size_t>& group, const std::map<std::string, double>& kernels, Choice& out) const {
    double sum = 0;
    std::set<std::string> taken;
    for (const std::size_t i : group) {
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t k = 0; k < layers_[i].options.size(); ++k) {
        const KernelOption& o = layers_[i].options[k];
        if (!kernels.contains(code_of(o)) || cost(o) >= least) continue;
        least = cost(o);
        out[i] = k;
      }
      if (std::isinf(least)) return least;
      sum += least;
      taken.insert(code_of(layers_[i].options[out[i]]));
    }
    for (const std::string& k : taken) sum += kernels.at(k);
    return sum;
  }

  void choose_group(const std::vector<std::size_t>& group, Choice& out) const {
    std::map<std::string, double> all;
    for (const std::size_t i : group)
      for (const KernelOption& o : layers_[i].options) all[code_of(o)] = price_ * static_cast<double>(o.code_bytes);
    if (group.empty()) return;
    double least = with(group, all, out);
    Choice tried = out;
    const auto take_better = [&](const std::map<std::string, double>& kernels) {
      const double found = with(group, kernels, tried);
      if (found >= least) return false;
      least = found;
      for (const std::size_t i : group) out[i] = tried[i];
      return true;
    };
    if (all.size() <= kMostKernels) {
      for (std::size_t set = 1; set < std::size_t{1} << all.size(); ++set) {
        std::map<std::string, double> some;
        std::size_t bit = 0;
        for (const auto& kernel : all)
          if ((set >> bit++ & 1) != 0) some.insert(kernel);
        take_better(some);
      }
      return;
    }
    // Each kernel wherever it can be taken, then one left out at a time.
    std::map<std::string, double> best = all;
    for (const auto& kernel : all) {
      std::map<std::string, double> some{kernel};
      for (const std::size_t i : group) {
        const std::vector<KernelOption>& options = layers_[i].options;
        if (std::none_of(options.begin(), options.end(), [&](const auto& o) { return code_of(o) == kernel.first; }))
          for (const KernelOption& o : options) some.insert(*all.find(code_of(o)));
      }
      if (take_better(some)) best = std::move(some);
    }
    for (bool better = true; better;) {
      better = false;
      for (const auto& kernel : std::map(best)) {
        std::map<std::string, double> some = best;
        some.erase(kernel.first);
        if (!take_better(some)) continue;
        best = std::move(some);
        better = true;
      }
    }
  }

  const std::vector<LayerOptions>& layers_;
  double price_;
};

// So little that it decides between options of the same speed alone.
constexpr double kLeastPrice = 1e-6;

Choice choose_speed(const std::vector<LayerOptions>& layers) { return Pricing(layers, kLeastPrice).run(); }

// Tries prices from the highest downwards: the flash grows and the time shrinks.
Choice choose_size(const std::vector<LayerOptions>& layers) {
  const Choice fast = choose_speed(layers);
  const double most = kMostTimesOfSpeed * total_of(layers, fast).time;
  for (double price = 1e9; price > kLeastPrice; price /= 1.5) {
    Choice choice = Pricing(layers, price).run();
    if (total_of(layers, choice).time <= most) return choice;
  }
  return fast;
}

// At the minimum of T * T * T * F, dT = -T / (3 F) * dF: that is the price of a byte. Each step makes the product
// smaller.
Choice choose_balanced(const std::vector<LayerOptions>& layers) {
  const auto product = [](const Total& t) { return std::pow(t.time, 3) * t.flash; };
  Choice best = choose_speed(layers);
  for (;;) {
    const Total now = total_of(layers, best);
    if (now.flash <= 0) return best;
    Choice next = Pricing(layers, std::max(kLeastPrice, now.time / (3 * now.flash))).run();
    if (product(total_of(layers, next)) >= product(now)) return best;
    best = std::move(next);
  }
}

std::string whole(double x) { return std::to_string(std::llround(x)); }

}  // namespace

std::string remark_on(const LayerOptions& layer, std::size_t taken) {
  const KernelOption& o = layer.options[taken];
  std::string out = o.way.empty() ? "" : o.way + ": ";
  const char* separator = "";
  for (const auto& [name, count] : {std::pair("starts", o.work.starts),
                                    {"rows", o.work.rows},
                                    {"copied", o.work.copied},
                                    {"results", o.work.results},
                                    {"products", o.work.products}}) {
    if (count == 0) continue;
    out += separator + std::string(name) + " " + whole(count);
    separator = ", ";
  }
  for (std::size_t i = 0; i < layer.options.size(); ++i) {
    const KernelOption& other = layer.options[i];
    if (i != taken)
      out += "; " + other.kernel + ": " + whole(other.instructions) + " instructions, " +
             (other.cycles > 0 ? whole(other.cycles) + " cycles, " : "") + std::to_string(other.constants) +
             " bytes of constants, " + std::to_string(other.code_bytes) + " of code";
  }
  return out;
}

Choice choose_kernels(std::vector<LayerOptions> layers, Objective objective, std::uint64_t budget) {
  // Indexes of the options that are left, of each layer.
  std::vector<std::vector<std::size_t>> kept(layers.size());
  for (std::size_t i = 0; i < layers.size(); ++i) {
    std::vector<KernelOption>& options = layers[i].options;
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    for (const KernelOption& o : options) least = std::min(least, o.workspace);
    const std::uint64_t room = budget > layers[i].operand_bytes ? budget - layers[i].operand_bytes : 0;
    std::vector<KernelOption> fitting;
    for (std::size_t k = 0; k < options.size(); ++k) {
      if (budget != 0 && options[k].workspace > std::max(least, room)) continue;
      kept[i].push_back(k);
      fitting.push_back(std::move(options[k]));
    }
    options = std::move(fitting);
  }
  Choice out = objective == Objective::speed  ? choose_speed(layers)
               : objective == Objective::size ? choose_size(layers)
                                              : choose_balanced(layers);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = kept[i][out[i]];
  return out;
}

}  // namespace byoc::layers
