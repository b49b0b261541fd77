// A codegen's view of a model, and its output: the C++ form of the plug-in interface.
//
// A codegen is asked twice. verdicts(): for every node, can you compile it, and if not, why. compile(): here are
// your regions, all in one call; push artifacts (C source, objects, constants) and steps to the host.
// Everything handed to a codegen is read-only and lives for the call. Everything it hands over is copied or
// consumed before the host's function returns. byoc/plugin.hpp turns a class of this interface into a plug-in.
// Standard headers only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "byoc/arrangement.hpp"
#include "byoc/target.hpp"
#include "byoc/types.hpp"

namespace byoc::codegen {

using ValueId = std::uint32_t;                    // index into Region::values
using NodeId = std::uint32_t;                     // index into Region::nodes
inline constexpr ValueId kNoValue = 0xffffffffu;  // an optional input that is not given

using AttributeVariant = std::variant<std::int64_t, float, std::string, std::vector<std::int64_t>, std::vector<float>,
                                      std::vector<std::string>>;

// A variant that is copied by assignment: where there is no memory for a copy, the constructor of libstdc++ 12 destroys
// what it has not made.
struct Attribute : AttributeVariant {
  using AttributeVariant::AttributeVariant;
  using AttributeVariant::operator=;
  Attribute() = default;
  Attribute(const Attribute& other) : AttributeVariant() { AttributeVariant::operator=(other); }
  Attribute(Attribute&&) noexcept = default;
  Attribute& operator=(const Attribute&) = default;
  Attribute& operator=(Attribute&&) noexcept = default;
  ~Attribute() = default;
};

// A tensor of the graph.
struct Value {
  std::string name;  // as the model says; not an identifier
  DType dtype = DType::undefined;
  // Row-major. Known (>= 0), but in regions with symbols: there dim d < 0 is open, the symbol Region::symbols[-1 - d].
  std::vector<std::int64_t> dims;
  Quantisation quantisation;  // scales empty: not quantised
  bool is_constant = false;
  std::span<const std::byte> data;  // constants only: row-major, little-endian, mapped from the model
  bool is_state = false;            // a variable of the instance: kept between runs
  std::int64_t source_index = -1;   // position in the source's own tensor table (TFLite); -1: it has none

  [[nodiscard]] bool quantised() const { return !quantisation.scales.empty(); }
  [[nodiscard]] std::int64_t elements() const {
    std::int64_t n = 1;
    for (std::int64_t d : dims) n *= d;
    return n;
  }
  [[nodiscard]] std::uint64_t bytes() const {
    return (static_cast<std::uint64_t>(elements()) * bit_width(dtype) + 7) / 8;
  }
};

// An operator. Names and attributes are ONNX's for domain "", ours for domain "byoc" (docs/graph-language.md).
struct Node {
  std::string name;    // as the model says; "" where it has none
  std::string domain;  // "" is ai.onnx
  std::string op;      // "Conv"
  std::int64_t version = 1;
  std::vector<ValueId> inputs;  // kNoValue where an optional input is not given
  std::vector<ValueId> outputs;
  std::map<std::string, Attribute, std::less<>> attributes;
  std::int64_t position = -1;  // among the source's operators, for reports; -1: not known

