#include "sdk/target/module/import_tree.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "sdk/base/support/identity.hpp"

namespace byoc {
namespace {

constexpr std::string_view kMagic("BYOCIMP\1", 8);
constexpr std::size_t kHeaderSize = 64, kNodeSize = 48, kSectionAlign = 16;
constexpr std::uint32_t kKinds = 7;

struct Counts {
  std::uint64_t nodes = 0, edges = 0, symbols = 0, strings = 0;
  [[nodiscard]] std::uint64_t edges_at() const { return kHeaderSize + nodes * kNodeSize; }
  [[nodiscard]] std::uint64_t symbols_at() const { return edges_at() + edges * 4; }
  [[nodiscard]] std::uint64_t strings_at() const { return symbols_at() + symbols * 4; }
  [[nodiscard]] std::uint64_t end() const { return strings_at() + strings; }
};

void put(std::vector<std::byte>& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<std::byte>(value >> (8 * i) & 0xff));
}

std::uint64_t get(std::span<const std::byte> block, std::uint64_t at, int bytes) {
  std::uint64_t out = 0;
  for (int i = bytes - 1; i >= 0; --i)
    out = out << 8 | static_cast<std::uint64_t>(block[static_cast<std::size_t>(at) + static_cast<std::size_t>(i)]);
  return out;
}

// Names, each once, in the order they came.
class Strings {
 public:
  std::uint64_t add(const std::string& text) {
    const auto [it, is_new] = known_.emplace(text, text_.size());
    if (is_new) text_ += text + '\0';
    return it->second;
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_ = std::string(1, '\0');
  std::map<std::string, std::uint64_t> known_{{"", 0}};
};

class TreeReader {
 public:
  TreeReader(std::span<const std::byte> block, const std::string& name, Diagnostics& diags)
      : block_(block), name_(name), diags_(diags) {}

  Result<std::vector<ImportNode>> run() {
    if (!read_header()) return failure;
    read_strings();
    for (std::uint64_t i = 0; i < counts_.nodes; ++i)
      if (!read_node(kHeaderSize + i * kNodeSize)) return failure;
    if (next_edge_ != counts_.edges || next_symbol_ != counts_.symbols)
      return bad("imports or functions belong to no node");
    if (has_cycle()) return bad("its imports make a cycle");
    return std::move(nodes_);
  }

 private:
  Failure bad(const std::string& what, const std::string& found = {}, const std::string& expected = {}) {
    return diags_.error(name_, {}, "the import tree is damaged: " + what, found, expected);
  }

  Result<void> read_header() {
    if (block_.size() < kHeaderSize) return bad("it is too short", std::to_string(block_.size()) + " bytes", "64");
    if (std::memcmp(block_.data(), kMagic.data(), kMagic.size() - 1) != 0) return bad("it has another magic");
    if (block_[7] != std::byte{1} || get(block_, 8, 4) != kHeaderSize || get(block_, 12, 4) != 0)
      return diags_.error(name_, {}, "the import tree is of another version",
                          std::to_string(static_cast<int>(block_[7])), "1");
    const std::uint64_t size = get(block_, 16, 8);
    if (size < kHeaderSize || size > block_.size())
      return bad("it is cut", std::to_string(block_.size()) + " bytes", std::to_string(size));
    block_ = block_.first(static_cast<std::size_t>(size));
    const Identity identity = identify(block_.subspan(kHeaderSize));
    if (identity.high != get(block_, 24, 8) || identity.low != get(block_, 32, 8)) return bad("its checksum is wrong");
    counts_ = {get(block_, 40, 4), get(block_, 44, 4), get(block_, 48, 4), get(block_, 52, 4)};
    if (counts_.nodes == 0) return bad("it has no root");
    if (counts_.end() > size) return bad("its tables are cut", std::to_string(size), std::to_string(counts_.end()));
    if (counts_.strings == 0 || block_[static_cast<std::size_t>(counts_.end() - 1)] != std::byte{0})
      return bad("its strings have no end");
    return {};
  }

  // Once for all: where names may start in the middle, or are measured each time, small blocks take long to read.
  void read_strings() {
    const auto* const text = reinterpret_cast<const char*>(block_.data()) + counts_.strings_at();
    for (std::uint64_t at = 0; at < counts_.strings;) {
      const std::string_view s(text + at);  // the last byte of all is NUL
      strings_.emplace_back(at, s);
      at += s.size() + 1;
    }
  }

  Result<std::string_view> text(std::uint64_t offset) {
    const auto at = std::lower_bound(strings_.begin(), strings_.end(), offset,
                                     [](const auto& entry, std::uint64_t o) { return entry.first < o; });
    if (at == strings_.end() || at->first != offset)
      return bad("no name starts where one should", std::to_string(offset));
    return at->second;
  }

