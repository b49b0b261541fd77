// Messages between this process and the worker of an isolated plug-in. isolated_codegen.hpp describes the protocol.
#pragma once

#include <memory>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "byoc/codegen.hpp"
#include "sdk/base/support/message.hpp"

namespace byoc::plugin {

// Requests to the worker; each is answered with Answer::result.
enum class Ask : std::uint32_t { load, create, verdicts, groups, update, compile, destroy };

// Messages from the worker: the result of a request, or before it a call of the host; each is answered in turn.
enum class Tell : std::uint32_t {
  result,
  log,
  progress,
  cancelled,
  claim,
  constant,
  constant_from_value,
  constant_arranged,
  source,
  header,
  private_value,
  step,
  alias,
  stored_privately,
  fused,
  instance,
  artifact,
  diag,
  errors,
  replace,
};

// Constants that were in memory when the worker was forked, and the model's source: they are where they were, and only
// that is told.
class KnownConstants {
 public:
  void add(const codegen::Region& region) {
    for (const codegen::Value& v : region.values)
      if (v.is_constant) spans_.insert({v.data.data(), v.data.size()});
    source_ = region.source;
  }
  [[nodiscard]] bool has(std::span<const std::byte> bytes) const {
    return spans_.contains({bytes.data(), bytes.size()});
  }
  [[nodiscard]] bool has(const std::shared_ptr<const codegen::ModelSource>& source) const {
    return source != nullptr && source == source_;
  }

 private:
  std::set<std::pair<const std::byte*, std::size_t>> spans_;
  std::shared_ptr<const codegen::ModelSource> source_;
};

// Structs as their members, one after the other (fields.hpp); of the structs that are instantiated in wire.cpp.
template <class T>
void put(MessageWriter& out, const T& value);
void put(MessageWriter& out, const codegen::Region& region, const KnownConstants& known);
// dtype, dims and quantisation.
void put_type(MessageWriter& out, const codegen::Value& value);

// Reading a worker's message fails if it breaks a rule of the ABI that is not checked later. Unknown constants of a
// region are views into the message, which must outlive it.
template <class T>
[[nodiscard]] T get(MessageReader& in);
// A region that nobody has in memory: constants without their bytes.
[[nodiscard]] codegen::Region get_region_of_a_file(MessageReader& in);
[[nodiscard]] codegen::Group get_group(MessageReader& in, std::size_t nodes, std::size_t patterns);
void get_type(MessageReader& in, codegen::Value& value);

}  // namespace byoc::plugin
