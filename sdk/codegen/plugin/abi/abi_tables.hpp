// The C++ view of the graph and the target as the tables of the plug-in ABI. It owns all that its tables point to.
#pragma once

#include <deque>
#include <vector>

#include "byoc/abi/abi.h"
#include "byoc/codegen.hpp"

namespace byoc::plugin {

class RegionTable {
 public:
  // The region must outlive the table.
  explicit RegionTable(const codegen::Region& region);
  RegionTable(const RegionTable&) = delete;
  RegionTable& operator=(const RegionTable&) = delete;
  byoc_region_t table;

 private:
  void add_value(const codegen::Value& value);
  void add_node(const codegen::Node& node);
  byoc_attribute_t attribute(const std::string& name, const codegen::Attribute& value);

  std::deque<byoc_quantisation_t> quantisations_;
  std::deque<byoc_value_t> values_;
  std::deque<byoc_attribute_t> attributes_;
  std::deque<std::vector<byoc_string_t>> strings_;
  std::deque<std::vector<const byoc_attribute_t*>> attribute_lists_;
  std::deque<byoc_node_t> nodes_;
  std::deque<byoc_group_t> groups_;
  std::vector<const byoc_value_t*> value_list_;
  std::vector<const byoc_node_t*> node_list_;
  std::vector<const byoc_group_t*> group_list_;
  std::vector<byoc_string_t> symbols_;
};

class TargetTable {
 public:
  // The target must outlive the table.
  explicit TargetTable(const TargetSpec& target);
  TargetTable(const TargetTable&) = delete;
  TargetTable& operator=(const TargetTable&) = delete;
  byoc_target_t table;

 private:
  std::vector<byoc_string_t> isa_;
  std::deque<std::vector<byoc_string_t>> attributes_;
  std::deque<byoc_memory_pool_t> pools_;
  std::vector<const byoc_memory_pool_t*> pool_list_;
};

}  // namespace byoc::plugin
