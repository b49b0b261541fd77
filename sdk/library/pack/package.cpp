#include "sdk/library/pack/package.hpp"

#include <algorithm>

namespace byoc {

const LibraryMember* Package::root() const {
  const auto found =
      std::ranges::find_if(members, [](const LibraryMember& m) { return m.module == 0 && m.constants.empty(); });
  return found == members.end() ? nullptr : &*found;
}

const LibraryMember* Package::constants() const {
  const auto found = std::ranges::find_if(members, [](const LibraryMember& m) { return !m.constants.empty(); });
  return found == members.end() ? nullptr : &*found;
}

Result<ConstantObject> constants_of(const LibraryMember& member, const TargetSpec& target, Diagnostics& diags) {
  if (member.encoded != nullptr) return *member.encoded;
  return ConstantObject::create(target, member.constants, diags);
}

}  // namespace byoc
