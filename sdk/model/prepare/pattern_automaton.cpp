#include "sdk/model/prepare/pattern_automaton.hpp"

#include <algorithm>
#include <array>
#include <bitset>
#include <map>
#include <set>

namespace byoc {
namespace {

using Bytes = std::bitset<256>;

constexpr std::size_t kMostStates = 1024;
constexpr std::size_t kMostNodes = 20000;
constexpr int kMostRepeats = 1000;  // as RE2 has it
constexpr int kDeepest = 200;

// A machine with moves that read a byte, and moves that read nothing (Thompson 1968).
struct Node {
  Bytes bytes;
  int to = -1;  // behind one of `bytes`
  std::array<int, 2> free{-1, -1};
  bool at_start = false, at_end = false;  // where alone the moves that read nothing are there
};
struct Part {
  int first, last;
};

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  std::optional<Part> run() {
    const Part whole = alternatives(0);
    return good_ && at_ == text_.size() ? std::optional(whole) : std::nullopt;
  }

  std::vector<Node> nodes;

 private:
  // A class or a single character: characters up to 127, and whether all others belong to it.
  struct Class {
    Bytes ascii;
    bool others = false;
  };

  [[nodiscard]] bool more() const { return good_ && at_ < text_.size(); }
  [[nodiscard]] char peek() const { return text_[at_]; }
  bool take(char c) {
    if (!more() || peek() != c) return false;
    ++at_;
    return true;
  }
  static std::size_t index(int node) { return static_cast<std::size_t>(node); }
  Part fail() {
    good_ = false;
    return {0, 0};
  }

  int node() {
    if (nodes.size() >= kMostNodes) good_ = false;
    if (good_ || nodes.empty()) nodes.emplace_back();
    return static_cast<int>(nodes.size()) - 1;
  }
  void free_move(int from, int to) {
    auto& free = nodes[static_cast<std::size_t>(from)].free;
    (free[0] < 0 ? free[0] : free[1]) = to;
  }
  Part empty() {
    const int n = node();
    return {n, n};
  }
  Part byte(const Bytes& bytes) {
    const int first = node(), last = node();
    nodes[static_cast<std::size_t>(first)].bytes = bytes;
    nodes[static_cast<std::size_t>(first)].to = last;
    return {first, last};
  }
  Part range(unsigned low, unsigned high) {
    Bytes bytes;
    for (unsigned b = low; b <= high; ++b) bytes.set(b);
    return byte(bytes);
  }
  Part then(Part a, Part b) {
    free_move(a.last, b.first);
    return {a.first, b.last};
  }
  Part either(Part a, Part b) {
    const int first = node(), last = node();
    free_move(first, a.first);
    free_move(first, b.first);
    free_move(a.last, last);
    free_move(b.last, last);
    return {first, last};
  }
  Part maybe(Part a) { return either(a, empty()); }
  Part many(Part a) {
    const int first = node(), last = node();
    free_move(first, a.first);
    free_move(first, last);
    free_move(a.last, first);
    return {first, last};
  }

  // Every character beyond 127.
  Part long_character() {
    const auto tail = [&] { return range(0x80, 0xbf); };
    Part out = then(range(0xc2, 0xdf), tail());
    out = either(out, then(then(range(0xe0, 0xe0), range(0xa0, 0xbf)), tail()));
    out = either(out, then(then(range(0xe1, 0xef), tail()), tail()));
    out = either(out, then(then(then(range(0xf0, 0xf0), range(0x90, 0xbf)), tail()), tail()));
    out = either(out, then(then(then(range(0xf1, 0xf3), tail()), tail()), tail()));
    return either(out, then(then(then(range(0xf4, 0xf4), range(0x80, 0x8f)), tail()), tail()));
  }
  Part one_of(const Class& c) {
    Bytes ascii = c.ascii;
    ascii.reset(0);  // no text has it
    const Part plain = byte(ascii);
    return c.others ? either(plain, long_character()) : plain;
  }

  Part alternatives(int depth) {
    if (depth > kDeepest) return fail();
    Part out = sequence(depth);
    while (take('|')) out = either(out, sequence(depth));
    return out;
  }
  Part sequence(int depth) {
    Part out = empty();
    while (more() && peek() != '|' && peek() != ')') out = then(out, repeated(depth));
    return out;
  }

