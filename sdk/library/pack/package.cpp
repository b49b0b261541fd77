#include "sdk/library/pack/package.hpp"

namespace byoc {

Result<ConstantObject> constants_of(const LibraryMember& member, const TargetSpec& target, Diagnostics& diags) {
  if (member.encoded != nullptr) return *member.encoded;
  return ConstantObject::create(target, member.constants, diags);
}

}  // namespace byoc
