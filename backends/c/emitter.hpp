// The interface of a lowering: the node, the target, and typed ways to give constants, kernels and steps to the host.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "backends/layers/kernel_option.hpp"
#include "byoc/c_text.hpp"
#include "byoc/codegen.hpp"

// Readers of nodes are everybody's, what is known of layers every backend's; here both are called without the names of
// their places.
namespace byoc::nodes {}
namespace byoc::layers {}

namespace byoc::c {

using namespace nodes;   // NOLINT(google-build-using-namespace)
using namespace layers;  // NOLINT(google-build-using-namespace)

// The kernels of the nodes that there was a choice for, and the estimate of the others that it was asked about.
struct ChosenKernel {
  KernelOption option;
  std::string remark;  // for reports: the work, and what else it could have been
};
using ChosenKernels = std::map<codegen::NodeId, ChosenKernel>;

// A kernel is a template file of kernels/ instantiated under a symbol. The emitted source is
//   #define BYOC_SYMBOL <symbol>
//   #define <name> <value>      (for each of defines)
//   <text of the file>
// and it holds exactly one external definition, `symbol`. Headers of kernels/ that the file includes go with it.
struct Kernel {
  std::string file;    // "conv_s8_dsp.c"
  std::string symbol;  // "byoc_conv_s8_dsp"
  std::map<std::string, std::string> defines;
};

// static const <type> <name> = <value>; before a step's function. Its value may name constants, and "&" others of the
// step.
struct Definition {
  std::string type;
  std::string name;
  std::string value;
  std::string dims = {};  // "[3]" of an array
};

// Text of one step. `body` is the inside of a C function whose parameters are named in0, in1 ..., out0, out1 ...,
// ws0, ws1 ... (typed pointers: const for inputs, void for private values and workspaces). It falls through to
// `return 0;`. Includes are added.
struct StepText {
  std::vector<Definition> parameters;  // each names only those before it
  std::string body;
  std::string functions;               // before all of it, at file scope: the parts of a step that has some
  std::set<std::string> includes;      // headers of kernels/, and of the C library in <>
  std::set<std::string> declarations;  // lines before the functions, each once: prototypes that no header has
};

// The one source of the steps of all regions: what they share is compiled once.
class StepsSource {
 public:
  void add(StepText definitions);
  void write(codegen::Host& host, std::string_view internal_header) const;

 private:
  StepText all_;
};

// Constants that were made: their names by what they were to be called and what is in them.
struct KnownConstants {
  std::map<std::tuple<std::string, DType, std::vector<std::byte>>, std::string> symbols;
};

// Compiles one region node by node. Lowerings may look at the whole region (fusion) but emit in its order.
class Emitter {
 public:
  // The region and `chosen` outlive this.
  Emitter(const codegen::Request& request, codegen::Host& host, const codegen::Region& of, const ChosenKernels& chosen);
  // For steps that become parts of another step: their functions are static, and known constants are not made again.
  Emitter(const codegen::Request& request, codegen::Host& host, const codegen::Region& of, KnownConstants& known,
          const ChosenKernels& chosen);

  const codegen::Region& region;
  const TargetSpec& target;
  const Objective objective;
  // The number of earlier requests whose plan did not fit.
  const std::uint32_t attempt;
  // True if constants are located when the program runs (codegen::Request::constants_move).
  const bool constants_move;

  [[nodiscard]] const codegen::Value& value(codegen::ValueId id) const { return region.values[id]; }
  // The value of the node's input, or null where it is not given.
  [[nodiscard]] const codegen::Value* input(const codegen::Node& node, std::size_t index) const;
  // The number of nodes of the region that read it, plus one if it leaves the region.
  [[nodiscard]] std::size_t uses(codegen::ValueId id) const { return links_[id].uses; }
  // The node of the region that makes it; null for what comes into the region.
  [[nodiscard]] const codegen::Node* producer(codegen::ValueId id) const {
    return id == codegen::kNoValue ? nullptr : links_[id].producer;
  }
  // The node of the region that is its only use; null where there are others, or none.
  [[nodiscard]] const codegen::Node* only_reader(codegen::ValueId id) const {
    return links_[id].uses == 1 ? links_[id].reader : nullptr;
  }
  // Sets the values that have storage of the backend's own; functions take these as void pointers. Outlives this.
  void set_own_storage(const std::vector<bool>& values) { own_storage_ = &values; }