  // A repeated part is parsed again for each repetition.
  Part repeated(int depth) {
    const std::size_t start = at_;
    Part one = atom(depth);
    if (!more()) return one;
    int least = 1, most = 1;
    if (!counts(least, most)) return one;
    (void)take('?');  // which of several matches is preferred does not matter
    if (more() && (peek() == '*' || peek() == '+' || peek() == '?')) return fail();
    const std::size_t behind = at_;
    const auto again = [&] {
      at_ = start;
      return atom(depth);
    };
    Part out = empty();
    for (int i = 0; i < least && good_; ++i) out = then(out, i == 0 ? one : again());
    if (most < 0) out = then(out, many(least == 0 ? one : again()));
    for (int i = least; i < most && good_; ++i) out = then(out, maybe(i == 0 ? one : again()));
    at_ = behind;
    return out;
  }

  // "*", "+", "?", "{2}", "{2,}", "{2,3}"; most is -1 for any number. False where nothing is repeated.
  bool counts(int& least, int& most) {
    if (take('*')) return least = 0, most = -1, true;
    if (take('+')) return most = -1, true;
    if (take('?')) return least = 0, true;
    if (peek() != '{') return false;
    const std::size_t end = text_.find('}', at_);
    const std::string_view inside = end == std::string_view::npos ? "" : text_.substr(at_ + 1, end - at_ - 1);
    const std::size_t comma = inside.find(',');
    const auto number = [](std::string_view digits) {
      int n = 0;
      for (const char c : digits) n = c >= '0' && c <= '9' && n <= kMostRepeats ? n * 10 + (c - '0') : kMostRepeats + 1;
      return digits.empty() ? -1 : n;
    };
    least = number(inside.substr(0, comma));
    most = comma == std::string_view::npos ? least : number(inside.substr(comma + 1));
    if (least < 0 || least > kMostRepeats || most > kMostRepeats || (most >= 0 && most < least)) {
      good_ = false;
      return false;
    }
    at_ = end + 1;
    return true;
  }

  Part atom(int depth) {
    if (!more()) return fail();
    const char c = text_[at_++];
    switch (c) {
      case '(': {
        if (take('?') && !take(':')) return fail();
        const Part inside = alternatives(depth + 1);
        return take(')') ? inside : fail();
      }
      case '[': return bracket();
      case '^':
      case '$': {
        const Part place = then(empty(), empty());
        (c == '^' ? nodes[index(place.first)].at_start : nodes[index(place.first)].at_end) = true;
        return place;
      }
      case '.': {
        Class any{Bytes().set(), true};
        for (unsigned b = 0x80; b < 0x100; ++b) any.ascii.reset(b);
        any.ascii.reset('\n');
        return one_of(any);
      }
      case '\\': {
        Class escaped;
        return escape(escaped) ? one_of(escaped) : fail();
      }
      case '*':
      case '+':
      case '?':
      case ')':
      case '{': return fail();
      default: return character(static_cast<unsigned char>(c));
    }
  }

  // A literal character whose first byte has been read; a longer one is matched as all of its bytes.
  Part character(unsigned char first) {
    Part out = range(first, first);
    const int behind = first < 0xc0 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
    if (first >= 0x80 && first < 0xc0) return fail();
    for (int i = 0; i < behind; ++i) {
      const auto next = at_ < text_.size() ? static_cast<unsigned char>(text_[at_]) : 0U;
      if ((next & 0xc0U) != 0x80U) return fail();
      ++at_;
      out = then(out, range(next, next));
    }
    return out;
  }

  static void add(Bytes& to, unsigned low, unsigned high) {
    for (unsigned b = low; b <= high; ++b) to.set(b);
  }

  // Reads an escape, after its backslash.
  bool escape(Class& out) {
    if (!more()) return false;
    const char c = text_[at_++];
    const std::size_t simple = std::string_view("tnrfv").find(c);
    if (simple != std::string_view::npos) return out.ascii.set(static_cast<unsigned char>("\t\n\r\f\v"[simple])), true;
    Bytes named;
    switch (c) {
      case 'd':
      case 'D': add(named, '0', '9'); break;
      case 'w':
      case 'W':
        add(named, '0', '9');
        add(named, 'a', 'z');
        add(named, 'A', 'Z');
        named.set('_');
        break;
      case 's':
      case 'S':
        for (const char space : {'\t', '\n', '\f', '\r', ' '}) named.set(static_cast<unsigned char>(space));
        break;
      default: {
        const auto plain = static_cast<unsigned char>(c);
        const bool is_word =
            plain >= 0x80 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        return !is_word && (out.ascii.set(plain), true);
      }
    }
    const bool negated = c >= 'A' && c <= 'Z';
    for (unsigned b = 0; b < 0x80; ++b)
      if (named[b] != negated) out.ascii.set(b);
    out.others = out.others || negated;
    return true;
  }

