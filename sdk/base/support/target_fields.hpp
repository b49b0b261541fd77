// The members of TargetSpec and MemoryPool with their names, each struct once. Messages, descriptions and comparisons
// of targets follow from these lists.
#pragma once

#include <tuple>
#include <utility>

#include "byoc/target.hpp"
#include "sdk/base/support/count_members.hpp"

namespace byoc {

// The members that mean the same on any machine. Two objects in one library must agree about all but the name.
inline constexpr std::tuple kPortableTargetFields{std::pair{"name", &TargetSpec::name},
                                                  std::pair{"triple", &TargetSpec::triple},
                                                  std::pair{"cpu", &TargetSpec::cpu},
                                                  std::pair{"march", &TargetSpec::march},
                                                  std::pair{"fpu", &TargetSpec::fpu},
                                                  std::pair{"float_abi", &TargetSpec::float_abi},
                                                  std::pair{"abi", &TargetSpec::abi},
                                                  std::pair{"code_model", &TargetSpec::code_model},
                                                  std::pair{"endianness", &TargetSpec::endianness},
                                                  std::pair{"pointer_width", &TargetSpec::pointer_width},
                                                  std::pair{"short_enums", &TargetSpec::short_enums},
                                                  std::pair{"hosted", &TargetSpec::hosted},
                                                  std::pair{"pic", &TargetSpec::pic},
                                                  std::pair{"isa", &TargetSpec::isa},
                                                  std::pair{"pools", &TargetSpec::pools}};
// The commands and folders of compilers, which are of one machine, and all that goes with them.
inline constexpr std::tuple kToolchainTargetFields{
    std::pair{"gnu_command", &TargetSpec::gnu_command}, std::pair{"gnu_flags", &TargetSpec::gnu_flags},
    std::pair{"include_dirs", &TargetSpec::include_dirs},
    std::pair{"default_toolchain", &TargetSpec::default_toolchain}, std::pair{"simulator", &TargetSpec::simulator}};
inline constexpr std::tuple kTargetFields = std::tuple_cat(kPortableTargetFields, kToolchainTargetFields);
inline constexpr std::tuple kPoolFields{
    std::pair{"name", &MemoryPool::name}, std::pair{"kind", &MemoryPool::kind}, std::pair{"size", &MemoryPool::size},
    std::pair{"attributes", &MemoryPool::attributes}, std::pair{"section", &MemoryPool::section}};
static_assert(std::tuple_size_v<decltype(kTargetFields)> == count_members<TargetSpec>());
static_assert(std::tuple_size_v<decltype(kPoolFields)> == count_members<MemoryPool>());

// Calls visit(name, pointer to the member) for each field of the list.
template <class Fields, class Visit>
void each_field(const Fields& list, const Visit& visit) {
  std::apply([&](const auto&... field) { (visit(field.first, field.second), ...); }, list);
}

}  // namespace byoc
