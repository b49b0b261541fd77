#include "sdk/base/support/target_message.hpp"

#include "sdk/base/support/target_fields.hpp"

namespace byoc {
namespace {

template <class T, class Fields>
void put_fields(MessageWriter& out, const T& from, const Fields& list) {
  each_field(list, [&](const char*, auto member) {
    const auto& value = from.*member;
    if constexpr (requires { out.put(value); })
      out.put(value);
    else if constexpr (requires { value.front().kind; })
      out.list(value, [&](const MemoryPool& p) { put_fields(out, p, kPoolFields); });
    else
      out.list(value);
  });
}

struct Get {
  MessageReader& in;
  template <class T>
  void operator()(T& value) const {
    value = in.get<T>();
  }
  void operator()(bool& value) const { value = in.flag(); }
  void operator()(std::string& value) const { value = in.text(); }
  void operator()(std::vector<std::string>& value) const { value = in.texts(); }
  void operator()(PoolKind& value) const { value = in.choice(PoolKind::ram); }
  void operator()(std::vector<MemoryPool>& value) const {
    value = in.list([&] { return fields<MemoryPool>(kPoolFields); });
  }
  template <class T, class Fields>
  T fields(const Fields& list) const {
    T out;
    each_field(list, [&](const char*, auto member) { (*this)(out.*member); });
    return out;
  }
};

}  // namespace

void put(MessageWriter& out, const TargetSpec& target) { put_fields(out, target, kTargetFields); }
void put_portable(MessageWriter& out, const TargetSpec& target) { put_fields(out, target, kPortableTargetFields); }

TargetSpec get_target_spec(MessageReader& in) { return Get{in}.fields<TargetSpec>(kTargetFields); }
TargetSpec get_portable_target(MessageReader& in) { return Get{in}.fields<TargetSpec>(kPortableTargetFields); }

}  // namespace byoc
