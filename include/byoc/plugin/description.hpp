// A plug-in's description of itself, and the values of its options. Part of byoc/plugin.hpp.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "byoc/plugin/views.hpp"

namespace byoc {

enum class OptionType : std::uint32_t { boolean = 1, integer = 2, real = 3, text = 4, choice = 5 };

struct PluginOption {
  std::string name = {};  // lower-case letters, digits and '-'
  OptionType type = OptionType::text;
  std::string default_value = {};  // as a user would write it
  std::string help = {};           // one line
  std::vector<std::string> choices = {};
};

struct PluginDescription {
  std::string id = {};    // reverse domain, lower case: "com.acme.npu"; also the prefix of its options
  std::string name = {};  // for people
  std::string vendor = {};
  std::string version = {};
  std::string license = {};  // SPDX identifier of the code it emits
  std::string build_id = {};
  std::uint64_t caps = BYOC_CAP_DETERMINISTIC;
  std::vector<PluginOption> options = {};
  std::vector<codegen::Pattern> patterns = {};
  std::uint32_t min_host_minor = 0;
  codegen::Role role = codegen::Role::vendor;
  bool moves_constants = false;  // the extension byoc.moving-constants/1: codegen::Request::constants_move may be true
};

// The checked values of a plug-in's options. Asking for one that was not declared throws std::out_of_range, which is a
// bug of the plug-in that the host reports.
class PluginOptions {
 public:
  PluginOptions() = default;
  explicit PluginOptions(const byoc_create_info_t& info) {
    for (std::uint32_t i = 0; i < info.option_count; ++i) {
      const byoc_option_value_t& v = *info.options[i];
      values_.push_back({abi::text(v.name), abi::text(v.text), v.integer, v.real});
    }
  }
  [[nodiscard]] bool flag(std::string_view name) const { return find(name).integer != 0; }
  [[nodiscard]] std::int64_t integer(std::string_view name) const { return find(name).integer; }
  [[nodiscard]] double real(std::string_view name) const { return find(name).real; }
  [[nodiscard]] const std::string& text(std::string_view name) const { return find(name).text; }

 private:
  struct Value {
    std::string name;
    std::string text;
    std::int64_t integer;
    double real;
  };
  [[nodiscard]] const Value& find(std::string_view name) const {
    for (const Value& v : values_)
      if (v.name == name) return v;
    throw std::out_of_range("no option '" + std::string(name) + "' is declared");
  }
  std::vector<Value> values_;
};

namespace abi {

// A byoc_plugin_t made of a description, and everything that it points to. Kept in static storage.
class PluginTable {
 public:
  explicit PluginTable(PluginDescription description) : d_(std::move(description)) {
    table = make<byoc_plugin_t>();
    table.abi_major = BYOC_ABI_MAJOR;
    table.abi_minor = BYOC_ABI_MINOR;
    table.min_host_minor = d_.min_host_minor;
    table.id = string(d_.id);
    table.name = string(d_.name);
    table.vendor = string(d_.vendor);
    table.version = string(d_.version);
    table.build_id = string(d_.build_id);
    table.license = string(d_.license);
    table.caps = d_.caps;
    table.operators_version = BYOC_OPERATORS_VERSION;
    table.role = static_cast<std::uint32_t>(d_.role);
    add_options();
    add_patterns();
  }
  PluginTable(const PluginTable&) = delete;
  PluginTable& operator=(const PluginTable&) = delete;

  byoc_plugin_t table;

 private:
  void add_options() {
    choices_.reserve(d_.options.size());
    for (const PluginOption& o : d_.options) {
      choices_.push_back(strings(o.choices));
      auto out = make<byoc_option_t>();
      out.type = static_cast<std::uint32_t>(o.type);
      out.name = string(o.name);
      out.help = string(o.help);
      out.default_value = string(o.default_value);
      out.choices = choices_.back().data();
      out.choice_count = count(choices_.back());
      options_.items.push_back(out);
    }
    table.options = options_.data();
    table.option_count = count(options_.items);
  }

  void add_patterns() {
    nodes_.resize(d_.patterns.size());
    for (std::size_t i = 0; i < d_.patterns.size(); ++i) {
      for (const codegen::PatternNode& n : d_.patterns[i].nodes) {
        auto out = make<byoc_pattern_node_t>();
        out.flags = (n.optional ? BYOC_PATTERN_OPTIONAL : 0u) | (n.commutative ? BYOC_PATTERN_COMMUTATIVE : 0u);
        out.domain = string(n.domain);
        out.op = string(n.op);
        out.inputs = n.inputs.data();
        out.input_count = count(n.inputs);
        nodes_[i].items.push_back(out);
      }
      auto out = make<byoc_pattern_t>();
      out.name = string(d_.patterns[i].name);
      out.nodes = nodes_[i].data();
      out.node_count = count(nodes_[i].items);
      patterns_.items.push_back(out);
    }
    table.patterns = patterns_.data();
    table.pattern_count = count(patterns_.items);
  }

  PluginDescription d_;
  std::vector<std::vector<byoc_string_t>> choices_;
  List<byoc_option_t> options_;
  std::vector<List<byoc_pattern_node_t>> nodes_;
  List<byoc_pattern_t> patterns_;
};

}  // namespace abi
}  // namespace byoc