  Part bracket() {
    const bool negated = take('^');
    Class c;
    for (bool first = true;; first = false) {
      if (!more()) return fail();
      const char low = text_[at_++];
      if (low == ']' && !first) break;
      if (low == '[' && more() && peek() == ':') return fail();
      if (static_cast<unsigned char>(low) >= 0x80) return fail();
      Class one;
      if (low == '\\' ? !escape(one) : (one.ascii.set(static_cast<unsigned char>(low)), false)) return fail();
      const bool ranges = at_ + 1 < text_.size() && peek() == '-' && text_[at_ + 1] != ']';
      if (ranges && (one.others || one.ascii.count() != 1)) return fail();
      if (ranges) {
        ++at_;
        const char high = text_[at_++];
        Class end;
        if (high == '\\' ? !escape(end) : (end.ascii.set(static_cast<unsigned char>(high)), false)) return fail();
        if (end.ascii.count() != 1 || end.others) return fail();
        unsigned from = 0, to = 0;
        while (!one.ascii[from]) ++from;
        while (!end.ascii[to]) ++to;
        if (from > to || to >= 0x80) return fail();
        add(one.ascii, from, to);
      }
      c.ascii |= one.ascii;
      c.others = c.others || one.others;
    }
    if (negated) {
      for (unsigned b = 0; b < 0x80; ++b) c.ascii.flip(b);
      c.others = !c.others;
    }
    return one_of(c);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool good_ = true;
};

using States = std::set<int>;

States reachable(const std::vector<Node>& nodes, const States& from, bool at_start, bool at_end) {
  States out = from;
  std::vector<int> open(from.begin(), from.end());
  while (!open.empty()) {
    const Node& node = nodes[static_cast<std::size_t>(open.back())];
    open.pop_back();
    if ((node.at_start && !at_start) || (node.at_end && !at_end)) continue;
    for (const int to : node.free)
      if (to >= 0 && out.insert(to).second) open.push_back(to);
  }
  return out;
}

// Bytes that no move tells apart are of one kind.
void find_kinds(const std::vector<Node>& nodes, PatternAutomaton& out) {
  std::vector<std::size_t> kind(256, 0);
  std::size_t count = 1;
  const auto refine = [&](const Bytes& bytes) {
    std::map<std::pair<std::size_t, bool>, std::size_t> seen;
    for (std::size_t b = 0; b < 256; ++b) kind[b] = seen.try_emplace({kind[b], bytes[b]}, seen.size()).first->second;
    count = seen.size();
  };
  refine(Bytes().set(0));
  for (const Node& n : nodes)
    if (n.to >= 0) refine(n.bytes);
  out.kinds = count;
  for (const std::size_t k : kind) out.kind_of.push_back(static_cast<std::uint8_t>(k));
}

}  // namespace

std::optional<PatternAutomaton> automaton_of(std::string_view pattern) {
  Reader reader(pattern);
  const auto whole = reader.run();
  if (!whole) return std::nullopt;
  PatternAutomaton out;
  find_kinds(reader.nodes, out);
  std::array<int, 256> example{};
  for (int b = 255; b >= 0; --b) example[out.kind_of[static_cast<std::size_t>(b)]] = b;
  // The first state is that of an empty text alone, so that nothing leads back to it.
  std::map<States, std::uint16_t> known;
  std::vector<States> states{reachable(reader.nodes, {whole->first}, true, false)};
  const auto state_of = [&](States s) {
    const auto [at, is_new] = known.try_emplace(std::move(s), static_cast<std::uint16_t>(states.size()));
    if (is_new) states.push_back(at->first);
    return at->second;
  };
  for (std::size_t s = 0; s < states.size(); ++s) {
    if (states.size() > kMostStates) return std::nullopt;
    out.accepts.push_back(reachable(reader.nodes, states[s], s == 0, true).contains(whole->last) ? 1 : 0);
    out.next.push_back(static_cast<std::uint16_t>(s));  // of byte 0
    for (std::size_t kind = 1; kind < out.kinds; ++kind) {
      States to;
      for (const int n : states[s]) {
        const Node& node = reader.nodes[static_cast<std::size_t>(n)];
        if (node.to >= 0 && node.bytes[static_cast<std::size_t>(example[kind])]) to.insert(node.to);
      }
      out.next.push_back(state_of(reachable(reader.nodes, to, false, false)));
    }
  }
  return out;
}

}  // namespace byoc
