// What the two flavours share: where layers and weights are in the instance, constants, and what runs at open and
// close.
#pragma once

#include "network.hpp"
#include "runtime_text.hpp"

namespace onednn {

using byoc::codegen::Host;
using byoc::codegen::Request;
using byoc::codegen::Step;

// sizeof(onednn_context_t) and sizeof(onednn_layer_t) where pointers have 64 bits; the emitted C checks it.
inline constexpr std::uint64_t kContextBytes = 16;
inline constexpr std::uint64_t kLayerBytes = 16 + 6 * 16;

// The instance: context, layers, weights in oneDNN's own layouts.
class Instance {
 public:
  explicit Instance(const std::vector<Network>& networks);

  [[nodiscard]] std::uint32_t first_layer(std::size_t region) const { return first_layer_[region]; }
  [[nodiscard]] std::uint32_t layers() const { return layers_; }
  [[nodiscard]] std::uint64_t weights_at(std::size_t region, std::size_t operation) const {
    return weights_at_[first_layer_[region] + operation];
  }
  // The C type of the instance, `state_t`.
  [[nodiscard]] std::string c_type() const;
  // Functions that make and end it; `open` is the body that makes the layers, with ONEDNN_TRY.
  void hand_over(Host& host, std::string& text, std::string_view open) const;

 private:
  std::vector<std::uint32_t> first_layer_;
  std::vector<std::uint64_t> weights_at_;
  std::uint32_t layers_ = 0;
  std::uint64_t bytes_ = 0;
};

// Makes a constant global; returns its symbol.
[[nodiscard]] std::string constant(Host& host, const Region& region, const Constant& c);
// Tells what became of values that a layer of several nodes computes inside.
void tell_fused(Host& host, const Region& region, const Operation& op, ValueId into);
[[nodiscard]] std::string kernel_name(const Operation& op);
// Private C source, and the headers that it includes.
void hand_over_source(const Request& request, Host& host, std::string_view stem, std::string_view include,
                      std::string text);

// The flavours. All regions, at least one layer.
void emit_source(const Request& request, Host& host, const std::vector<Network>& networks);
void emit_graph(const Request& request, Host& host, std::vector<Network>& networks);

}  // namespace onednn
