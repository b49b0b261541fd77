#include "sdk/target/module/import_tree.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "sdk/base/support/frame.hpp"
#include "sdk/base/support/little_endian.hpp"
#include "sdk/target/module/import_cycle.hpp"

namespace byoc {
namespace {

constexpr FrameFormat kFormat{"import tree", "BYOCTREE"};
constexpr std::size_t kHeaderSize = 64, kCountsAt = kFrameHeadBytes, kNodeSize = 48, kSectionAlign = 16;
constexpr std::uint32_t kKinds = 7;

struct Counts {
  std::uint64_t nodes = 0, edges = 0, symbols = 0, strings = 0;
  [[nodiscard]] std::uint64_t edges_at() const { return kHeaderSize + nodes * kNodeSize; }
  [[nodiscard]] std::uint64_t symbols_at() const { return edges_at() + edges * 4; }
  [[nodiscard]] std::uint64_t strings_at() const { return symbols_at() + symbols * 4; }
  [[nodiscard]] std::uint64_t end() const { return strings_at() + strings; }
};

std::uint32_t u32(std::span<const std::byte> block, std::uint64_t at) {
  return get_number<std::uint32_t>(block, static_cast<std::size_t>(at));
}
std::uint64_t u64(std::span<const std::byte> block, std::uint64_t at) {
  return get_number<std::uint64_t>(block, static_cast<std::size_t>(at));
}
void put32(std::vector<std::byte>& out, std::uint64_t n) { add_number(out, static_cast<std::uint32_t>(n)); }

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
    if (has_cycle(nodes_)) return bad("its imports make a cycle");
    return std::move(nodes_);
  }

 private:
  Failure bad(const std::string& what, const std::string& found = {}, const std::string& expected = {}) {
    return diags_.error(name_, {}, "the import tree is damaged: " + what, found, expected);
  }

  Result<void> read_header() {
    const auto frame = open_frame(block_, kFormat, FrameEnd::anywhere, name_, diags_);
    if (!frame) return failure;
    block_ = *frame;
    const std::uint64_t size = block_.size();
    if (size < kHeaderSize) return bad("it is too short", std::to_string(size) + " bytes", std::to_string(kHeaderSize));
    counts_ = {u32(block_, kCountsAt), u32(block_, kCountsAt + 4), u32(block_, kCountsAt + 8),
               u32(block_, kCountsAt + 12)};
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
    const std::uint64_t kind = u32(block_, at);
    if (kind >= kKinds) return bad("a node is of an unknown kind", std::to_string(kind));
    node.kind = static_cast<ModuleKind>(kind);
    auto name = text(u32(block_, at + 4)), loader = text(u32(block_, at + 8));
    if (!name || !loader) return failure;
    node.name = *name;
    node.loader = *loader;
    const std::uint64_t first = u32(block_, at + 12), edges = u32(block_, at + 16);
    if (first != next_edge_ || edges > counts_.edges - first)
      return bad("imports are not where they should be", std::to_string(first), std::to_string(next_edge_));
    next_edge_ += edges;
    for (std::uint64_t i = 0; i < edges; ++i) {
      const std::uint64_t to = u32(block_, counts_.edges_at() + (first + i) * 4);
      if (to >= counts_.nodes) return bad("an import is not there", std::to_string(to));
      node.imports.push_back(static_cast<std::uint32_t>(to));
    }
    const std::uint64_t first_symbol = u32(block_, at + 20), symbols = u32(block_, at + 24);
    if (first_symbol != next_symbol_ || symbols > counts_.symbols - first_symbol)
      return bad("functions are not where they should be", std::to_string(first_symbol), std::to_string(next_symbol_));
    next_symbol_ += symbols;
    for (std::uint64_t i = 0; i < symbols; ++i) {
      auto symbol = text(u32(block_, counts_.symbols_at() + (first_symbol + i) * 4));
      if (!symbol) return failure;
      node.functions.push_back(*symbol);
    }
    const std::uint64_t offset = u64(block_, at + 32), size = u64(block_, at + 40);
    if (offset > block_.size() || size > block_.size() - offset || offset % kSectionAlign != 0 ||
        (size != 0 && offset < counts_.end()))
      return bad("a section is outside", std::to_string(size) + " bytes at " + std::to_string(offset));
    node.bytes = block_.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
    nodes_.push_back(std::move(node));
    return {};
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
    Node n{strings.add(m.name), strings.add(m.loader()), counts.edges, m.imports.size(), counts.symbols, 0};
    for (const std::size_t i : m.imports) put32(edges, i);
    counts.edges += m.imports.size();
    for (const Symbol& s : m.symbols) {
      if (!s.function) continue;
      put32(symbols, strings.add(s.name));
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
  std::vector<std::byte> out(kCountsAt);
  for (const std::uint64_t v : {counts.nodes, counts.edges, counts.symbols, counts.strings}) put32(out, v);
  out.resize(kHeaderSize);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Module& m = tree.modules[i];
    const Node& n = nodes[i];
    put32(out, static_cast<std::uint32_t>(m.kind()));
    for (const std::uint64_t v : {n.name, n.loader, n.first_edge, n.edges, n.first_symbol, n.symbols, std::uint64_t{0}})
      put32(out, v);
    std::span<const std::byte> carried;
    if (m.kind() == ModuleKind::opaque)
      carried = m.bytes.bytes();
    else if (i == 0)
      carried = std::as_bytes(std::span(manifest));
    pad();
    add_number<std::uint64_t>(out, carried.empty() ? 0 : counts.end() + sections.size());
    add_number<std::uint64_t>(out, carried.size());
    sections.insert(sections.end(), carried.begin(), carried.end());
  }
  out.insert(out.end(), edges.begin(), edges.end());
  out.insert(out.end(), symbols.begin(), symbols.end());
  for (const char c : strings.text()) out.push_back(static_cast<std::byte>(c));
  out.insert(out.end(), sections.begin(), sections.end());
  finish_frame(out, kFormat);
  return out;
}

Result<std::vector<ImportNode>> read_import_tree(std::span<const std::byte> block, const std::string& name,
                                                 Diagnostics& diags) {
  return TreeReader(block, name, diags).run();
}

}  // namespace byoc
