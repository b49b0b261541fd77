// The memory of a graph executor: one block for all storages, zeros at first. Internal to this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "sdk/base/support/diagnostics.hpp"
#include "sdk/program/graphjson/graph_json.hpp"

namespace byoc::runtime {

class GraphMemory {
 public:
  // Each storage at a multiple of `align`. Error: there is not as much memory.
  static Result<std::shared_ptr<GraphMemory>> create(const GraphJson& graph, std::uint64_t align,
                                                     const std::string& file, Diagnostics&);
  ~GraphMemory();
  GraphMemory(const GraphMemory&) = delete;
  GraphMemory& operator=(const GraphMemory&) = delete;

  [[nodiscard]] std::byte* storage(std::uint32_t id) const { return data_ + offsets_.at(id); }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  GraphMemory() = default;
  std::byte* data_ = nullptr;
  std::uint64_t bytes_ = 0;
  std::map<std::uint32_t, std::uint64_t> offsets_;
};

}  // namespace byoc::runtime
