#include "sdk/model/evaluate/ranks.hpp"

#include <algorithm>
#include <cstring>

#include "sdk/model/evaluate/call.hpp"
#include "sdk/model/evaluate/value.hpp"

namespace byoc::evaluate {

Ranks::Ranks(std::span<const Tensor* const> operands) : texts_{std::string_view()} {
  for (const Tensor* t : operands)
    if (t != nullptr && is_text(*t)) texts_.insert(texts_.end(), t->texts->begin(), t->texts->end());
  std::sort(texts_.begin(), texts_.end());
  texts_.erase(std::unique(texts_.begin(), texts_.end()), texts_.end());
}

Tensor Ranks::rank(const Tensor& texts) const {
  std::vector<std::byte> bytes(texts.texts->size() * sizeof(std::uint64_t));
  for (std::size_t i = 0; i < texts.texts->size(); ++i) {
    const auto at = std::lower_bound(texts_.begin(), texts_.end(), std::string_view((*texts.texts)[i]));
    const auto number = static_cast<std::uint64_t>(at - texts_.begin());
    std::memcpy(bytes.data() + i * sizeof number, &number, sizeof number);
  }
  Tensor out{texts.type, Blob::own(std::move(bytes))};
  out.type.dtype = kRank;
  return out;
}

Tensor Ranks::text(const Tensor& ranks) const {
  std::vector<std::string> out;
  for (const std::uint64_t rank : elements<std::uint64_t>(ranks)) out.emplace_back(texts_[rank]);
  return tensor_of(*ranks.type.dims, std::move(out));
}

}  // namespace byoc::evaluate
