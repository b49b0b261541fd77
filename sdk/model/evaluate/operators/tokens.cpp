// ONNX Runtime's Tokenizer, MurmurHash3 of strings, and BifurcationDetector.
#include <re2/re2.h>

#include <algorithm>
#include <memory>

#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/utf8.hpp"
#include "sdk/model/evaluate/value.hpp"

namespace byoc::evaluate {
namespace {

using Tokens = std::vector<std::string_view>;

std::int64_t characters(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
}

using Expression = std::unique_ptr<re2::RE2>;

Result<Expression> compile(const Call& call, const std::string& pattern) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_longest_match(true);
  auto out = std::make_unique<re2::RE2>(pattern, options);
  if (out->ok()) return out;
  return call.error("an attribute is no regular expression", pattern + ": " + out->error(), "the syntax of RE2");
}

class Tokeniser {
 public:
  static Result<Tokeniser> make(const Call& call) {
    Tokeniser out;
    out.least_ = call.node.integer("mincharnum", 0);
    if (out.least_ < 1)
      return call.error("attribute mincharnum is out of range", std::to_string(out.least_), "at least 1");
    const auto* separators = call.node.find<std::vector<std::string>>("separators");
    const std::string token = call.node.text("tokenexp", "");
    const bool separated = separators != nullptr && !separators->empty();
    if (separated != token.empty())
      return call.error("needs separators or a tokenexp", separated ? "both" : "neither", "one of them");
    if (!separated) {
      auto expression = compile(call, token);
      if (!expression) return failure;
      out.token_ = std::move(*expression);
    } else if (separators->size() == 1 && (*separators)[0].empty()) {
      out.by_character_ = true;
    } else {
      for (const std::string& s : *separators) {
        if (s.empty()) return call.error("a separator is empty beside others");
        auto expression = compile(call, s);
        if (!expression) return failure;
        out.separators_.push_back(std::move(*expression));
      }
    }
    return out;
  }

  [[nodiscard]] Tokens tokens(std::string_view text) const {
    if (by_character_) return split_characters(text);
    if (token_) return matches(text);
    Tokens pieces;
    if (!text.empty()) pieces.push_back(text);
    for (const Expression& separator : separators_) {
      Tokens next;
      for (const std::string_view piece : pieces) split(piece, *separator, next);
      pieces = std::move(next);
    }
    return pieces;
  }

 private:
  static Tokens split_characters(std::string_view text) {
    Tokens out;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t bytes = std::max<std::size_t>(character_bytes(text, at), 1);
      out.push_back(text.substr(at, bytes));
      at += bytes;
    }
    return out;
  }

  void add(std::string_view token, Tokens& out) const {
    if (characters(token) >= least_) out.push_back(token);
  }

  // Calls f(place, length) for every match. Behind an empty one a character is passed over. Returns where the last one
  // leaves off.
  template <class F>
  static std::size_t each_match(std::string_view text, const re2::RE2& expression, F&& f) {
    std::size_t start = 0;
    re2::StringPiece match;
    while (start <= text.size() &&
           expression.Match({text.data(), text.size()}, start, text.size(), re2::RE2::UNANCHORED, &match, 1)) {
      const auto at = static_cast<std::size_t>(match.data() - text.data());
      f(at, match.size(), start);
      const std::size_t passed = match.size() != 0 ? match.size() : at < text.size() ? character_bytes(text, at) : 1;
      start = at + std::max<std::size_t>(passed, 1);
    }
    return start;
  }

  void split(std::string_view text, const re2::RE2& separator, Tokens& out) const {
    const std::size_t end = each_match(text, separator, [&](std::size_t at, std::size_t, std::size_t start) {
      add(text.substr(start, at - start), out);
    });
    if (end < text.size()) add(text.substr(end), out);
  }

  [[nodiscard]] Tokens matches(std::string_view text) const {
    Tokens out;
    each_match(text, *token_, [&](std::size_t at, std::size_t size, std::size_t) { add(text.substr(at, size), out); });
    return out;
  }

  std::int64_t least_ = 1;
  bool by_character_ = false;
  Expression token_;
  std::vector<Expression> separators_;
};

std::uint32_t rotated(std::uint32_t v, unsigned bits) { return (v << bits) | (v >> (32 - bits)); }

// MurmurHash3_x86_32, which Austin Appleby gave to the public domain.
std::uint32_t murmur_hash_of(std::string_view key, std::uint32_t seed) {
  std::uint32_t hash = seed;
  const auto mixed = [](std::uint32_t k) { return rotated(k * 0xcc9e2d51U, 15) * 0x1b873593U; };
  const auto word = [&](std::size_t at, std::size_t bytes) {
    std::uint32_t out = 0;
    for (std::size_t i = 0; i < bytes; ++i) out |= std::uint32_t{static_cast<unsigned char>(key[at + i])} << (8 * i);
    return out;
  };
  std::size_t at = 0;
  for (; at + 4 <= key.size(); at += 4) hash = rotated(hash ^ mixed(word(at, 4)), 13) * 5 + 0xe6546b64U;
  if (at < key.size()) hash ^= mixed(word(at, key.size() - at));
  hash ^= static_cast<std::uint32_t>(key.size());
  hash = (hash ^ (hash >> 16)) * 0x85ebca6bU;
  hash = (hash ^ (hash >> 13)) * 0xc2b2ae35U;
  return hash ^ (hash >> 16);
}

