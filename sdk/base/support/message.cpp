#include "sdk/base/support/message.hpp"

namespace byoc {

void MessageWriter::put(const Diagnostic& d) {
  put<std::uint32_t>(static_cast<std::uint32_t>(d.level));
  for (const std::string* field : {&d.file, &d.node, &d.message, &d.found, &d.expected, &d.codegen}) put(*field);
}

Diagnostic MessageReader::diagnostic() {
  Diagnostic d;
  const auto level = get<std::uint32_t>();
  if (level > static_cast<std::uint32_t>(Level::error)) fail();
  d.level = ok_ ? static_cast<Level>(level) : Level::note;
  for (std::string* field : {&d.file, &d.node, &d.message, &d.found, &d.expected, &d.codegen}) *field = text();
  return d;
}

}  // namespace byoc
