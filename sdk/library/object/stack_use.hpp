// The stack that functions of an object take, read from their instructions: whoever compiled or wrote them, with
// whatever options. For Thumb code and 32-bit RISC-V.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "byoc/target.hpp"
#include "sdk/base/support/diagnostics.hpp"

namespace byoc {

// A function that another one calls, or whose address it takes.
struct StackCall {
  std::string name;
  std::optional<std::size_t> local = {};  // position among the object's functions, if it is one of them
  bool by_address = false;                // its address is taken, if it is a function at all
};

struct FunctionStack {
  std::string name;
  bool global = false;       // seen by other objects
  std::uint64_t bytes = 0;   // the most that its own frame takes
  std::string unknown = {};  // why that is not known: "calls by a pointer"; "": it is
  std::vector<StackCall> calls = {};
  bool by_pointer = false;  // it calls by a register that holds an address which is among `calls`
};

class StackReader {
 public:
  // Null for a target whose code is not read.
  [[nodiscard]] static std::unique_ptr<StackReader> create(const TargetSpec& target);
  virtual ~StackReader() = default;
  // The functions of an object in the order of its symbols. `name` is for diagnostics. Errors: no readable object.
  [[nodiscard]] virtual Result<std::vector<FunctionStack>> read(std::span<const std::byte> object,
                                                                const std::string& name, Diagnostics& diags) = 0;
};

}  // namespace byoc