// The end of the only place in `source` that has the last tokens; -1 where there is none or several.
std::int64_t suffix_match(std::span<const std::int64_t> source, std::span<const std::int64_t> tokens,
                          std::int64_t least, std::int64_t most) {
  for (std::int64_t n = least; n <= most && n <= std::ssize(tokens); ++n) {
    const auto suffix = tokens.last(static_cast<std::size_t>(n));
    const auto first = std::search(source.begin(), source.end(), suffix.begin(), suffix.end());
    if (first == source.end()) return -1;
    if (std::search(first + 1, source.end(), suffix.begin(), suffix.end()) == source.end())
      return first - source.begin() + n;
  }
  return -1;
}

}  // namespace

// One dim more than the input has: the tokens of each string, between marks where they are asked for, filled up with
// pad_value. Without any token it is empty, marks or not.
Outcome tokenizer(const Call& call) {
  const Tensor& x = call.in(0);
  if (!is_text(x)) return call.unsupported_dtype(0, "string");
  const auto tokeniser = Tokeniser::make(call);
  if (!tokeniser) return failure;
  const bool marked = call.node.integer("mark", 0) != 0;
  std::vector<Tokens> rows;
  std::size_t longest = 0;
  for (const std::string& text : *x.texts) {
    if (!is_utf8(text)) return call.error("a string is not UTF-8", text);
    longest = std::max(longest, rows.emplace_back(tokeniser->tokens(text)).size());
  }
  const std::size_t length = longest == 0 ? 0 : longest + (marked ? 2 : 0);
  Dims dims = *x.type.dims;
  dims.push_back(static_cast<std::int64_t>(length));
  Dims objects = dims;
  objects.push_back(sizeof(std::string));
  if (!call.check_count(objects)) return failure;
  const std::string pad = call.node.text("pad_value", "");
  std::vector<std::string> out;
  for (std::size_t i = 0; length != 0 && i < rows.size(); ++i) {
    const std::size_t end = out.size() + length;
    if (marked) out.emplace_back("\x02");
    out.insert(out.end(), rows[i].begin(), rows[i].end());
    if (marked) out.emplace_back("\x03");
    out.resize(end, pad);
  }
  return single(tensor_of(std::move(dims), std::move(out)));
}

Outcome murmur_hash3(const Call& call) {
  const Tensor& x = call.in(0);
  if (!is_text(x)) return call.unsupported_dtype(0, "string");
  const bool positive = call.node.integer("positive", 1) != 0;
  Result<Buffer> y = call.allocate(positive ? DType::u32 : DType::i32, *x.type.dims);
  if (!y) return failure;
  const auto seed = static_cast<std::uint32_t>(call.node.integer("seed", 0));
  for (std::size_t i = 0; i < x.texts->size(); ++i) y->as<std::uint32_t>()[i] = murmur_hash_of((*x.texts)[i], seed);
  return single(std::move(*y));
}

// source tokens, tokens, where in the source the last match ended, predicted tokens. Predictions follow the tokens up
// to the first one that the source does not have there.
Outcome bifurcation_detector(const Call& call) {
  for (std::size_t i = 0; i < call.count(); ++i)
    if (call.find(i) != nullptr && call.in(i).type.dtype != DType::i64) return call.unsupported_dtype(i, "i64");
  const auto source = elements<std::int64_t>(call.in(0)), current = elements<std::int64_t>(call.in(1));
  const std::int64_t least = call.node.integer("min_ngram_size", 1), most = call.node.integer("max_ngram_size", 3);
  if (least < 1 || most < least)
    return call.error("min_ngram_size or max_ngram_size is out of range",
                      std::to_string(least) + " and " + std::to_string(most), "1 or more, and not less");
  std::vector<std::int64_t> tokens(current.begin(), current.end());
  if (call.find(3) != nullptr) {
    if (call.in(2).type.elements() != 1) return call.error("input 2 must have one element", describe(call.in(2)));
    const std::int64_t start = elements<std::int64_t>(call.in(2))[0];
    const auto predicted = elements<std::int64_t>(call.in(3));
    if (start < 0 || start > std::ssize(source))
      return call.error("the previous match is out of range", std::to_string(start),
                        "0 to " + std::to_string(source.size()));
    const auto rest = source.subspan(static_cast<std::size_t>(start));
    if (predicted.size() != rest.size() + 1)
      return call.error("the predicted tokens have the wrong length", std::to_string(predicted.size()),
                        std::to_string(rest.size() + 1));
    const auto same = std::mismatch(rest.begin(), rest.end(), predicted.begin()).second;
    tokens.insert(tokens.end(), predicted.begin(), same + 1);
  }
  Result<Buffer> y = call.allocate(DType::i64, {std::ssize(tokens)}, 0), match = call.allocate(DType::i64, {}, 1);
  if (!y || !match) return failure;
  std::copy(tokens.begin(), tokens.end(), y->as<std::int64_t>().begin());
  match->as<std::int64_t>()[0] = suffix_match(source, tokens, least, most);
  std::vector<Tensor> out;
  out.push_back(std::move(*y).finish());
  out.push_back(std::move(*match).finish());
  return out;
}

}  // namespace byoc::evaluate
