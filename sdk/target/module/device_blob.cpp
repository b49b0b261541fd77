#include "sdk/target/module/device_blob.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

#include "sdk/base/support/little_endian.hpp"
#include "sdk/target/module/import_cycle.hpp"

namespace byoc {
namespace {

constexpr std::string_view kTree = "_import_tree";
constexpr std::size_t kLongestKey = 128;
constexpr std::uint64_t kMostEntries = 1024;
constexpr std::uint64_t kMostUnknown = 8;
constexpr std::uint64_t kMostTries = 1u << 22;  // places at which the end of an unknown payload is looked for

std::uint64_t number_at(std::span<const std::byte> bytes) { return get_number<std::uint64_t>(bytes); }

// Reads forward; once something leads outside, everything fails.
class Cursor {
 public:
  explicit Cursor(std::span<const std::byte> block, std::size_t at = 0) : block_(block), at_(at) {}

  [[nodiscard]] std::size_t at() const { return at_; }
  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] bool at_end() const { return ok_ && at_ == block_.size(); }

  std::uint64_t number() {
    const auto bytes = take(8);
    return ok_ ? number_at(bytes) : 0;
  }
  std::span<const std::byte> take(std::uint64_t size) {
    ok_ = ok_ && size <= block_.size() - at_;
    if (!ok_) return {};
    at_ += static_cast<std::size_t>(size);
    return block_.subspan(at_ - static_cast<std::size_t>(size), static_cast<std::size_t>(size));
  }
  std::string_view string() {
    const auto bytes = take(number());
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  // Reads the number of elements that follow, each of at least `least` bytes.
  std::uint64_t count(std::uint64_t least) {
    const std::uint64_t n = number();
    ok_ = ok_ && n <= (block_.size() - at_) / least;
    return ok_ ? n : 0;
  }
  void strings() {
    for (std::uint64_t n = count(8); ok_ && n != 0; --n) string();
  }
  std::vector<std::uint64_t> numbers() {
    std::vector<std::uint64_t> out;
    for (std::uint64_t n = count(8); ok_ && n != 0; --n) out.push_back(number());
    return out;
  }
  // A tensor with its header.
  void tensor() {
    const auto head = take(16 + 8 + 4);
    const std::uint64_t rank = ok_ ? number_at(head.subspan(20)) >> 32 : 0;  // behind the device's number
    take(4 + 8 * rank);
    take(number());
  }
  void tensors(std::uint64_t n) {
    for (; ok_ && n != 0; --n) tensor();
  }

 private:
  std::span<const std::byte> block_;
  std::size_t at_;
  bool ok_ = true;
};

void read_c(Cursor& c) {
  c.string();
  c.string();
  c.strings();
  c.strings();
}
void read_static_library(Cursor& c) {
  c.string();
  c.strings();
}
void read_const_loader(Cursor& c) {
  c.strings();
  c.tensors(c.count(8));
  c.strings();
  for (std::uint64_t n = c.count(8); c.ok() && n != 0; --n) c.strings();
}
void read_params(Cursor& c) {
  const std::uint64_t n = c.number();
  c.strings();
  c.tensors(n);
}
void read_aot_factory(Cursor& c) {
  read_params(c);
  c.string();
}
void read_graph_factory(Cursor& c) {
  c.string();
  read_aot_factory(c);
}
void read_vm(Cursor& c) { c.string(); }
void read_json_runtime(Cursor& c) {
  c.string();
  c.string();
  c.strings();
}

struct Kind {
  std::string_view key;
  void (*read)(Cursor&);
};
constexpr std::array kReadableKinds{Kind{"c", read_c},
                                    Kind{"static_library", read_static_library},
                                    Kind{"const_loader", read_const_loader},
                                    Kind{"metadata", read_const_loader},
                                    Kind{"GraphExecutorFactory", read_graph_factory},
                                    Kind{"GraphRuntimeFactory", read_graph_factory},
                                    Kind{"AotExecutorFactory", read_aot_factory},
                                    Kind{"VMExecutable", read_vm}};

void (*reader_of(std::string_view key))(Cursor&) {
  for (const Kind& k : kReadableKinds)
    if (k.key == key) return k.read;
  return key.ends_with("_json") ? read_json_runtime : nullptr;
}

class BlobReader {
 public:
  BlobReader(std::span<const std::byte> block, const std::string& name, Diagnostics& diags)
      : block_(block), name_(name), diags_(diags) {}

  Result<std::vector<DeviceBlobNode>> run() {
    if (block_.size() < 16 || number_at(block_) > block_.size() - 8)
      return diags_.error(name_, {}, "the import tree has another length than it says",
                          std::to_string(block_.size()) + " bytes");
    block_ = block_.first(8 + static_cast<std::size_t>(number_at(block_)));
    if (block_.size() < 16) return diags_.error(name_, {}, "the import tree ends early");
    const std::uint64_t entries = number_at(block_.subspan(8));
    if (entries > kMostEntries)
      return diags_.error(name_, {}, "the import tree has too many modules", std::to_string(entries),
                          "at most " + std::to_string(kMostEntries));
    bool found = false;
    // Text inside strings can look like keys. The reading with the fewest unknown kinds is the correct one.
    for (unknown_ = 0; !found && unknown_ <= kMostUnknown && tries_ < kMostTries; ++unknown_) {
      failed_.clear();
      found = read_entries(16, entries);
    }
    if (!found) return diags_.error(name_, {}, "the import tree is damaged");
    std::reverse(nodes_.begin(), nodes_.end());
    if (has_tree_ && nodes_.empty()) return diags_.error(name_, {}, "the import tree has no module");
    if (!build()) return failure;
    return std::move(nodes_);
  }

