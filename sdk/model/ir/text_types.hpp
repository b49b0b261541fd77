// Types, quantisation and constant data of the text form. Private to the parser.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "sdk/model/ir/graph.hpp"
#include "sdk/model/ir/text_scanner.hpp"

namespace byoc::ir::text {

inline constexpr std::uint64_t kLargestConstants = std::uint64_t{1} << 30;  // bytes, all constants of a text together

class TypeParser {
 public:
  // Adds symbols to `graph` as it meets them and takes the sizes of constants from `budget`; both outlive it.
  TypeParser(Scanner& scanner, Graph& graph, std::uint64_t& budget) : s_(scanner), graph_(graph), budget_(budget) {}

  // A name of the list symbols=[...], with the lengths that a run may have: "N", "N=[1,32]".
  Result<void> declare_symbol();
  // f32[2,N] q(0.5, 0)
  Result<TensorType> type();
  // The bytes after the '=' of a constant: exactly the bytes of its type.
  Result<Blob> data(const TensorType&);

 private:
  // The elements' type, without quantisation.
  Result<TensorType> element_type();
  Result<void> dim(std::vector<Dim>& dims);
  Result<Blob> texts(const TensorType&);
  Result<TensorType> quantised(TensorType t);
  Result<std::uint64_t> size_of(const TensorType& t);
  template <class T>
  Result<Blob> elements(DType dtype, std::uint64_t size, bool splat);

  Scanner& s_;
  Graph& graph_;
  std::uint64_t& budget_;
  std::map<std::string, std::size_t, std::less<>> symbols_;
};

}  // namespace byoc::ir::text
