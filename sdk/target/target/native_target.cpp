#include "sdk/target/target/native_target.hpp"

#include <algorithm>
#include <string_view>

#include "sdk/target/target/target.hpp"

namespace byoc::target {
namespace {

std::string_view native_name() {
#ifdef __x86_64__
  __builtin_cpu_init();
  if (__builtin_cpu_supports("x86-64-v4")) return "x86-64-v4";
  if (__builtin_cpu_supports("x86-64-v3")) return "x86-64-v3";
  if (__builtin_cpu_supports("x86-64-v2")) return "x86-64-v2";
#endif
  return "host";
}

}  // namespace

TargetSpec native_target() {
  TargetSpec out = *std::ranges::find(known_targets(), native_name(), &TargetSpec::name);
#ifdef __x86_64__
  if (out.has("avx512") && __builtin_cpu_supports("avx512vnni")) out.isa.emplace_back("avx512.vnni");
#endif
  return out;
}

}  // namespace byoc::target