  template <class T>
  [[nodiscard]] const T* find(std::string_view key) const {
    auto it = attributes.find(key);
    return it == attributes.end() ? nullptr : std::get_if<T>(&it->second);
  }
  [[nodiscard]] std::int64_t integer(std::string_view key, std::int64_t otherwise) const {
    const auto* p = find<std::int64_t>(key);
    return p ? *p : otherwise;
  }
  [[nodiscard]] float real(std::string_view key, float otherwise) const {
    const auto* p = find<float>(key);
    return p ? *p : otherwise;
  }
  [[nodiscard]] std::string text(std::string_view key, std::string_view otherwise) const {
    const auto* p = find<std::string>(key);
    return p ? *p : std::string(otherwise);
  }
  [[nodiscard]] std::vector<std::int64_t> integers(std::string_view key, std::vector<std::int64_t> otherwise) const {
    const auto* p = find<std::vector<std::int64_t>>(key);
    if (p) return *p;
    return otherwise;
  }
};

inline constexpr std::uint32_t kNoPattern = 0xffffffffu;

// Nodes that were claimed together (Codegen::groups) and all granted.
struct GrantedGroup {
  std::uint32_t pattern = kNoPattern;  // index of a declared pattern
  std::vector<NodeId> nodes = {};      // ascending
};

struct Region;

// A region as a model of its own in the format of TensorFlow Lite.
struct TfliteForm {
  // The range of a constant's elements in `bytes`; `value` is the region's value with the same elements, or kNoValue.
  struct Content {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    ValueId value = kNoValue;
  };
  std::vector<std::byte> bytes = {};  // empty: there is none
  std::vector<Content> contents = {};
  std::string refusal = {};  // why there is none
};

// The file of a model, for those who want a part of it in its own format. Whoever has one may ask from any thread.
class ModelSource {
 public:
  virtual ~ModelSource() = default;
  [[nodiscard]] virtual TfliteForm as_tflite(const Region&) const = 0;
};

// A convex part of the model in topological order; for verdicts, the whole model.
struct Region {
  std::string name;
  Requant requant = Requant::onnx;
  std::vector<Value> values;
  std::vector<Node> nodes;
  std::vector<ValueId> inputs;   // values computed outside and read here, constants not among them
  std::vector<ValueId> outputs;  // values computed here and read outside, or given out by the model
  std::vector<GrantedGroup> groups = {};
  // Names of open dims, whose lengths the step of the region is given when it runs. Only for codegens that
  // takes_open_dims(); such a region is one node, and becomes one step, without an instance and private values.
  std::vector<std::string> symbols = {};
  std::shared_ptr<const ModelSource> source = {};  // null where the model's format has no form of its own to give
};

enum class Reason : std::uint32_t {
  none = 0,
  unsupported_op = 1,
  unsupported_dtype = 2,
  unsupported_attribute = 3,
  unsupported_shape = 4,
  unsupported_quantisation = 5,
  not_constant = 6,
  target = 7,
  option = 8,        // an option of the user's excludes it
  memory = 9,        // it does not fit the device's memories
  cost = 10,         // it could, but it would not pay
  group = 11,        // only as part of a group
  vendor = 0x10000,  // and above: a codegen's own
};

// The closeness of results to the evaluator of the SDK, which follows the source framework.
enum class Exactness : std::uint32_t {
  exact = 0,     // the same bits; for floats: in the same order of operations
  lsb = 1,       // quantised: off by at most `tolerance` steps of the output's scale
  ulp = 2,       // floats: off by at most `tolerance` units in the last place
  relative = 3,  // floats: |found - expected| <= tolerance * max(1, |expected|)
};

// The answer for one node. `text` says why not, in words for a person: "found int16, expected int8 or float32".
struct Verdict {
  bool claimed = false;
  Reason reason = Reason::none;
  std::string text;
  Exactness exactness = Exactness::exact;
  double tolerance = 0;       // of exactness
  double cost = 0;            // estimated cycles of one run on this target; 0: not known
  std::int32_t priority = 0;  // larger is preferred, after the user's own order
};

// Nodes that a codegen compiles as one: all of them or none. `verdict.claimed` is true.
struct Group {
  std::vector<NodeId> nodes = {};  // ascending
  Verdict verdict = {};
  std::uint32_t pattern = kNoPattern;
};

// A pattern of nodes, declared as data: the host finds the matches. The last node is the root.
struct PatternNode {
  static constexpr std::int32_t kAny = -1;       // an input that may be anything, given or not
  static constexpr std::int32_t kConstant = -2;  // a constant
  static constexpr std::int32_t kAbsent = -3;    // not given
  std::string domain = {};
  std::string op = {};
  std::vector<std::int32_t> inputs = {};  // >= 0: the first output of that earlier node; further inputs match anything
  bool optional = false;                  // may be missing: then its first input that is a node stands for it
  bool commutative = false;               // the first two inputs match in either order
};

struct Pattern {
  std::string name = {};
  std::vector<PatternNode> nodes = {};
};

struct Match {
  std::uint32_t pattern = 0;
  std::vector<NodeId> nodes = {};  // one for each node of the pattern; kNoNode for an optional one that is missing
};
inline constexpr NodeId kNoNode = 0xffffffffu;

// A constant to be put into flash by the host. The codegen never prints it.
struct ConstantDecl {
  std::string symbol = {};       // claimed with Host::claim
  DType element = DType::u8;     // element type of the declaration that the host writes for C
  std::uint32_t align = 4;       // bytes, a power of two
  std::string region = "flash";  // a pool of kind flash
  bool model_data = true;        // weights of the model; false: tables, multipliers, parameters
};

// The weight of code where an export balances speed and size.
enum class Effort : std::uint32_t {
  usual = 0,  // nothing is stated: hot for shared code and LLVM modules, glue for C that belongs to one model
  hot = 1,    // the time of a run goes there
  light = 2,  // it follows what is hot and does little itself: small code, unless speed is all that counts
  glue = 3,   // calls and tables: small code
};

// C source. A private source belongs to this model. A shared one (a kernel) holds exactly one external definition
// and may be linked from several models: the host renames `symbol` after the content and gives it a member of its own.
// Given again, it is the same text; of the efforts that are stated the most counts: hot before light before glue.
struct SourceDecl {
  std::string name = {};    // file stem, unique in the call
  std::string symbol = {};  // shared sources: the one external definition; else ""
  bool shared = false;
  std::string standard = {};                          // "c99" ("" too), "c11", "gnu11" ...
  std::vector<std::string> include_directories = {};  // absolute folders of the vendor's headers
  Effort effort = Effort::usual;
  // "NAME", "NAME=VALUE" or "NAME(X)=VALUE", defined before the first line: part of the text from there on.
  std::vector<std::string> defines = {};
};

enum class ArtifactKind : std::uint32_t {
  llvm_bitcode = 3,    // of the host's LLVM version or older
  object = 4,          // an ELF relocatable of the target
  static_library = 6,  // a .a of objects of the target; its members go into the library
  link_library = 7,    // no bytes: what the firmware links besides: "acme_npu" for -lacme_npu
  licence = 8,         // text; `name` is the SPDX identifier
};

// An artifact that is neither C nor a constant. LLVM modules may be shared as C sources are: `symbol` is renamed in the
// module and in all LLVM modules and C sources of the export that use it.
struct ArtifactDecl {
  ArtifactKind kind = ArtifactKind::object;
  std::string name = {};                  // file stem; link libraries and licences: see above
  std::vector<std::string> defines = {};  // the external symbols in it that steps and instance name
  std::string symbol = {};                // shared LLVM modules: the one external definition; else ""
  bool shared = false;
  Effort effort = Effort::usual;  // LLVM modules
};

// Bytes a step needs while it runs and does not keep.
struct Workspace {
  std::uint64_t bytes = 0;
  std::uint32_t align = 4;
  std::vector<std::string> pools =
      {};  // RAM pools it may live in, in order of preference; empty: the first of the target
};

// An operand of a step: a graph value in the graph's own layout, or a private value of this codegen.
struct Operand {
  ValueId value = kNoValue;
  std::uint32_t private_value = 0;  // used where value == kNoValue: what Host::private_value gave
};

// outputs[output] may start `lead` bytes before inputs[input], and reach into it, if nobody reads that input
// afterwards. 0: at the same address. The lead of a step that goes forward through both is how far its results would
// otherwise get ahead of what it still reads.
struct Overlay {
  std::uint32_t output = 0;
  std::uint32_t input = 0;
  std::uint64_t lead = 0;
};

// One call in the generated root. C parameters in this order: instance (if uses_instance), inputs, outputs, one
// workspace each; for a region with symbols also const int32_t *dims with the length of each; typed pointers (void for
// private values and workspaces); returns int32_t, 0 for success.
struct Step {
  std::string symbol = {};           // external C function, claimed with Host::claim
  std::vector<Operand> inputs = {};  // no constants: those are symbols of the codegen's own
  std::vector<Operand> outputs = {};
  std::vector<Workspace> workspaces = {};
  std::vector<Overlay> overlays = {};
  bool uses_instance = false;
  std::vector<NodeId> nodes = {};  // the graph nodes it computes, for reports
  std::uint64_t macs = 0;          // multiply-accumulates per call, for reports; 0: none or not known
  std::string kernel = {};         // for reports: "conv_s8_dsp"
  std::uint64_t instructions = 0;  // of one call, estimated, for reports; 0: not known
  std::uint64_t kernel_bytes = 0;  // of the code of `kernel`, which steps may share, estimated; 0: not known
  std::string remark = {};         // for reports, a line for people: why this kernel
  // For people: why a call may return another value than 0, "index out of range". "": the codegen does not say, or it
  // never does. A run then ends with a code of its own for the step instead of what the step returned.
  std::string failure = {};
};

// Storage of a codegen's own between its steps.
struct PrivateValue {
  std::uint64_t bytes = 0;
  std::uint32_t align = 4;
  std::vector<std::string> pools = {};
  std::string name =
      {};  // for people, one line of at most 200 bytes: what reports and plans call it; "": by its number
};

// The place of a graph value that has no storage of its own, for tensor dumps. Element (i0, i1, ...) is at byte base +
// sum(stride_k * i_k) of the private value.
struct PrivateLayout {
  std::uint32_t private_value = 0;
  std::uint64_t base = 0;
  std::vector<std::int64_t> strides = {};  // bytes, one for each dim of the graph value
};

// State of a codegen inside the caller's instance. Symbols are C functions int32_t f(void* instance); "" for none.
struct Instance {
  std::uint64_t bytes = 0;
  std::uint32_t align = 8;
  std::string init = {};
  std::string reset = {};
  std::string deinit = {};
  std::vector<std::string> pools =
      {};  // as of a workspace; a model's instances are one, in a pool that all of them list
  // The device whose handle the program hands over, a C identifier: "ethos_u"; "": none. The instance begins with it, a
  // void*, which is null until <model>_set_devices().
  std::string device = {};
};

enum class Severity : std::uint32_t { note = 0, warning = 1, error = 2 };

// The host side of compile(). Valid during the call, from the calling thread only. A host says of everything what it
// does with it: one that hands on to another and forgot a function does not compile.
class Host {
 public:
  virtual ~Host() = default;
  // A C identifier that nobody else in this export has: "<model>_<stem>", made legal and unique.
  virtual std::string claim(std::string_view stem) = 0;
  // `bytes` are copied before return.
  virtual void constant(const ConstantDecl&, std::span<const std::byte> bytes) = 0;
  // As constant(), but takes ownership of the bytes instead of a copy.
  virtual void constant_owned(const ConstantDecl&, std::vector<std::byte> bytes) = 0;
  // [offset, offset+length) of a constant value of the region, by reference: never copied to the heap.
  virtual void constant_from_value(const ConstantDecl&, const Region&, ValueId, std::uint64_t offset,
                                   std::uint64_t length) = 0;
  // An arrangement of a constant value of the region, by reference: it is computed while it is written.
  virtual void constant_arranged(const ConstantDecl&, const Region&, ValueId, const Arrangement&) = 0;
  virtual void source(const SourceDecl&, std::string_view text) = 0;
  // A header that the sources of this codegen include by `name`.
  virtual void header(std::string_view name, std::string_view text) = 0;
  virtual void artifact(const ArtifactDecl&, std::vector<std::byte>) = 0;
  virtual std::uint32_t private_value(const PrivateValue&) = 0;
  // Steps run in an order that the host chooses among those that respect their operands.
  virtual void step(const Region&, const Step&) = 0;
  // `value` is the same bytes as `of` (a reshape): no step, no copy.
  virtual void alias(const Region&, ValueId value, ValueId of) = 0;
  virtual void stored_privately(const Region&, ValueId value, const PrivateLayout&) = 0;
  // `value` is never stored: it was computed inside the step that makes `into`.
  virtual void fused(const Region&, ValueId value, ValueId into) = 0;
  virtual void instance(const Instance&) = 0;
  // node may be kNoNode.
  virtual void diag(Severity, const Region&, NodeId, std::string_view text) = 0;
  // The number of errors reported so far, by either side.
  [[nodiscard]] virtual std::size_t errors() const = 0;

