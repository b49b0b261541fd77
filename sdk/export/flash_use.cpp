#include "sdk/export/flash_use.hpp"

#include <algorithm>
#include <utility>

namespace byoc {
namespace {

std::uint64_t aligned(std::uint64_t n, std::uint64_t to) { return (n + to - 1) / std::max<std::uint64_t>(to, 1) * to; }

// The pool of a section of constants: the first one is .rodata's.
std::string pool_of(const std::string& section, const TargetSpec& target) {
  std::string first;
  for (const MemoryPool& p : target.pools) {
    if (p.kind != PoolKind::flash) continue;
    if (first.empty()) first = p.name;
    if (!p.section.empty() && section.starts_with(p.section)) return p.name;
  }
  return first;
}

// One entry for unwinding is made of those of functions that nothing unwinds, in all of a program.
bool is_left_out(const ObjectSection& s) { return s.name.starts_with(".ARM.exidx"); }

}  // namespace

Result<FlashNeed> flash_need(const Package& package, Diagnostics& diags) {
  FlashNeed out;
  std::uint64_t text = 0;                     // where .text ends
  std::map<std::string, std::uint64_t> ends;  // where constants end, by pool: in the first one with tables of the code
  const auto grow = [](std::uint64_t& end, std::uint64_t align, std::uint64_t size) {
    const std::uint64_t before = std::exchange(end, aligned(end, align) + size);
    return end - before;
  };
  for (const LibraryMember& m : package.members) {
    if (package.tree.modules[m.module].for_loaders) continue;
    if (m.facts)
      for (const ObjectSection& s : m.facts->sections)
        if (s.allocated && !s.zeroed && !is_left_out(s))
          out.code += grow(s.executable ? text : ends[pool_of(".rodata", package.target)], s.align, s.size);
    if (m.constants.empty()) continue;
    const auto constants = constants_of(m, package.target, diags);
    if (!constants) return failure;
    for (const ConstantObject::Content& c : constants->contents()) {
      const std::string pool = pool_of(c.section, package.target);
      out.constants[pool] += grow(ends[pool], c.align, c.bytes.size());
    }
  }
  return out;
}

LibraryFlash total_of(const FlashNeed& need) {
  LibraryFlash out{need.code, 0};
  for (const auto& [pool, bytes] : need.constants) out.constants += bytes;
  return out;
}

Result<void> check_flash(const LibraryFlash& use, std::uint64_t most, const std::string& message,
                         const std::string& file, Diagnostics& diags) {
  const std::uint64_t found = use.total();
  if (most == 0 || found <= most) return {};
  return diags.error(file, {}, message,
                     std::to_string(found) + " bytes, code " + std::to_string(use.code) + ", constants " +
                         std::to_string(use.constants),
                     "at most " + std::to_string(most) + " bytes, " + std::to_string(found - most) + " fewer");
}

bool bounds_flash(const TargetSpec& target) {
  return std::any_of(target.pools.begin(), target.pools.end(),
                     [](const MemoryPool& p) { return p.kind == PoolKind::flash && p.size != 0; });
}

Result<void> check_flash(const FlashNeed& need, const TargetSpec& target, const std::string& file, Diagnostics& diags) {
  const std::size_t before = diags.count();
  bool is_first = true;
  for (const MemoryPool& p : target.pools) {
    if (p.kind != PoolKind::flash) continue;
    const auto found = need.constants.find(p.name);
    const LibraryFlash use{is_first ? need.code : 0, found == need.constants.end() ? 0 : found->second};
    (void)bool(check_flash(use, p.size,
                           "the library does not fit into memory pool '" + p.name + "' of target '" + target.name + "'",
                           file, diags));
    is_first = false;
  }
  return diags.count() == before ? Result<void>() : failure;
}

}  // namespace byoc
