#include "sdk/program/executor/aot/bind.hpp"

#include <array>
#include <cstdio>

#include "sdk/base/support/crc32.hpp"
#include "sdk/program/executor/aot/fields.hpp"
#include "sdk/program/executor/template.hpp"

namespace byoc::executor {
namespace {

// The CRC-32 of each byte, eight in a line.
std::string crc_table() {
  std::string out;
  for (std::uint32_t i = 0; i < 256; ++i) {
    // A sum begins and ends with all bits turned, which the table has none of.
    const std::array byte{static_cast<std::byte>(i ^ 0xffU)};
    const std::uint32_t sum = ~crc32(byte) ^ 0x00ffffffU;
    std::array<char, 16> text;
    std::snprintf(text.data(), text.size(), "0x%08xU", sum);
    out += std::string(i % 8 == 0 ? "    " : " ") + text.data() + (i == 255 ? "" : ",") + (i % 8 == 7 ? "\n" : "");
  }
  return out;
}

Fields bind_fields(const PrintRequest& request) {
  Fields f = fields_of(request);
  f["BOUND_BYTES"] = number(request.bound->bytes);
  f["BOUND_ALIGN"] = number(request.bound->align);
  std::string& layout = f["LAYOUT"];
  for (const std::uint8_t byte : request.bound->layout) layout += (layout.empty() ? "" : ", ") + number(byte);
  return f;
}

}  // namespace

std::string bind_header_text(const PrintRequest& request) {
  return request.bound == nullptr ? "" : fill_template("bind.h.in", bind_fields(request));
}

std::string bind_text(const PrintRequest& request) {
  Fields f = bind_fields(request);
  f["CRC_TABLE"] = crc_table();
  return fill_template("bind.c.in", f);
}

std::string check_bound(const PrintRequest& request) {
  if (request.bound == nullptr) return {};
  return "  if (" + request.model.prefix + "_weights_base == NULL) return BYOC_WEIGHTS_UNBOUND;\n";
}

}  // namespace byoc::executor