  virtual void log(std::string_view) = 0;
  virtual void progress(std::uint64_t done, std::uint64_t total, std::string_view what) = 0;  // total 0: not known
  virtual bool cancelled() = 0;
  // A private folder for files of the codegen's own, removed at the end; "" if there is none.
  virtual std::string scratch_directory() = 0;
  // The region as an ONNX model; empty after an error.
  virtual std::vector<std::byte> region_as_onnx(const Region&) = 0;
  // The region as a TFLite model, where the model is one; empty after an error.
  virtual std::vector<std::byte> region_as_tflite(const Region&) = 0;
};

// A host to whom nothing is told on the side, and who offers nothing there: of a codegen that has all that from
// elsewhere (a plug-in from its table), or needs none of it.
class PlainHost : public Host {
 public:
  void log(std::string_view) override {}
  void progress(std::uint64_t, std::uint64_t, std::string_view) override {}
  bool cancelled() override { return false; }
  std::string scratch_directory() override { return {}; }
  std::vector<std::byte> region_as_onnx(const Region&) override { return {}; }
  std::vector<std::byte> region_as_tflite(const Region&) override { return {}; }
};

// The host side of update_constants(). Valid during the call, from the calling thread only.
class ConstantUpdates {
 public:
  virtual ~ConstantUpdates() = default;
  // `bytes` take the place of the constant `value` of the region, with the dtype, dims and quantisation of `type`; for
  // this codegen and this region alone.
  virtual void replace(const Region&, ValueId value, const Value& type, std::vector<std::byte> bytes) = 0;
  // node may be kNoNode.
  virtual void diag(Severity, const Region&, NodeId, std::string_view text) = 0;
  // The number of errors reported so far, by either side.
  [[nodiscard]] virtual std::size_t errors() const = 0;
};

// One call to compile().
struct Request {
  const TargetSpec& target;
  Objective objective = Objective::balanced;
  std::string_view internal_header;  // "#include" this for prototypes, constants and names of shared kernels
  std::span<const Region> regions;
  std::string_view prefix = {};     // of every public symbol of the model
  std::uint64_t memory_budget = 0;  // bytes of workspace that the whole model may take; 0: not bounded
  std::uint32_t attempt = 0;        // 1, 2 ... when asked again because the plan did not fit
  // Constants are found when the program runs: their names are expressions, and none is the address of a variable.
  // Asked of those alone that moves_constants().
  bool constants_move = false;
};

// The role of a codegen.
enum class Role : std::uint32_t {
  vendor = 0,     // for some nodes: it comes first, and what it does not take goes to others
  reference = 1,  // for everything that it can: it takes what vendors leave, unless the user prefers it
};

class Codegen {
 public:
  virtual ~Codegen() = default;
  [[nodiscard]] virtual std::string_view id() const = 0;       // "c"
  [[nodiscard]] virtual std::string_view version() const = 0;  // of the codegen itself
  [[nodiscard]] virtual Role role() const { return Role::vendor; }
  // Part of byoc: what it hands over is trusted. The code of all others is foreign, and may be anything.
  [[nodiscard]] virtual bool built_in() const { return false; }
  // One verdict for each node of `model`, in order.
  [[nodiscard]] virtual std::vector<Verdict> verdicts(const Region& model, const TargetSpec&) = 0;
  // Patterns whose matches groups() is offered.
  [[nodiscard]] virtual std::span<const Pattern> patterns() const { return {}; }
  // Groups of nodes that it compiles as one, in order of preference. They are tried before single nodes.
  [[nodiscard]] virtual std::vector<Group> groups(const Region&, const TargetSpec&, std::span<const Match>) {
    return {};
  }
  // Can it do with less memory? Then it is asked again, with a budget, when the plan does not fit.
  [[nodiscard]] virtual bool saves_memory() const { return false; }
  // Can its code do with constants that have no address before the program runs (Request::constants_move)? Those of
  // others stay in the library.
  [[nodiscard]] virtual bool moves_constants() const { return false; }
  // May the host rewrite what is inside its regions? Then it is asked for verdicts on the changed nodes once more, and
  // what it refuses is not done.
  [[nodiscard]] virtual bool accepts_rewrites() const { return false; }
  // True if it compiles nodes whose operands have dims that are known only at run time (Region::symbols). Then it is
  // asked for verdicts on them, in models for executors that interpret, each node in a region of its own.
  [[nodiscard]] virtual bool takes_open_dims() const { return false; }
  // Replaces constants that its regions are bound to: compile() gets the same regions with what was put into them.
  // Called before each compile(). Returns false after at least one error through ConstantUpdates::diag.
  [[nodiscard]] virtual bool update_constants(std::span<const Region>, ConstantUpdates&) { return true; }
  // Compiles the regions. Returns false after at least one error through Host::diag.
  [[nodiscard]] virtual bool compile(const Request&, Host&) = 0;
};

}  // namespace byoc::codegen
