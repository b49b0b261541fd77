#include "sdk/target/target/chips.hpp"

#include <algorithm>
#include <cassert>
#include <cctype>

#include "sdk/target/target/target.hpp"

namespace byoc {
namespace {

constexpr std::uint64_t kKiB = 1024;

std::vector<Chip> read_chips() {
  std::vector<Chip> out;
#define BYOC_CHIP(name, target, flash, ram, mhz) out.push_back({name, "", target, flash * kKiB, ram * kKiB, mhz});
#define BYOC_BOARD(board, of, more)                                                                     \
  {                                                                                                     \
    Chip on = *std::ranges::find(out, std::string_view(of), &Chip::name);                               \
    out.push_back({board, on.name, on.target, (more) == 0 ? on.flash : (more) * kKiB, on.ram, on.mhz}); \
  }
#include "sdk/target/target/chips.inc"
#undef BYOC_CHIP
#undef BYOC_BOARD
  return out;
}

}  // namespace

const std::vector<Chip>& chips() {
  static const std::vector<Chip> all = read_chips();
  return all;
}

const Chip* find_chip(std::string_view name) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  constexpr std::size_t kMostBehind = 6;  // letters for the package, the temperature, the packing
  const auto is_part = [&](const Chip& c) {
    if (lower == c.name) return true;
    return c.chip.empty() && lower.starts_with(c.name) && lower.size() - c.name.size() <= kMostBehind &&
           std::all_of(lower.begin() + static_cast<std::ptrdiff_t>(c.name.size()), lower.end(),
                       [](unsigned char ch) { return std::isalnum(ch) != 0; });
  };
  const Chip* best = nullptr;
  for (const Chip& c : chips())
    if (is_part(c) && (best == nullptr || c.name.size() > best->name.size())) best = &c;
  return best;
}

TargetSpec chip_target(const Chip& chip) {
  const auto known = std::ranges::find(known_targets(), chip.target, &TargetSpec::name);
  assert(known != known_targets().end() && "a chip's core has no target");
  TargetSpec out = *known;
  out.name = chip.name;
  out.pools = {{"ram", PoolKind::ram, chip.ram, {}, {}}, {"flash", PoolKind::flash, chip.flash, {}, {}}};
  return out;
}

}  // namespace byoc
