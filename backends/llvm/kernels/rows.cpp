#include "backends/llvm/kernels/rows.hpp"

namespace byoc::bitcode {
namespace {

constexpr std::int64_t kSumBlock = 256;  // vectors that are added one after the other
constexpr std::int64_t kChains = 4;      // results that do not wait for one another

}  // namespace

RowFold::RowFold(Code& code, std::int64_t length)
    : code_(code), lanes_(code.machine().lanes), whole_(length / lanes_ * lanes_), rest_(length - whole_) {}

Value RowFold::vectors(Value first, Value end, Value initial, const Step& f) const {
  return code_.loop(first, end, lanes_, {initial},
                    [&](Value i, const Values& before) { return Values{f(i, lanes_, before[0])}; })[0];
}

Value RowFold::fold(Value initial, const Join& join, const Step& f) const {
  const std::int64_t in_chains = whole_ / (kChains * lanes_) * kChains * lanes_;
  Value out = initial;
  if (in_chains != 0) out = chains(code_.integer(0), code_.integer(in_chains), initial, join, f);
  if (in_chains != whole_) out = vectors(code_.integer(in_chains), code_.integer(whole_), out, f);
  return rest_ == 0 ? out : f(code_.integer(whole_), rest_, out);
}

Value RowFold::chains(Value first, Value end, Value initial, const Join& join, const Step& f) const {
  const Values out =
      code_.loop(first, end, kChains * lanes_, Values(kChains, initial), [&](Value i, const Values& before) {
        Values after;
        for (std::int64_t c = 0; c < kChains; ++c)
          after.push_back(f(code_.plus(i, c * lanes_), lanes_, before[static_cast<std::size_t>(c)]));
        return after;
      });
  return join(join(out[0], out[1]), join(out[2], out[3]));
}

Value RowFold::sum(const Step& f) const {
  const std::int64_t block = kChains * kSumBlock * lanes_, in_blocks = whole_ / block * block;
  const std::int64_t in_chains = in_blocks + (whole_ - in_blocks) / (kChains * lanes_) * kChains * lanes_;
  const Value none = code_.real(0, lanes_);
  const Join add = [&](Value a, Value b) { return code_.add(a, b); };
  Value out = none;
  if (in_blocks != 0)
    out = code_.loop(code_.integer(0), code_.integer(in_blocks), block, {none}, [&](Value i, const Values& before) {
      return Values{code_.add(before[0], chains(i, code_.plus(i, block), none, add, f))};
    })[0];
  if (in_chains != in_blocks)
    out = code_.add(out, chains(code_.integer(in_blocks), code_.integer(in_chains), none, add, f));
  if (in_chains != whole_) out = code_.add(out, vectors(code_.integer(in_chains), code_.integer(whole_), none, f));
  return rest_ == 0 ? out : f(code_.integer(whole_), rest_, out);
}

}  // namespace byoc::bitcode
