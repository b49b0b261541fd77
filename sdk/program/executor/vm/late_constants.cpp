#include "sdk/program/executor/vm/late_constants.hpp"

#include <cstring>

#include "sdk/base/support/identity.hpp"
#include "sdk/program/bytecode/file.hpp"

namespace byoc::executor {
namespace {

constexpr std::uint32_t kAlign = 16;  // of the largest elements

}  // namespace

BoundConstants detach_constants(bytecode::Module& module, std::uint64_t least) {
  BoundConstants out;
  out.align = kAlign;
  for (std::size_t i = 0; i < module.constants.size(); ++i) {
    bytecode::Constant& c = module.constants[i];
    const ir::TensorType& type = module.type(c.type);
    if (!type.is_static() || c.bytes.size() == 0 || c.bytes.size() < least) continue;
    const std::uint64_t at = (out.bytes + kAlign - 1) / kAlign * kAlign;
    out.bytes = at + c.bytes.size();
    out.constants.push_back({"constant_" + std::to_string(i), at, kAlign, type.dtype, true, std::move(c.bytes)});
    c.bytes = {};
    c.late = at;
  }
  if (out.constants.empty()) return out;
  const Identity identity = identify(bytecode::write(module));
  std::memcpy(module.layout.data(), &identity.high, sizeof identity.high);
  std::memcpy(module.layout.data() + sizeof identity.high, &identity.low, sizeof identity.low);
  out.layout = module.layout;
  return out;
}

}  // namespace byoc::executor
