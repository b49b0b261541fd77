#include "sdk/base/support/target_message.hpp"

namespace byoc {
namespace {

// All members, in their order: those of any machine, then those of one. A member that is added to the struct and not
// here does not compile.
template <class Target, class Visit>
void members(Target& t, bool portable, const Visit& visit) {
  auto& [name, triple, cpu, march, fpu, float_abi, abi, code_model, endianness, pointer_width, short_enums, hosted, pic,
         isa, pools, gnu_command, gnu_flags, include_dirs, default_toolchain, simulator] = t;
  visit(name), visit(triple), visit(cpu), visit(march), visit(fpu), visit(float_abi), visit(abi), visit(code_model);
  visit(endianness), visit(pointer_width), visit(short_enums), visit(hosted), visit(pic), visit(isa), visit(pools);
  if (portable) return;
  visit(gnu_command), visit(gnu_flags), visit(include_dirs), visit(default_toolchain), visit(simulator);
}

template <class Pool, class Visit>
void members_of_pool(Pool& p, const Visit& visit) {
  auto& [name, kind, size, attributes, section] = p;
  visit(name), visit(kind), visit(size), visit(attributes), visit(section);
}

struct Put {
  MessageWriter& out;
  template <class T>
  void operator()(const T& value) const {
    if constexpr (requires { out.put(value); })
      out.put(value);
    else
      out.list(value);
  }
  void operator()(const std::vector<MemoryPool>& pools) const {
    out.list(pools, [&](const MemoryPool& p) { members_of_pool(p, *this); });
  }
};

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
    value = in.list([&] {
      MemoryPool p;
      members_of_pool(p, *this);
      return p;
    });
  }
};

}  // namespace

void put(MessageWriter& out, const TargetSpec& target) { members(target, false, Put{out}); }
void put_portable(MessageWriter& out, const TargetSpec& target) { members(target, true, Put{out}); }

TargetSpec get_target_spec(MessageReader& in) {
  TargetSpec out;
  members(out, false, Get{in});
  return out;
}

TargetSpec get_portable_target(MessageReader& in) {
  TargetSpec out;
  members(out, true, Get{in});
  return out;
}

}  // namespace byoc
