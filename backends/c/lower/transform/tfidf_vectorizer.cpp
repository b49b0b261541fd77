// TfIdfVectorizer over integers.
#include <algorithm>

#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/move/movement.hpp"
#include "backends/c/lower/step/step_builder.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;

struct Grams {
  std::vector<std::int64_t> items;
  std::vector<std::int32_t> first, at;
  std::vector<float> weight;
  int mode = 0;
  std::int64_t skips = 0;
};

std::optional<Grams> read_grams(const Region& region, const Node& node, std::string& why) {
  const Value& y = region.values[node.outputs[0]];
  Grams out;
  const std::string mode = node.text("mode", "");
  out.mode = mode == "TF" ? 0 : mode == "IDF" ? 1 : mode == "TFIDF" ? 2 : -1;
  out.skips = node.integer("max_skip_count", 0);
  const Dims pool = node.integers("pool_int64s", {}), starts = node.integers("ngram_counts", {}),
             places = node.integers("ngram_indexes", {});
  const auto* weights = node.find<std::vector<float>>("weights");
  const std::int64_t least = node.integer("min_gram_length", 1), most = node.integer("max_gram_length", 1);
  why = "found a pool, counts, indexes, weights or a mode that do not fit each other";
  if (out.mode < 0 || out.skips < 0 || out.skips > (1 << 20) || y.dims.empty()) return std::nullopt;
  std::size_t gram = 0;
  for (std::size_t n = 0; n < starts.size(); ++n) {
    const auto size = static_cast<std::int64_t>(n + 1);
    const std::int64_t end = n + 1 < starts.size() ? starts[n + 1] : static_cast<std::int64_t>(pool.size());
    if (starts[n] < 0 || starts[n] > end || end > static_cast<std::int64_t>(pool.size()) ||
        (end - starts[n]) % size != 0)
      return std::nullopt;
    for (std::int64_t at = starts[n]; at < end; at += size, ++gram) {
      if (gram >= places.size() || places[gram] < 0 || places[gram] >= y.dims.back() ||
          (weights != nullptr && gram >= weights->size()))
        return std::nullopt;
      if (size < least || size > most) continue;
      out.first.push_back(static_cast<std::int32_t>(out.items.size()));
      out.items.insert(out.items.end(), pool.begin() + at, pool.begin() + at + size);
      out.at.push_back(static_cast<std::int32_t>(places[gram]));
      out.weight.push_back(weights == nullptr ? 1 : (*weights)[gram]);
    }
  }
  out.first.push_back(static_cast<std::int32_t>(out.items.size()));
  why.clear();
  return out;
}

}  // namespace

codegen::Verdict accepts_tfidf_vectorizer(const Region& region, const Node& node, const TargetSpec&) {
  const Value& x = region.values[node.inputs[0]];
  std::string why;
  if (x.dtype != DType::i64 && x.dtype != DType::i32) return refuse_dtype(x.dtype, "i64 or i32");
  if (!read_grams(region, node, why)) return refuse(Reason::unsupported_attribute, why);
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

bool lower_tfidf_vectorizer(Emitter& emitter, const Node& node) {
  std::string why;
  const auto grams = read_grams(emitter.region, node, why);
  if (!grams) return emitter.error(node, why);
  const Value& x = *emitter.input(node, 0);
  const Value& y = emitter.value(node.outputs[0]);
  StepBuilder step(emitter, node);
  const std::string type(c_type(x.dtype));
  std::string kernel = "fill";
  if (y.elements() != 0 && (grams->at.empty() || x.elements() == 0)) {
    step.line("memset(" + step.output(0) + ", 0, " + std::to_string(y.bytes()) + ");");
    step.text.includes.insert("<string.h>");
  } else if (y.elements() != 0) {
    kernel = emitter.kernel({"tfidf.c", "byoc_tfidf_" + std::string(to_string(x.dtype)), {{"BYOC_X", type}}});
    ParameterText p;
    p.add("rows", y.elements() / y.dims.back()).add("columns", x.dims.back()).add("width", y.dims.back());
    p.add("grams", static_cast<std::int64_t>(grams->at.size())).add("skips", grams->skips).add("mode", grams->mode);
    p.add("items", emitter.constant(step.symbol() + "_items", std::span<const std::int64_t>(grams->items), true, 8));
    p.add("first", step.table("first", std::span<const std::int32_t>(grams->first)));
    p.add("at", step.table("at", std::span<const std::int32_t>(grams->at)));
    p.add("weight", step.table("weight", std::span<const float>(grams->weight)));
    step.text.includes.insert("byoc_tfidf.h");
    step.text.declarations.insert("BYOC_TFIDF(" + kernel + ", " + type + ");");
    const std::string from = step.input(0);
    step.line(kernel + "(" + step.parameters("byoc_tfidf_t", p) + ", " + from + ", " + step.output(0) + ");");
  }
  step.finish(kernel);
  return true;
}

}  // namespace byoc::c