  Result<void> read_node(std::uint64_t at) {
    ImportNode node;
    const std::uint64_t kind = get(block_, at, 4);
    if (kind >= kKinds) return bad("a node is of an unknown kind", std::to_string(kind));
    node.kind = static_cast<ModuleKind>(kind);
    auto name = text(get(block_, at + 4, 4)), loader = text(get(block_, at + 8, 4));
    if (!name || !loader) return failure;
    node.name = *name;
    node.loader = *loader;
    const std::uint64_t first = get(block_, at + 12, 4), edges = get(block_, at + 16, 4);
    if (first != next_edge_ || edges > counts_.edges - first)
      return bad("imports are not where they should be", std::to_string(first), std::to_string(next_edge_));
    next_edge_ += edges;
    for (std::uint64_t i = 0; i < edges; ++i) {
      const std::uint64_t to = get(block_, counts_.edges_at() + (first + i) * 4, 4);
      if (to >= counts_.nodes) return bad("an import is not there", std::to_string(to));
      node.imports.push_back(static_cast<std::uint32_t>(to));
    }
    const std::uint64_t first_symbol = get(block_, at + 20, 4), symbols = get(block_, at + 24, 4);
    if (first_symbol != next_symbol_ || symbols > counts_.symbols - first_symbol)
      return bad("functions are not where they should be", std::to_string(first_symbol), std::to_string(next_symbol_));
    next_symbol_ += symbols;
    for (std::uint64_t i = 0; i < symbols; ++i) {
      auto symbol = text(get(block_, counts_.symbols_at() + (first_symbol + i) * 4, 4));
      if (!symbol) return failure;
      node.functions.push_back(*symbol);
    }
    const std::uint64_t offset = get(block_, at + 32, 8), size = get(block_, at + 40, 8);
    if (offset > block_.size() || size > block_.size() - offset || offset % kSectionAlign != 0 ||
        (size != 0 && offset < counts_.end()))
      return bad("a section is outside", std::to_string(size) + " bytes at " + std::to_string(offset));
    node.bytes = block_.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
    nodes_.push_back(std::move(node));
    return {};
  }

  // Removes nodes that no remaining node imports until none is left. There is no recursion, because the block decides
  // the depth.
  [[nodiscard]] bool has_cycle() const {
    std::vector<std::uint32_t> importers(nodes_.size()), free;
    for (const ImportNode& n : nodes_)
      for (const std::uint32_t i : n.imports) ++importers[i];
    for (std::uint32_t i = 0; i < nodes_.size(); ++i)
      if (importers[i] == 0) free.push_back(i);
    std::size_t taken = 0;
    for (; !free.empty(); ++taken) {
      const std::uint32_t at = free.back();
      free.pop_back();
      for (const std::uint32_t i : nodes_[at].imports)
        if (--importers[i] == 0) free.push_back(i);
    }
    return taken != nodes_.size();
  }

  std::span<const std::byte> block_;
  const std::string& name_;
  Diagnostics& diags_;
  Counts counts_;
  std::vector<std::pair<std::uint64_t, std::string_view>> strings_;  // by where they start
  std::uint64_t next_edge_ = 0, next_symbol_ = 0;
  std::vector<ImportNode> nodes_;
};

}  // namespace

std::vector<std::byte> write_import_tree(const ModuleTree& tree, std::string_view manifest) {
  Strings strings;
  Counts counts;
  counts.nodes = tree.modules.size();
  std::vector<std::byte> edges, symbols;
  struct Node {
    std::uint64_t name, loader, first_edge, edges, first_symbol, symbols;
  };
  std::vector<Node> nodes;
  for (const Module& m : tree.modules) {
    Node n{strings.add(m.name), strings.add(m.loader), counts.edges, m.imports.size(), counts.symbols, 0};
    for (const std::size_t i : m.imports) put(edges, i, 4);
    counts.edges += m.imports.size();
    for (const Symbol& s : m.symbols) {
      if (!s.function) continue;
      put(symbols, strings.add(s.name), 4);
      ++n.symbols;
    }
    counts.symbols += n.symbols;
    nodes.push_back(n);
  }
  counts.strings = strings.text().size();

  std::vector<std::byte> sections;
  const auto pad = [&] {
    while ((counts.end() + sections.size()) % kSectionAlign != 0) sections.push_back(std::byte{0});
  };
  std::vector<std::byte> out;
  for (const char c : kMagic) out.push_back(static_cast<std::byte>(c));
  put(out, kHeaderSize, 4);
  out.resize(kHeaderSize);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Module& m = tree.modules[i];
    const Node& n = nodes[i];
    put(out, static_cast<std::uint32_t>(m.kind), 4);
    for (const std::uint64_t v : {n.name, n.loader, n.first_edge, n.edges, n.first_symbol, n.symbols, std::uint64_t{0}})
      put(out, v, 4);
    std::span<const std::byte> carried;
    if (m.kind == ModuleKind::opaque)
      carried = m.bytes.bytes();
    else if (i == 0)
      carried = std::as_bytes(std::span(manifest));
    pad();
    put(out, carried.empty() ? 0 : counts.end() + sections.size(), 8);
    put(out, carried.size(), 8);
    sections.insert(sections.end(), carried.begin(), carried.end());
  }
  out.insert(out.end(), edges.begin(), edges.end());
  out.insert(out.end(), symbols.begin(), symbols.end());
  for (const char c : strings.text()) out.push_back(static_cast<std::byte>(c));
  out.insert(out.end(), sections.begin(), sections.end());

  std::vector<std::byte> fixed;
  put(fixed, out.size(), 8);
  std::copy(fixed.begin(), fixed.end(), out.begin() + 16);
  fixed.clear();
  for (const std::uint64_t v : {counts.nodes, counts.edges, counts.symbols, counts.strings}) put(fixed, v, 4);
  std::copy(fixed.begin(), fixed.end(), out.begin() + 40);
  seal_import_tree(out);
  return out;
}

Result<std::vector<ImportNode>> read_import_tree(std::span<const std::byte> block, const std::string& name,
                                                 Diagnostics& diags) {
  return TreeReader(block, name, diags).run();
}

void seal_import_tree(std::span<std::byte> block) {
  if (block.size() < kHeaderSize) return;
  const std::uint64_t size = get(block, 16, 8);
  if (size < kHeaderSize || size > block.size()) return;
  const Identity identity = identify(block.subspan(kHeaderSize, static_cast<std::size_t>(size) - kHeaderSize));
  std::vector<std::byte> sum;
  put(sum, identity.high, 8);
  put(sum, identity.low, 8);
  std::copy(sum.begin(), sum.end(), block.begin() + 24);
}

}  // namespace byoc