 private:
  static bool is_key(std::string_view text) {
    return !text.empty() && text.size() <= kLongestKey && std::all_of(text.begin(), text.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
             c == '-';
    });
  }

  // Reads `left` entries from `at` to the end of the block, and adds them in reverse order. A state that failed is not
  // tried again.
  bool read_entries(std::size_t at, std::uint64_t left) {
    if (left == 0) return at == block_.size() || (nodes_.empty() && at == 16);
    if (failed_.contains({at, left, unknown_})) return false;
    if (read_entry(at, left)) return true;
    failed_.insert({at, left, unknown_});
    return false;
  }

  bool read_entry(std::size_t at, std::uint64_t left) {
    Cursor c(block_, at);
    const std::string_view key = c.string();
    if (!c.ok() || !is_key(key)) return false;
    if (left == 1 && key == kTree) {
      rows_ = c.numbers();
      children_ = c.numbers();
      has_tree_ = c.at_end();
      return has_tree_;
    }
    const std::size_t start = c.at();
    if (key == kDeviceBlobLibrary) return accept(key, start, start, left);
    if (const auto read = reader_of(key)) {
      read(c);
      return c.ok() && accept(key, start, c.at(), left);
    }
    if (unknown_ == 0) return false;
    --unknown_;
    bool found = false;
    for (std::size_t end = start; !found && end <= block_.size() && ++tries_ < kMostTries; ++end)
      found = may_end(end, left - 1) && accept(key, start, end, left);
    ++unknown_;
    return found;
  }

  // True if a key or the end of the block comes next.
  [[nodiscard]] bool may_end(std::size_t at, std::uint64_t left) const {
    if (left == 0) return at == block_.size();
    if (block_.size() - at < 9) return false;
    const std::uint64_t length = number_at(block_.subspan(at));
    return length != 0 && length <= kLongestKey && length <= block_.size() - at - 8;
  }

  bool accept(std::string_view key, std::size_t start, std::size_t end, std::uint64_t left) {
    if (!read_entries(end, left - 1)) return false;
    nodes_.push_back({key, block_.subspan(start, end - start), {}});
    return true;
  }

  bool error(const std::string& what, const std::string& found = {}, const std::string& expected = {}) {
    diags_.error(name_, {}, what, found, expected);
    return false;
  }

  bool build() {
    const auto libraries = std::count_if(nodes_.begin(), nodes_.end(),
                                         [](const DeviceBlobNode& n) { return n.key == kDeviceBlobLibrary; });
    if (libraries > 1) return error("the import tree has several libraries", std::to_string(libraries), "one");
    if (!has_tree_) return build_without_tree(libraries != 0);
    if (rows_.size() != nodes_.size() + 1 || rows_.front() != 0 || rows_.back() != children_.size())
      return error("the import tree is of other modules than there are", std::to_string(rows_.size()) + " rows",
                   std::to_string(nodes_.size() + 1));
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (rows_[i] > rows_[i + 1] || rows_[i + 1] > children_.size())
        return error("a row of the import tree ends before it begins", std::string(nodes_[i].key));
      for (std::uint64_t k = rows_[i]; k < rows_[i + 1]; ++k) {
        if (children_[k] >= nodes_.size())
          return error("a module imports one that is not there", std::to_string(children_[k]),
                       "below " + std::to_string(nodes_.size()));
        nodes_[i].imports.push_back(static_cast<std::uint32_t>(children_[k]));
      }
    }
    return !has_cycle(nodes_) || error("modules of the import tree import each other in a cycle");
  }

  // Older files: the library is the root, and imports everything.
  bool build_without_tree(bool has_library) {
    if (!has_library) nodes_.insert(nodes_.begin(), {kDeviceBlobLibrary, {}, {}});
    const auto library =
        std::find_if(nodes_.begin(), nodes_.end(), [](const DeviceBlobNode& n) { return n.key == kDeviceBlobLibrary; });
    std::rotate(nodes_.begin(), library, library + 1);
    for (std::uint32_t i = 1; i < nodes_.size(); ++i) nodes_[0].imports.push_back(i);
    return true;
  }

  std::span<const std::byte> block_;
  const std::string& name_;
  Diagnostics& diags_;
  std::vector<DeviceBlobNode> nodes_;
  std::vector<std::uint64_t> rows_, children_;
  bool has_tree_ = false;
  std::set<std::tuple<std::size_t, std::uint64_t, std::uint64_t>> failed_;
  std::uint64_t unknown_ = 0;  // how many kinds that are not known there may still be
  std::uint64_t tries_ = 0;
};

}  // namespace

Result<std::vector<DeviceBlobNode>> read_device_blob(std::span<const std::byte> block, const std::string& name,
                                                     Diagnostics& diags) {
  return BlobReader(block, name, diags).run();
}

}  // namespace byoc
