// Values in a message between this process and a worker. The reader trusts nothing: what does not fit is told by ok()
// and reads as zero or empty. Both sides are the same program, so numbers are as they are in memory.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "sdk/base/support/diagnostics.hpp"

namespace byoc {

class MessageWriter {
 public:
  template <class T>
    requires(std::is_arithmetic_v<T> || std::is_enum_v<T>)
  void put(T value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void put(std::string_view text) {
    put<std::uint64_t>(text.size());
    bytes_ += text;
  }
  void put(const std::string& text) { put(std::string_view(text)); }
  void put(const char* text) { put(std::string_view(text)); }
  // Bytes as they are, for whoever reads on.
  void append(std::string_view bytes) { bytes_ += bytes; }
  void put(const Diagnostic& d);
  void put(const Diagnostics& diags) { list(diags.all()); }
  // Anything there is a put() for, one after the other.
  template <class List>
  void list(const List& items) {
    put<std::uint64_t>(items.size());
    for (const auto& item : items) put(item);
  }
  template <class List, class Each>
  void list(const List& items, const Each& each) {
    put<std::uint64_t>(items.size());
    for (const auto& item : items) each(item);
  }
  void put(const std::map<std::string, std::string>& texts) {
    list(texts, [this](const auto& entry) {
      put(entry.first);
      put(entry.second);
    });
  }
  [[nodiscard]] std::string_view bytes() const { return bytes_; }
  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class MessageReader {
 public:
  // `bytes` must outlive it and the texts it gives.
  explicit MessageReader(std::string_view bytes) : rest_(bytes) {}

  template <class T>
    requires std::is_arithmetic_v<T>
  [[nodiscard]] T get() {
    T value{};
    if (rest_.size() < sizeof value) return fail(), value;
    rest_.copy(reinterpret_cast<char*>(&value), sizeof value);
    rest_.remove_prefix(sizeof value);
    return value;
  }
  [[nodiscard]] bool flag() { return get<std::uint8_t>() != 0; }
  // An enumerator up to `last`.
  template <class E>
  [[nodiscard]] E choice(E last) {
    using Number = std::make_unsigned_t<std::underlying_type_t<E>>;
    const auto value = get<Number>();
    if (value > static_cast<Number>(last)) return fail(), E{};
    return static_cast<E>(value);
  }
  [[nodiscard]] std::string_view view() {
    const auto size = get<std::uint64_t>();
    if (rest_.size() < size) return fail(), std::string_view();
    const std::string_view out = rest_.substr(0, static_cast<std::size_t>(size));
    rest_.remove_prefix(out.size());
    return out;
  }
  [[nodiscard]] std::string text() { return std::string(view()); }
  [[nodiscard]] std::vector<std::byte> blob() {
    const std::string_view v = view();
    const auto* p = reinterpret_cast<const std::byte*>(v.data());
    return {p, p + v.size()};
  }
  // Reads a count and that many items, each with `each`; a bad item ends the list.
  template <class Each>
  [[nodiscard]] auto list(const Each& each) {
    std::vector<std::decay_t<decltype(each())>> out;
    for (auto n = get<std::uint64_t>(); n > 0 && ok_; --n)
      if (rest_.empty())
        fail();
      else
        out.push_back(each());
    return out;
  }
  template <class T>
  [[nodiscard]] std::vector<T> numbers() {
    return list([this] { return get<T>(); });
  }
  [[nodiscard]] std::vector<std::string> texts() {
    return list([this] { return text(); });
  }
  [[nodiscard]] std::map<std::string, std::string> text_map() {
    std::map<std::string, std::string> out;
    for (auto n = get<std::uint64_t>(); n > 0 && ok_; --n) {
      std::string key = text();
      out[std::move(key)] = text();
    }
    return out;
  }
  [[nodiscard]] Diagnostic diagnostic();
  // Read to the end, and everything was there.
  [[nodiscard]] bool ended() const { return ok_ && rest_.empty(); }
  [[nodiscard]] bool ok() const { return ok_; }
  void fail() {
    ok_ = false;
    rest_ = {};
  }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace byoc
