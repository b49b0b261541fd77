// LabelEncoder: each element that equals a key (input 1) is replaced by that key's value (input 2), and any other by
// the default (input 3). Of equal keys the last counts; NaN is one key.
#include <cmath>
#include <map>

#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/movement.hpp"
#include "sdk/model/evaluate/ranks.hpp"
#include "sdk/model/evaluate/value.hpp"

namespace byoc::evaluate {
namespace {

template <class K>
std::vector<std::size_t> find_all(const auto& keys, const auto& wanted, std::size_t otherwise, K&& key_of) {
  std::map<decltype(key_of(keys[0])), std::size_t> places;
  for (std::size_t i = 0; i < keys.size(); ++i) places[key_of(keys[i])] = i;
  std::vector<std::size_t> out;
  for (const auto& w : wanted) {
    const auto found = places.find(key_of(w));
    out.push_back(found == places.end() ? otherwise : found->second);
  }
  return out;
}

// The index of each element's key; the number of keys if there is none.
Result<std::vector<std::size_t>> find_keys(const Call& call) {
  const Tensor &x = call.in(0), &keys = call.in(1);
  if (!call.same_dtype(0, 1)) return failure;
  if (is_text(x))
    return find_all(*keys.texts, *x.texts, keys.texts->size(),
                    [](const std::string& s) { return std::string_view(s); });
  std::vector<std::size_t> out;
  const bool known = dispatch(x.type.dtype, [&]<class T>() {
    const auto key_of = [](T value) {
      if constexpr (kIsFloat<T>)
        return std::isnan(widen(value)) ? std::pair(true, 0.0) : std::pair(false, widen(value));
      else
        return value;
    };
    out = find_all(elements<T>(keys), elements<T>(x), elements<T>(keys).size(), key_of);
  });
  if (!known) return call.unsupported_dtype(0, "a type of whole bytes, or string");
  return out;
}

}  // namespace

Outcome label_encoder(const Call& call) {
  const Tensor &keys = call.in(1), &values = call.in(2), &otherwise = call.in(3);
  if (keys.type.dims != values.type.dims || product(*otherwise.type.dims) != 1)
    return call.error("there must be a value for each key, and one default",
                      describe(keys) + ", " + describe(values) + " and " + describe(otherwise));
  if (!call.same_dtype(2, 3)) return failure;
  const auto places = find_keys(call);
  if (!places) return failure;
  const auto count = static_cast<std::size_t>(*product(*keys.type.dims));
  if (is_text(values)) {
    std::vector<std::string> out;
    for (const std::size_t at : *places) out.push_back(at == count ? (*otherwise.texts)[0] : (*values.texts)[at]);
    return single(tensor_of(*call.in(0).type.dims, std::move(out)));
  }
  const Result<Mover> mover = Mover::make(call, 2);
  Result<Buffer> y = call.allocate(values.type.dtype, *call.in(0).type.dims);
  if (!mover || !y) return failure;
  std::int64_t target = 0;
  for (const std::size_t at : *places)
    mover->copy(at == count ? otherwise : values, at == count ? 0 : static_cast<std::int64_t>(at), *y, target++);
  return single(std::move(*y));
}

}  // namespace byoc::evaluate
