// TfIdfVectorizer over integers or strings: how often each n-gram of a pool appears, weighted.
#include <algorithm>
#include <map>
#include <string_view>

#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/ranks.hpp"

namespace byoc::evaluate {
namespace {

struct Gram {
  std::span<const std::int64_t> items;
  std::size_t index;  // in ngram_indexes
};

Result<std::vector<Gram>> read_pool(const Call& call, const Dims& pool, const Dims& starts) {
  std::vector<Gram> out;
  for (std::size_t n = 0; n < starts.size(); ++n) {
    const std::int64_t end = n + 1 < starts.size() ? starts[n + 1] : std::ssize(pool);
    const std::int64_t length = end - starts[n];
    const auto size = static_cast<std::int64_t>(n + 1);
    if (starts[n] < 0 || end > std::ssize(pool) || length < 0 || length % size != 0)
      return call.error("ngram_counts does not fit the pool", describe(starts), std::to_string(pool.size()));
    for (std::int64_t at = starts[n]; at < end; at += size)
      out.push_back({std::span(pool).subspan(static_cast<std::size_t>(at), n + 1), out.size()});
  }
  return out;
}

// The items to count, as numbers; strings are replaced by numbers.
struct Items {
  Dims pool;
  std::vector<std::int64_t> given;
};

Result<Items> read_items(const Call& call) {
  const auto* texts = call.node.find<std::vector<std::string>>("pool_strings");
  const auto* numbers = call.node.find<std::vector<std::int64_t>>("pool_int64s");
  const Tensor& x = call.in(0);
  if ((texts != nullptr) == (numbers != nullptr) || (texts != nullptr) != is_text(x))
    return call.error("there must be one pool, of the input's elements", describe(x), "pool_strings or pool_int64s");
  if (numbers != nullptr) {
    auto given = call.integers(0);
    if (!given) return failure;
    return Items{*numbers, std::move(*given)};
  }
  Items out;
  std::map<std::string_view, std::int64_t> ids;
  for (const std::string& text : *texts) out.pool.push_back(ids.try_emplace(text, std::ssize(ids)).first->second);
  for (const std::string& text : *x.texts) {
    const auto found = ids.find(text);
    out.given.push_back(found == ids.end() ? -1 : found->second);
  }
  return out;
}

}  // namespace

Outcome tfidf_vectorizer(const Call& call) {
  const Tensor& x = call.in(0);
  const Dims& from = *x.type.dims;
  const auto read = read_items(call);
  if (!read) return failure;
  const std::vector<std::int64_t>* const items = &read->given;
  const Dims& pool = read->pool;
  const std::string mode = call.node.text("mode", "");
  if (mode != "TF" && mode != "IDF" && mode != "TFIDF") return call.error("unknown mode", mode, "TF, IDF or TFIDF");
  const Dims indexes = call.node.integers("ngram_indexes", {});
  const auto starts = call.node.integers("ngram_counts", {});
  const auto grams = read_pool(call, pool, starts);
  if (!grams) return failure;
  const auto* weights = call.node.find<std::vector<float>>("weights");
  const std::int64_t least = call.node.integer("min_gram_length", 1), most = call.node.integer("max_gram_length", 1);
  const std::int64_t skips = call.node.integer("max_skip_count", 0);
  if (grams->size() != indexes.size() || (weights != nullptr && weights->size() != indexes.size()) || indexes.empty() ||
      *std::min_element(indexes.begin(), indexes.end()) < 0 || from.empty() || from.size() > 2 || least < 1 ||
      most < least || most > std::ssize(starts) || skips < 0 || skips > (1 << 20))
    return call.error("pool, indexes, weights, lengths and input do not fit each other", describe(x));
  const std::int64_t width = *std::max_element(indexes.begin(), indexes.end()) + 1;
  Dims dims = from;
  dims.back() = width;
  Result<Buffer> y = call.allocate(DType::f32, dims);
  if (!y) return failure;
  const std::int64_t rows = from.size() == 2 ? from[0] : 1, columns = from.back();
  for (std::int64_t r = 0; r < rows; ++r)
    for (const Gram& gram : *grams) {
      const std::int64_t n = std::ssize(gram.items);
      if (n < least || n > most) continue;
      float count = 0;
      // Neighbours stand `skip` items apart; a single item has none, and is counted once.
      for (std::int64_t skip = 1; skip <= (n == 1 ? 1 : skips + 1); ++skip)
        for (std::int64_t at = 0; at + (n - 1) * skip < columns; ++at) {
          bool equal = true;
          for (std::int64_t i = 0; i < n; ++i)
            equal = equal && (*items)[static_cast<std::size_t>(r * columns + at + i * skip)] ==
                                 gram.items[static_cast<std::size_t>(i)];
          count += equal ? 1 : 0;
        }
      const float weight = weights == nullptr || mode == "TF" ? 1 : (*weights)[gram.index];
      if (count != 0)
        y->as<float>()[static_cast<std::size_t>(r * width + indexes[gram.index])] =
            mode == "IDF" ? weight : count * weight;
    }
  return single(std::move(*y));
}

}  // namespace byoc::evaluate
