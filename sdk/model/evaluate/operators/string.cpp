// StringConcat, StringSplit, StringNormalizer, RegexFullMatch. Strings are UTF-8; only where letters change their case
// does that matter.
#include <re2/re2.h>

#include <algorithm>
#include <set>

#include "sdk/model/evaluate/index.hpp"
#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/letter_case.hpp"
#include "sdk/model/evaluate/operators/pieces.hpp"
#include "sdk/model/evaluate/operators/utf8.hpp"
#include "sdk/model/evaluate/ranks.hpp"
#include "sdk/model/evaluate/value.hpp"

namespace byoc::evaluate {
std::vector<std::string> pieces_of(std::string_view text, std::string_view delimiter, std::int64_t most) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  std::vector<std::string> out;
  const bool spaces = delimiter.empty();
  const auto skip = [&] { text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size())); };
  if (spaces) skip();
  if (spaces && text.empty()) return out;
  while (std::ssize(out) < most) {
    const std::size_t at = spaces ? text.find_first_of(kSpace) : text.find(delimiter);
    if (at == std::string_view::npos) break;
    out.emplace_back(text.substr(0, at));
    text.remove_prefix(at + delimiter.size());
    if (spaces) skip();
    if (spaces && text.empty()) return out;
  }
  out.emplace_back(text);
  return out;
}

namespace {

Result<void> want_texts(const Call& call, std::size_t i) {
  if (is_text(call.in(i))) return {};
  return call.unsupported_dtype(i, "string");
}

// Checks the size of the string objects, without their text.
Result<void> check_size(const Call& call, Dims dims) {
  dims.push_back(sizeof(std::string));
  return call.check_count(dims);
}

}  // namespace

Outcome string_concat(const Call& call) {
  if (!want_texts(call, 0) || !want_texts(call, 1)) return failure;
  const Tensor &a = call.in(0), &b = call.in(1);
  const auto dims = broadcast(*a.type.dims, *b.type.dims);
  if (!dims) return call.error("the shapes of the inputs do not broadcast", describe(a) + " and " + describe(b));
  if (!check_size(call, *dims)) return failure;
  std::vector<std::string> out;
  std::uint64_t size = 0;
  walk<2>(*dims, {broadcast_strides(*a.type.dims, *dims), broadcast_strides(*b.type.dims, *dims)},
          [&](const std::array<std::int64_t, 2>& at) {
            const std::string &left = (*a.texts)[static_cast<std::size_t>(at[0])],
                              &right = (*b.texts)[static_cast<std::size_t>(at[1])];
            size += left.size() + right.size();
            if (size <= call.largest_result) out.push_back(left + right);
          });
  if (size > call.largest_result)
    return call.error("the result is too large", std::to_string(size) + " bytes", call.largest_text());
  return single(tensor_of(*dims, std::move(out)));
}

// The second output counts the pieces of each string; the first has one dim more, filled up with empty strings.
Outcome string_split(const Call& call) {
  if (!want_texts(call, 0)) return failure;
  const Tensor& x = call.in(0);
  const std::int64_t most = call.node.integer("maxsplit", INT64_MAX);
  if (most < 0) return call.error("attribute maxsplit is negative", std::to_string(most));
  const std::string delimiter = call.node.text("delimiter", "");
  std::vector<std::vector<std::string>> rows;
  std::size_t longest = 0;
  for (const std::string& text : *x.texts) {
    rows.push_back(pieces_of(text, delimiter, most));
    longest = std::max(longest, rows.back().size());
  }
  Result<Buffer> counts = call.allocate(DType::i64, *x.type.dims, 1);
  if (!counts) return failure;
  Dims dims = *x.type.dims;
  dims.push_back(static_cast<std::int64_t>(longest));
  if (!check_size(call, dims)) return failure;
  std::vector<std::string> out;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    counts->as<std::int64_t>()[i] = std::ssize(rows[i]);
    rows[i].resize(longest);
    std::move(rows[i].begin(), rows[i].end(), std::back_inserter(out));
  }
  std::vector<Tensor> results{tensor_of(std::move(dims), std::move(out))};
  results.push_back(std::move(*counts).finish());
  return results;
}

// Stop words are compared with the text as it is, or with both in one case; what is left is then changed. Where nothing
// is left there is one empty string.
Outcome string_normalizer(const Call& call) {
  if (!want_texts(call, 0)) return failure;
  const Tensor& x = call.in(0);
  const Dims& from = *x.type.dims;
  if (from.empty() || from.size() > 2 || (from.size() == 2 && from[0] != 1))
    return call.error("the input must be one row", describe(x), "string[N] or string[1,N]");
  const std::string action = call.node.text("case_change_action", "NONE");
  if (action != "LOWER" && action != "UPPER" && action != "NONE")
    return call.error("attribute case_change_action is not one of its values", action, "LOWER, UPPER or NONE");
  // The mapping of these languages is another.
  const std::string locale = call.node.text("locale", "");
  for (const char* language : {"az", "lt", "tr"})
    if (locale.starts_with(language))
      return call.error("letters of this locale are not supported", locale, "a language other than az, lt and tr");
  const bool sensitive = call.node.integer("is_case_sensitive", 0) != 0;
  std::set<std::string, std::less<>> stop;
  if (const auto* words = call.node.find<std::vector<std::string>>("stopwords"))
    for (const std::string& w : *words) stop.insert(sensitive ? w : lower_case(w));
  std::vector<std::string> out;
  for (const std::string& text : *x.texts) {
    if (!is_utf8(text)) return call.error("a string is not UTF-8", text);
    if (stop.contains(sensitive ? text : lower_case(text))) continue;
    out.push_back(action == "LOWER" ? lower_case(text) : action == "UPPER" ? upper_case(text) : text);
  }
  if (out.empty()) out.emplace_back();
  Dims dims = from;
  dims.back() = std::ssize(out);
  return single(tensor_of(std::move(dims), std::move(out)));
}

// The pattern is that of RE2, which takes time in proportion to the text, whatever the pattern.
Outcome regex_full_match(const Call& call) {
  if (!want_texts(call, 0)) return failure;
  const Tensor& x = call.in(0);
  const auto* pattern = call.node.find<std::string>("pattern");
  if (pattern == nullptr) return call.error("attribute pattern is missing");
  re2::RE2::Options options;
  options.set_log_errors(false);
  const re2::RE2 expression(*pattern, options);
  if (!expression.ok())
    return call.error("attribute pattern is no regular expression", *pattern + ": " + expression.error(),
                      "the syntax of RE2");
  Result<Buffer> y = call.allocate(DType::boolean, *x.type.dims);
  if (!y) return failure;
  for (std::size_t i = 0; i < x.texts->size(); ++i)
    y->bytes[i] = std::byte{re2::RE2::FullMatch((*x.texts)[i], expression)};
  return single(std::move(*y));
}

}  // namespace byoc::evaluate
