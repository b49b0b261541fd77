#include "sdk/library/pack/tar.hpp"

#include <array>
#include <cstdio>
#include <cstring>
#include <span>

#include "sdk/base/support/file.hpp"
#include "sdk/library/object/blob_stream.hpp"

namespace byoc {
namespace {

constexpr std::uint64_t kBlock = 512;
constexpr std::uint64_t kRecord = 20 * kBlock;    // archives end at a multiple of it
constexpr std::uint64_t kLargest = 077777777777;  // eleven octal digits
constexpr std::size_t kLongestName = 100;

// IEEE Std 1003.1, pax, "ustar Interchange Format": numbers are octal text, ended by NUL.
struct Header {
  std::array<char, 100> name;
  std::array<char, 8> mode, owner, group;
  std::array<char, 12> size, time;
  std::array<char, 8> checksum;
  char type;
  std::array<char, 100> link;
  std::array<char, 6> magic;
  std::array<char, 2> version;
  std::array<char, 32> owner_name, group_name;
  std::array<char, 8> device_major, device_minor;
  std::array<char, 155> prefix;
  std::array<char, 12> unused;
};
static_assert(sizeof(Header) == kBlock);

template <std::size_t N>
void put_octal(std::array<char, N>& field, std::uint64_t value) {
  for (std::size_t i = N - 1; i-- > 0; value >>= 3) field[i] = static_cast<char>('0' + (value & 7));
}
template <std::size_t N>
void put_text(std::array<char, N>& field, std::string_view text) {
  std::memcpy(field.data(), text.data(), std::min(text.size(), N));
}

// "27 path=./a/very/long/name\n", whose number counts the whole record.
std::string pax_record(const std::string& key, const std::string& value) {
  const std::string rest = " " + key + "=" + value + "\n";
  std::size_t size = rest.size() + 1;
  while (std::to_string(size).size() + rest.size() != size) ++size;
  return std::to_string(size) + rest;
}

}  // namespace

bool TarWriter::put_block(const std::string& path, std::uint64_t size, char type) {
  Header h;
  std::memset(&h, 0, sizeof h);
  put_text(h.name, path);
  put_octal(h.mode, type == '5' ? 0755 : 0644);
  put_octal(h.owner, 0);
  put_octal(h.group, 0);
  put_octal(h.size, std::min(size, kLargest));
  put_octal(h.time, std::min(time_, kLargest));
  h.type = type;
  put_text(h.magic, "ustar");
  put_text(h.version, "00");
  put_text(h.owner_name, "root");
  put_text(h.group_name, "root");
  put_octal(h.device_major, 0);
  put_octal(h.device_minor, 0);
  // The sum of all bytes, with spaces in its own field: six digits, NUL, space.
  h.checksum.fill(' ');
  unsigned sum = 0;
  for (const unsigned char c : std::span(reinterpret_cast<const unsigned char*>(&h), sizeof h)) sum += c;
  std::snprintf(h.checksum.data(), h.checksum.size(), "%06o", sum);
  written_ += kBlock;
  return write_all(fd_, std::as_bytes(std::span(&h, 1)));
}

bool TarWriter::put_pax(const std::string& path, std::uint64_t size) {
  std::string records;
  if (path.size() > kLongestName) records += pax_record("path", path);
  if (size > kLargest) records += pax_record("size", std::to_string(size));
  if (records.empty()) return true;
  written_ += records.size();
  return put_block("./PaxHeader", records.size(), 'x') && write_all(fd_, std::as_bytes(std::span(records))) &&
         pad(records.size());
}

bool TarWriter::put_header(const std::string& path, std::uint64_t size, char type) {
  return put_pax(path, size) && put_block(path, size, type);
}

bool TarWriter::pad(std::uint64_t size) {
  const std::uint64_t rest = (kBlock - size % kBlock) % kBlock;
  written_ += rest;
  return write_zeros(fd_, rest);
}

bool TarWriter::add_folder(const std::string& path) { return put_header(path + "/", 0, '5'); }

bool TarWriter::add_text(const std::string& path, std::string_view text) {
  return add(path, text.size(), [text](int fd) { return write_all(fd, std::as_bytes(std::span(text))); });
}

bool TarWriter::add(const std::string& path, std::uint64_t size, const std::function<bool(int fd)>& write) {
  written_ += size;
  return put_header(path, size, '0') && write(fd_) && pad(size);
}

bool TarWriter::finish() {
  const std::uint64_t end = written_ + 2 * kBlock;
  return write_zeros(fd_, 2 * kBlock + (kRecord - end % kRecord) % kRecord);
}

}  // namespace byoc