  // KernelOption::kernel of the option that the node takes; "" where it had none.
  [[nodiscard]] std::string_view chosen(const codegen::Node& node) const;

  // Makes a constant and returns its symbol, declared in the internal header as `extern const T symbol[n]`.
  template <class T>
  std::string constant(std::string_view stem, std::span<const T> elements, bool model_data, std::uint32_t align = 4) {
    return constant_bytes(stem, dtype_of<T>(), std::as_bytes(elements), model_data, align);
  }
  std::string constant_bytes(std::string_view stem, DType element, std::span<const std::byte> bytes, bool model_data,
                             std::uint32_t align = 4);
  // The elements of a constant value of the region, which are of type T, in another order.
  template <class T>
  std::string constant_arranged(std::string_view stem, codegen::ValueId id, const codegen::Arrangement& how,
                                std::uint32_t align = 4) {
    return constant_arranged_value(stem, dtype_of<T>(), id, how, align);
  }
  // A constant value of the region as it is, by reference.
  std::string constant_value(std::string_view stem, codegen::ValueId id, std::uint32_t align = 4);

  // Emits the kernel's source once per symbol and returns the symbol.
  std::string kernel(const Kernel&);

  // Fills in `step.symbol` (claimed from the operator) and `step.nodes` (this node) where they are empty, writes the C
  // function and pushes the step.
  void step(const codegen::Node& node, codegen::Step step, const StepText& text);
  void alias(codegen::ValueId value, codegen::ValueId of) { host_.alias(region, value, of); }
  void fused(codegen::ValueId value, codegen::ValueId into) { host_.fused(region, value, into); }
  // Reports an error about a node; returns false to be returned.
  bool error(const codegen::Node& node, std::string_view text);
  codegen::Host& host() { return host_; }

  // Hands the steps over; called once at the end of a region.
  void finish(StepsSource&);
  // The functions of all steps as those of another, with what they need; instead of finish().
  [[nodiscard]] StepText take_definitions();

 private:
  template <class T>
  static constexpr DType dtype_of();
  // Constants of a part of another step.
  std::string known_constant(std::string_view stem, DType element, std::vector<std::byte> bytes, bool model_data,
                             std::uint32_t align);
  std::string constant_arranged_value(std::string_view stem, DType element, codegen::ValueId id,
                                      const codegen::Arrangement& how, std::uint32_t align);
  codegen::ConstantDecl claim_constant(std::string_view stem, DType element, bool model_data, std::uint32_t align);
  [[nodiscard]] std::string define(std::span<const Definition> parameters, std::string& locals) const;
  void include_headers(std::string_view text);
  std::string parameter(const codegen::Operand& operand, const std::string& name, bool is_input, std::string& locals);

  codegen::Host& host_;
  const ChosenKernels& chosen_;
  KnownConstants* known_ = nullptr;
  const std::vector<bool>* own_storage_ = nullptr;
  std::string_view internal_header_;
  struct Links {
    const codegen::Node *producer = nullptr, *reader = nullptr;
    std::size_t uses = 0;
  };
  std::vector<Links> links_;      // of values
  std::set<std::string> moving_;  // constants of this emitter, with Emitter::constants_move
  std::set<std::string> kernels_;
  std::set<std::string> headers_;
  std::set<std::string> includes_;
  std::set<std::string> declarations_;
  std::string text_;
};

template <class T>
constexpr DType Emitter::dtype_of() {
  if constexpr (std::is_same_v<T, float>)
    return DType::f32;
  else if constexpr (std::is_same_v<T, std::int8_t>)
    return DType::i8;
  else if constexpr (std::is_same_v<T, std::uint8_t>)
    return DType::u8;
  else if constexpr (std::is_same_v<T, std::int16_t>)
    return DType::i16;
  else if constexpr (std::is_same_v<T, std::uint16_t>)
    return DType::u16;
  else if constexpr (std::is_same_v<T, std::int32_t>)
    return DType::i32;
  else if constexpr (std::is_same_v<T, std::uint32_t>)
    return DType::u32;
  else if constexpr (std::is_same_v<T, std::int64_t>)
    return DType::i64;
  else
    static_assert(!sizeof(T), "no DType for this element");
}

// "Conv \"layer1\": i8[1,8,8,3] -> i8[1,8,8,16]" made safe for a comment.
[[nodiscard]] std::string describe(const codegen::Region&, const codegen::Node&);

}  // namespace byoc::c
