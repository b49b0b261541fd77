#include "sdk/library/object/constant_source.hpp"

#include <algorithm>
#include <array>
#include <functional>

#include "sdk/library/object/blob_stream.hpp"

namespace byoc {
namespace {

using Place = ConstantObject::Place;
using Content = ConstantObject::Content;

std::string file_of(const std::string& folder, std::size_t content) {
  return folder + "/" + std::to_string(content) + ".bin";
}

// A compiler puts large contents into a section of their own by itself, and marks no other section as large.
std::string declaration(const Place& p, const Content& content, const std::string& alias) {
  std::string out = p.global ? "" : "static ";
  if (p.global && !alias.empty()) out = "extern ";
  out += "const unsigned char " + p.symbol + "[" + std::to_string(p.size) + "] __attribute__((";
  if (!p.global) out += "used, ";
  if (!alias.empty()) return out + "alias(\"" + alias + "\")))";
  if (!content.is_large()) out += "section(\"" + content.section + "\"), ";
  return out + "aligned(" + std::to_string(content.align) + ")))";
}

std::string arrays(const ConstantObject& constants, const std::function<void(std::string&, std::size_t)>& put) {
  std::string out;
  std::vector<std::string> first(constants.contents().size());
  for (const Place& p : constants.places()) {
    std::string& name = first[p.content];
    out += declaration(p, constants.contents()[p.content], name);
    if (name.empty()) {
      name = p.symbol;
      out += " = {\n";
      put(out, p.content);
      out += "}";
    }
    out += ";\n";
  }
  return out;
}

// Compilers may take the bytes of a file that begins with a byte order mark for text in that encoding, and refuse it.
// These are the first two bytes of the marks that Clang knows (llvm's ContentCache::getInvalidBOM).
bool begins_with_mark(const Blob& blob) {
  constexpr std::array<std::array<unsigned, 2>, 9> kMarks{{{0xfe, 0xff},
                                                           {0xff, 0xfe},
                                                           {0x00, 0x00},
                                                           {0x2b, 0x2f},
                                                           {0xf7, 0x64},
                                                           {0xdd, 0x73},
                                                           {0x0e, 0xfe},
                                                           {0xfb, 0xee},
                                                           {0x84, 0x31}}};
  std::array<std::byte, 8> bytes{};
  if (blob.size() < bytes.size() || !read_start(blob, bytes)) return true;  // a few numbers are as good
  std::array<unsigned, 4> first{};
  for (std::size_t i = 0; i < first.size(); ++i) first[i] = static_cast<unsigned>(bytes[i]);
  // Zeros are usual in weights, and only these two behind them make a mark.
  if (first[0] == 0 && first[1] == 0) return first[2] == 0xfe && first[3] == 0xff;
  return std::any_of(kMarks.begin(), kMarks.end(), [&](const auto& m) { return m[0] == first[0] && m[1] == first[1]; });
}

void put_numbers(std::string& out, const Blob& bytes) {
  static const std::array<std::string, 256> kNumbers = [] {
    std::array<std::string, 256> made;
    for (std::size_t i = 0; i < made.size(); ++i) made[i] = std::to_string(i) + ",";
    return made;
  }();
  out.reserve(out.size() + bytes.size() * 4);
  std::size_t column = 0;
  (void)read_pieces(bytes, [&](std::span<const std::byte> part) {
    for (const std::byte b : part) {
      out += kNumbers[static_cast<std::size_t>(b)];
      if (++column % 32 == 0) out += '\n';
    }
    return true;
  });
}

}  // namespace

std::string constants_as_c(const ConstantObject& constants) {
  return arrays(constants, [&](std::string& out, std::size_t i) { put_numbers(out, constants.contents()[i].bytes); });
}

std::string constants_as_embed(const ConstantObject& constants, const std::string& folder) {
  return arrays(constants, [&](std::string& out, std::size_t i) {
    if (const Blob& bytes = constants.contents()[i].bytes; begins_with_mark(bytes))
      put_numbers(out, bytes);
    else
      out += "#embed \"" + file_of(folder, i) + "\"\n";
  });
}

std::string constants_as_incbin(const ConstantObject& constants, const std::string& folder) {
  std::string out;
  const auto line = [&](const std::string& text) {
    out += "  \"";
    for (const char c : text) out += c == '"' ? std::string("\\\"") : std::string(1, c);
    out += "\\n\"\n";
  };
  for (std::size_t i = 0; i < constants.contents().size(); ++i) {
    const Content& content = constants.contents()[i];
    out += "__asm__(\n";
    // '%' and not '@', which begins a comment in assembly for Arm.
    line(".pushsection \"" + content.section + "\",\"" + (content.is_large() ? "al" : "a") + "\",%progbits");
    line(".balign " + std::to_string(content.align));
    for (const Place& p : constants.places()) {
      if (p.content != i) continue;
      if (p.global) line(".globl " + p.symbol);
      line(".type " + p.symbol + ", %object");
      line(".size " + p.symbol + ", " + std::to_string(p.size));
      line(p.symbol + ":");
    }
    line(".incbin \"" + file_of(folder, i) + "\"");
    line(".popsection");
    out += ");\n";
  }
  return out;
}

}  // namespace byoc
