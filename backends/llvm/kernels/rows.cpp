#include "backends/llvm/kernels/rows.hpp"

namespace byoc::bitcode {
namespace {

constexpr std::int64_t kSumBlock = 256;  // vectors that are added one after the other

}  // namespace

RowFold::RowFold(Code& code, std::int64_t length)
    : code_(code), lanes_(code.machine().lanes), whole_(length / lanes_ * lanes_), rest_(length - whole_) {}

Value RowFold::vectors(Value first, Value end, Value initial, const Step& f) const {
  return code_.loop(first, end, lanes_, {initial},
                    [&](Value i, const Values& before) { return Values{f(i, lanes_, before[0])}; })[0];
}

Value RowFold::fold(Value initial, const Step& f) const {
  const Value out = whole_ == 0 ? initial : vectors(code_.integer(0), code_.integer(whole_), initial, f);
  return rest_ == 0 ? out : f(code_.integer(whole_), rest_, out);
}

Value RowFold::sum(const Step& f) const {
  const std::int64_t block = kSumBlock * lanes_, in_blocks = whole_ / block * block;
  const Value none = code_.real(0, lanes_);
  Value out = none;
  if (in_blocks != 0)
    out = code_.loop(code_.integer(0), code_.integer(in_blocks), block, {none}, [&](Value i, const Values& before) {
      return Values{code_.add(before[0], vectors(i, code_.plus(i, block), none, f))};
    })[0];
  if (in_blocks != whole_) out = code_.add(out, vectors(code_.integer(in_blocks), code_.integer(whole_), none, f));
  return rest_ == 0 ? out : f(code_.integer(whole_), rest_, out);
}

}  // namespace byoc::bitcode
