// Constants that are not in the bytecode, but in a file of their own.
#include <algorithm>

#include "sdk/program/bytecode/module.hpp"

namespace byoc::bytecode {

bool Module::binds_constants() const {
  return std::any_of(constants.begin(), constants.end(), [](const Constant& c) { return c.late.has_value(); });
}

bool Module::lacks_constants() const {
  return std::any_of(constants.begin(), constants.end(),
                     [&](const Constant& c) { return c.late && c.bytes.size() != type(c.type).bytes(); });
}

Result<void> bind_constants(Module& module, const Blob& payload, const std::string& file, Diagnostics& diags) {
  for (Constant& c : module.constants) {
    if (!c.late) continue;
    const std::uint64_t bytes = module.type(c.type).bytes();
    if (*c.late > payload.size() || bytes > payload.size() - *c.late)
      return diags.error(file, {}, "is too short for the constants of this bytecode",
                         std::to_string(payload.size()) + " bytes",
                         std::to_string(bytes) + " at " + std::to_string(*c.late));
    c.bytes = payload.slice(*c.late, bytes);
  }
  return {};
}

}  // namespace byoc::bytecode
