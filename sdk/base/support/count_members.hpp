// How many members a struct has, so that a list of them that it has outgrown does not compile.
#pragma once

#include <cstddef>

namespace byoc {
namespace detail {

// Initialises a member of any type.
struct Anything {
  template <class T>
  operator T() const;
};

}  // namespace detail

// Counts the members of T: it can be initialised with that many values, but with no more.
template <class T, class... Values>
consteval std::size_t count_members() {
  if constexpr (requires { T{Values{}..., detail::Anything{}}; })
    return count_members<T, Values..., detail::Anything>();
  else
    return sizeof...(Values);
}

}  // namespace byoc
