#include "sdk/pipeline/export.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <future>
#include <set>

#include "sdk/compile/compiler.hpp"
#include "sdk/executor/aot.hpp"
#include "sdk/import/import.hpp"
#include "sdk/module/import_tree.hpp"
#include "sdk/module/target.hpp"
#include "sdk/object/file_hash.hpp"
#include "sdk/optimise/optimise.hpp"
#include "sdk/pack/manifest.hpp"
#include "sdk/pack/write_package.hpp"
#include "sdk/partition/partition.hpp"
#include "sdk/pipeline/build_tree.hpp"
#include "sdk/pipeline/compile_tree.hpp"
#include "sdk/pipeline/encode_constants.hpp"
#include "sdk/pipeline/kernel_names.hpp"
#include "sdk/pipeline/vendor_artifacts.hpp"
#include "sdk/pipeline/vendor_sources.hpp"
#include "sdk/plan/control.hpp"
#include "sdk/plan/read_constants.hpp"
#include "sdk/plugin/compilation.hpp"

namespace byoc {
namespace {

// How hard kernels are optimised. They are where the time goes, and are blocked by hand, so that -O3 brings a few
// percent for a fifth more code.
std::string level_for(Objective objective) {
  switch (objective) {
    case Objective::speed: return "3";
    case Objective::size: return "s";
    case Objective::balanced: return "2";
  }
  return "2";
}

// Pools and normalisations: they follow the layers where a model's time goes, and with -O2 their kernels are half as
// large again.
bool is_light(const ir::Node& node) {
  constexpr std::array kOperators{"AveragePool",   "GlobalAveragePool", "MaxPool",
                                  "GlobalMaxPool", "Softmax",           "LogSoftmax"};
  return std::any_of(kOperators.begin(), kOperators.end(), [&](const char* op) { return node.is("", op); });
}

// How often codegens are asked for less memory before the model is refused.
constexpr std::uint32_t kMostAttempts = 16;

// Everything that can change the bytes of an object, for the names of shared kernels.
std::string fingerprint(const TargetSpec& t, const Compiler& compiler, const std::string& level) {
  std::string out = t.triple + "|" + t.cpu + "|" + t.march + "|" + t.fpu + "|" + t.float_abi + "|" + t.abi + "|" +
                    t.code_model + "|" + (t.short_enums ? "short-enums" : "") + "|" + (t.pic ? "pic" : "");
  return out + "|" + compiler.identity() + "|" + compiler.flags() + "|" + level;
}

class Export {
 public:
  Export(const ir::Graph& graph, const ExportOptions& options, Diagnostics& diags)
      : graph_(graph), options_(options), diags_(diags), prefix_(to_identifier(options.name)) {
    // Beside everything else, for it takes seconds for a model of a gigabyte.
    if (!options.model_file.empty())
      model_sha256_ = std::async(std::launch::async, [path = options.model_file] { return sha256_of_file(path); });
    library_.header_name = prefix_ + ".h";
    internal_header_ = prefix_ + "_internal.h";
  }

  Result<Library> run() {
    // Every node has a codegen, or the model is refused here with everyone's reasons.
    if (!stage("partition")) return failure;
    auto placed = make_partition(graph_, options_.codegens, options_.target, options_.partition, diags_);
    if (!placed) return failure;

    // Every region is its codegen's for good. Values inside may get another shape here, values at borders do not.
    if (!stage("optimise")) return failure;
    auto optimised = optimise::rewrite(graph_, *placed, options_.codegens, options_.target, options_.rewrites, diags_);
    if (!optimised) return failure;
    rewritten_ = std::move(*optimised);

    // Codegens are asked again where the plan does not fit and they can do with less.
    auto schedule = generate_and_plan(rewritten_.partition);
    if (!schedule) return failure;
    // Beyond this point no new symbol is added but <prefix>_run and its like, and it is known how far constants reach.
    std::uint64_t constants = 0;
    for (const plugin::ConstantArtifact& c : compilation_.constants) constants += c.bytes.size();
    options_.target = for_constants(options_.target, constants);

    if (!stage("compile")) return failure;
    auto compiler = make_compiler();
    if (!compiler) return failure;
    kernel_names_ = name_kernels(compilation_, [&](const std::string& symbol) {
      return fingerprint(options_.target, **compiler, kernel_level(symbol));
    });
    const executor::AotModule root = executor::make_aot({graph(), compilation_, *schedule, options_.target, prefix_,
                                                         library_.header_name, internal_header_, kernel_names_});
    if (!compile(**compiler, root)) return failure;

    if (!stage("verify")) return failure;
    if (!check_definitions(compilation_, library_.members, diags_)) return failure;
    describe(root, (*compiler)->identity());
    library_.partition = std::move(*placed);
    return std::move(library_);
  }

 private:
  // False where the user wants to stop.
  [[nodiscard]] bool stage(std::string_view name) {
    if (!check_cancelled(options_, diags_)) return false;
    if (options_.progress) options_.progress(name);
    return true;
  }

  // Assembly in kernels has more operands than there are registers where nothing is optimised.
  std::string kernel_level() const {
    if (options_.opt_level == "0") return "1";
    return options_.opt_level.empty() ? level_for(options_.objective) : options_.opt_level;
  }
  // Of one of them: balanced spends code only where the time goes. GCC's code is small as it is.
  std::string kernel_level(const std::string& symbol) const {
    const std::string& toolchain = options_.toolchain.empty() ? options_.target.default_toolchain : options_.toolchain;
    const bool balanced = options_.opt_level.empty() && options_.objective == Objective::balanced;
    if (!balanced || toolchain != "clang") return kernel_level();
    Users users;
    count_users(graph(), compilation_, symbol, users);
    for (const auto& [body, part] : compilation_.bodies) count_users(*body, part, symbol, users);
    return users.light != 0 && users.heavy == 0 ? level_for(Objective::size) : kernel_level();
  }

  struct Users {
    std::size_t light = 0, heavy = 0;
  };
  static void count_users(const ir::Graph& graph, const plugin::GraphPart& part, const std::string& kernel,
                          Users& out) {
    for (const plugin::Step& s : part.steps) {
      if (s.decl.kernel != kernel) continue;
      const bool light =
          std::all_of(s.nodes.begin(), s.nodes.end(), [&](ir::NodeId n) { return is_light(graph.nodes[n]); });
      ++(light ? out.light : out.heavy);
    }
  }

  // Of calls and tables.
  std::string glue_level() const { return options_.opt_level.empty() ? "s" : options_.opt_level; }

  Result<std::unique_ptr<Compiler>> make_compiler() {
    if (options_.compile_function && options_.lto)
      return diags_.error({}, "--lto", "link-time optimisation is for C that Clang compiles", options_.toolchain,
                          "no function that compiles");
    if (options_.compile_function)
      return Compiler::from_function(options_.target, options_.toolchain, options_.compile_function, diags_);
    return Compiler::create(options_.target, options_.toolchain, options_.in({.sanitize = options_.sanitize}), diags_);
  }

  Result<plan::Schedule> generate_and_plan(const Partition& placed) {
    const std::uint64_t limit = workspace_limit();
    const bool again = std::any_of(placed.regions.begin(), placed.regions.end(),
                                   [&](const PlacedRegion& r) { return options_.codegens[r.codegen]->saves_memory(); });
    std::uint64_t budget = limit, least = UINT64_MAX, least_ram = UINT64_MAX, step = 0;
    for (std::uint32_t attempt = 0;; ++attempt) {
      Diagnostics told;  // of this attempt: the last one counts
      if (!stage("codegen")) return failure;
      compilation_ = {};
      const bool generated = generate(placed, budget, attempt, told);
      if (generated && !stage("plan")) return failure;
      auto schedule = generated
                          ? plan::make_schedule(graph(), compilation_, options_.target, told, options_.reuse_inputs)
                          : Result<plan::Schedule>(failure);
      std::uint64_t over = schedule ? plan::excess(*schedule, options_.target) : 0;
      if (schedule && options_.max_ram != 0) {
        const std::uint64_t ram = plan::ram_use(*schedule, graph(), compilation_).total();
        least_ram = std::min(least_ram, ram);
        over = std::max(over, ram - std::min(ram, options_.max_ram));
      }
      // Those who are asked for the first time to keep to the budget get it as it is. Then it gets smaller by what was
      // too much, in ever larger steps where that brings nothing; it ends where there is nothing left to take away.
      const bool better = over < least;
      if (again && limit != 0 && over != 0 && attempt < kMostAttempts && (better || budget > 1)) {
        step = better ? over : std::max(2 * step, over);
        if (attempt != 0) budget -= std::min(budget - 1, step);
        least = std::min(least, over);
        continue;
      }
      if (schedule && !plan::check_fit(*schedule, graph(), options_.target, told)) schedule = failure;
      if (schedule && over != 0 && !check_ram(*schedule, least_ram, told)) schedule = failure;
      for (const Diagnostic& d : told.all()) diags_.add(d);
      return schedule;
    }
  }

  // Bytes of workspace, of those the target and the user bound; 0: neither does.
  std::uint64_t workspace_limit() const {
    const std::uint64_t of_target = plan::workspace_limit(options_.target);
    if (options_.max_ram == 0) return of_target;
    std::uint64_t taken = 0;
    for (const auto* list : {&graph_.inputs, &graph_.outputs})
      for (const ir::ValueId v : *list) taken += graph_.values[v].type.bytes();
    const std::uint64_t left = std::max<std::uint64_t>(options_.max_ram - std::min(taken, options_.max_ram), 1);
    return of_target == 0 ? left : std::min(left, of_target);
  }

  // The model takes more than the user gives it, whatever was tried: `least` of all attempts.
  Result<void> check_ram(const plan::Schedule& schedule, std::uint64_t least, Diagnostics& diags) const {
    const plan::ModelRam use = plan::ram_use(schedule, graph(), compilation_);
    const auto part = [](const char* name, std::uint64_t bytes) {
      return bytes == 0 ? std::string() : ", " + std::string(name) + " " + std::to_string(bytes);
    };
    return diags.error(graph_.file, {}, "no plan fits into the RAM that the model may take",
                       std::to_string(least) + " bytes" + part("workspace", least - (use.total() - use.workspaces)) +
                           part("instance", use.instance) + part("inputs", use.inputs) + part("outputs", use.outputs),
                       "at most " + std::to_string(options_.max_ram) + " bytes, " +
                           std::to_string(least - options_.max_ram) + " fewer");
  }

  bool generate(const Partition& placed, std::uint64_t budget, std::uint32_t attempt, Diagnostics& diags) {
    NameTable names;
    for (const char* reserved : {"_run", "_init", "_reset", "_deinit", "_inputs", "_outputs", "_inputs_t", "_outputs_t",
                                 "_instance", "_instance_t", "_step_table"})
      names.claim(prefix_ + reserved);
    const plugin::CompileRequest request{graph(), options_.target, options_.objective, prefix_, internal_header_,
                                         budget,  attempt};
    for (std::size_t c = 0; c < options_.codegens.size(); ++c) {
      std::vector<plugin::BoundRegion> own;
      for (const PlacedRegion& r : placed.regions)
        if (r.codegen == c) own.push_back(r.bound);
      if (own.empty()) continue;
      if (!plugin::compile_regions(*options_.codegens[c], own, request, names, compilation_, diags)) return false;
    }
    const auto order = [&](const ir::Graph& graph, ir::NodeId n) {
      return (&graph == &this->graph() ? placed.nodes : placed.bodies.at(&graph))[n].order;
    };
    for (const auto& [of, moved] : rewritten_.moved)
      add_moved(moved, of == &graph() ? compilation_ : compilation_.bodies[of]);
    plan::add_control_steps(graph(), prefix_, order, names, executor::kAot, compilation_);
    plugin::order_steps(compilation_);
    plan::add_read_constants(graph(), prefix_, names, executor::kAot, compilation_);
    return true;
  }

  // What the rewrites took away, for reports and tensor dumps.
  static void add_moved(const optimise::Moved& moved, plugin::GraphPart& part) {
    part.fused.insert(moved.fused.begin(), moved.fused.end());
    part.aliases.insert(moved.aliases.begin(), moved.aliases.end());
    for (const auto& [node, into] : moved.absorbed)
      for (plugin::Step& s : part.steps)
        if (std::find(s.nodes.begin(), s.nodes.end(), into) != s.nodes.end()) s.nodes.push_back(node);
  }

  bool compile(Compiler& compiler, const executor::AotModule& root) {
    make_tree(root);
    lay_out_constants();
    if (!add_files() || (options_.generated && !options_.generated(uncompiled(root)))) return false;
    CompileTreeOptions how;
    how.compiler = &compiler;
    how.cache = options_.cache;
    how.isolate = false;
    how.all_visible = false;
    how.compile.limits = options_.limits;
    how.built_in = options_.built_in;
    if (options_.check_sources != CheckSources::off)
      how.rules = source_rules(graph(), compilation_, options_, root.internal_header);
    std::vector<VendorFindings> findings;
    how.found = [&](const Module& m, std::vector<compile::SourceFinding> found) {
      findings.push_back({m.codegen, std::move(found)});
    };
    auto members = compile_tree(library_.tree, options_.target, how, diags_);
    if (!members) return false;
    library_.members = std::move(*members);
    if (!encode_members(library_.members, options_.target, options_.encoding, {options_, options_.compile_function},
                        diags_))
      return false;
    take_constants();
    if (options_.trace && !compile_traced_root(compiler, root, how)) return false;
    if (!findings.empty() && !report_findings(findings, compilation_, library_.members, options_.check_sources, diags_))
      return false;
    if (options_.kernel_objects == nullptr || options_.lto) return true;
    for (const auto& [symbol, name] : kernel_names_)
      for (const LibraryMember& m : library_.members)
        if (m.name == name + ".o") options_.kernel_objects->emplace(name, m.object);
    return true;
  }

  // Beside the compiler: constants are merged and hashed, which takes long for large models.
  void lay_out_constants() {
    if (!is_left_to_pack(options_.encoding) || compilation_.constants.empty()) return;
    constants_ = std::async(std::launch::async, [constants = constants_module().constants, target = options_.target] {
      Diagnostics again;  // whoever packs the constants tells them
      auto object = ConstantObject::create(target, constants, again);
      if (!object || !object->identify()) return std::shared_ptr<const ConstantObject>();
      return std::make_shared<const ConstantObject>(std::move(*object));
    });
  }

  void take_constants() {
    if (!constants_.valid()) return;
    const std::shared_ptr<const ConstantObject> object = constants_.get();
    for (LibraryMember& m : library_.members)
      if (m.name == prefix_ + "_constants.o") m.encoded = object;
  }

  bool compile_traced_root(Compiler& compiler, const executor::AotModule& root, CompileTreeOptions how) {
    const std::string text = "#define BYOC_TRACE 1\n" + root.root;
    if (options_.lto) {
      ModuleTree traced = library_.tree;
      traced.modules[0].bytes = c_module(prefix_, text, glue_level()).bytes;
      how.found = {};
      auto members = compile_tree(traced, options_.target, how, diags_);
      if (members) library_.traced_root = std::move(members->front().object);
      return bool(members);
    }
    const Source source{prefix_, text, glue_level()};
    auto object = compiler.compile(source, library_.tree.headers, diags_);
    if (object) library_.traced_root = std::move(*object);
    return bool(object);
  }

  // The root imports everything else: steps and shared kernels, what vendors handed over, the constants.
  void make_tree(const executor::AotModule& root) {
    library_.target = options_.target;
    library_.tree.lto = options_.lto;
    library_.prefix = prefix_;
    library_.tree.headers.insert(compilation_.headers.begin(), compilation_.headers.end());
    library_.tree.headers[library_.header_name] = root.header;
    library_.tree.headers[internal_header_] = root.internal_header;
    taken_.insert(lower_case(prefix_ + "_constants"));
    add_module(c_module(prefix_, root.root, glue_level()));
    for (const plugin::SourceArtifact& s : compilation_.sources) {
      std::string text = s.decl.shared ? rename_kernels(s.text, kernel_names_) : s.text;
      // Places in diagnostics are those of the text that was handed over.
      if (text.size() != s.text.size() && !options_.built_in.contains(s.codegen))
        text.insert(text.size() - s.text.size(), "#line 1\n");
      Module m = s.decl.shared ? c_module(kernel_names_.at(s.decl.symbol), text, kernel_level(s.decl.symbol))
                               : c_module(s.decl.name, text, glue_level());
      m.codegen = s.codegen;
      m.standard = s.decl.standard;
      m.include_directories = s.decl.include_directories;
      if (s.decl.shared) m.object = known_kernel(m.name);
      add_module(std::move(m));
    }
    VendorArtifacts artifacts = take_artifacts(compilation_, kernel_level());
    for (Module& m : artifacts.modules) add_module(std::move(m));
    library_.link_libraries = std::move(artifacts.link_libraries);
    licences_ = std::move(artifacts.licences);
    if (options_.step_table && !options_.lto) add_step_table(root);
    if (!compilation_.constants.empty()) append(constants_module());
  }

  void add_step_table(const executor::AotModule& root) {
    library_.tree.headers[kStepsHeader] = executor::steps_header();
    Module m = c_module(prefix_ + "_step_table", root.step_table, glue_level());
    m.symbols = {{prefix_ + "_step_table", false}};
    m.for_loaders = true;
    add_module(std::move(m));
  }

  // The library as it is before anything is compiled: sources and constants.
  Package uncompiled(const executor::AotModule& root) const {
    Package out = library_;
    out.header = root.header;
    out.example_main = root.example_main;
    out.manifest = "{}\n";
    for (std::size_t i = 0; i < out.tree.modules.size(); ++i)
      if (const Module& m = out.tree.modules[i]; m.kind == ModuleKind::constants)
        out.members.push_back({m.name + ".o", {}, m.constants, {}, i});
    return out;
  }

  // The user's own, in their own language and style.
  bool add_files() {
    if (options_.add_files.empty()) return true;
    auto tree = tree_of_files(options_.add_files, diags_);
    if (!tree || !compile_user_files(*tree)) return false;
    for (Module& m : tree->modules) {
      m.imports.clear();
      add_module(std::move(m));
    }
    return true;
  }

  bool compile_user_files(ModuleTree& tree) {
    CompileTreeOptions how = user_files_options(options_);
    std::unique_ptr<Compiler> function;
    if (options_.compile_function) {
      auto made = make_compiler();
      if (!made) return false;
      function = std::move(*made);
      how.compiler = function.get();
    }
    for (Module& m : tree.modules) say_how(m, options_.opt_level.empty() ? how.compile.opt_level : options_.opt_level);
    if (options_.lto) {  // to be linked with the model's
      auto bitcode = compile_c_modules(tree, options_.target, how, diags_);
      for (std::size_t i = 0; bitcode && i < tree.modules.size(); ++i)
        if (tree.modules[i].kind == ModuleKind::c) tree.modules[i].object = Blob::own(std::move((*bitcode)[i]));
      return bool(bitcode);
    }
    auto members = compile_tree(tree, options_.target, how, diags_);
    if (!members) return false;
    for (LibraryMember& member : *members) {
      Module& m = tree.modules[member.module];
      if (m.kind == ModuleKind::c || m.kind == ModuleKind::llvm) m.object = Blob::own(std::move(member.object));
    }
    return true;
  }

  static Module c_module(const std::string& name, const std::string& text, const std::string& level) {
    Module m{.kind = ModuleKind::c, .name = name};
    const auto bytes = std::as_bytes(std::span(text));
    m.bytes = Blob::own({bytes.begin(), bytes.end()});
    m.opt_level = level;
    return m;
  }

  // Vendors name their artifacts without knowing each other's.
  void add_module(Module m) {
    m.name = module_name(m.name);
    const std::string name = m.name;
    for (int i = 2; !taken_.insert(lower_case(m.name)).second; ++i) m.name = name + "_" + std::to_string(i);
    append(std::move(m));
  }

  void append(Module m) {
    if (!library_.tree.modules.empty()) library_.tree.modules[0].imports.push_back(library_.tree.modules.size());
    library_.tree.modules.push_back(std::move(m));
  }

  Blob known_kernel(const std::string& name) const {
    if (options_.kernel_objects == nullptr || options_.lto) return {};
    const auto found = options_.kernel_objects->find(name);
    return found == options_.kernel_objects->end() ? Blob() : Blob::own(found->second);
  }

  // System V ABI for x86-64, 3.1.2: an array of 16 bytes or more is aligned to 16; compilers rely on it when they read
  // one that is declared as such.
  std::uint32_t least_align(std::uint64_t bytes) const {
    return options_.target.triple.starts_with("x86_64") && bytes >= 16 ? 16 : 1;
  }

  Module constants_module() {
    Module out{.kind = ModuleKind::constants, .name = prefix_ + "_constants"};
    for (const plugin::ConstantArtifact& c : compilation_.constants) {
      ConstantArtifact constant;
      constant.symbol = c.decl.symbol;
      constant.bytes = c.bytes;
      constant.align = std::max(c.decl.align, least_align(c.bytes.size()));
      constant.region = c.decl.region;
      constant.element = c.decl.element;
      constant.model_data = c.decl.model_data;
      out.constants.push_back(std::move(constant));
    }
    return out;
  }

  void describe(const executor::AotModule& root, const std::string& toolchain) {
    library_.interface = root.interface;
    library_.interface.rewrites = rewritten_.summary;
    const auto& channels = rewritten_.moved.at(&graph()).channels;
    for (StepInfo& s : library_.interface.steps)
      for (StoredTensor& t : s.results)
        if (const auto found = channels.find(t.value); found != channels.end()) t.channels = found->second;
    library_.header = root.header;
    library_.example_main = root.example_main;
    std::vector<std::string> members;
    for (const LibraryMember& m : library_.members)
      if (!library_.tree.modules[m.module].for_loaders) members.push_back(m.name);
    std::vector<std::string> kernels;
    if (!options_.lto)
      for (const auto& [symbol, name] : kernel_names_) kernels.push_back(name);
    static const std::vector<ConstantArtifact> kNone;
    const LibraryMember& last = library_.members.back();
    library_.manifest =
        write_manifest({library_.interface, options_.target, toolchain, last.constants.empty() ? kNone : last.constants,
                        members, kernels, library_.link_libraries, licences_, options_.origins,
                        model_sha256_.valid() ? model_sha256_.get() : "", last.encoded.get()});
  }

  // What steps are made of; the same ids as in graph_.
  const ir::Graph& graph() const { return *rewritten_.graph; }

  const ir::Graph& graph_;
  optimise::Optimised rewritten_;
  ExportOptions options_;
  Diagnostics& diags_;
  std::string prefix_;
  std::string internal_header_;
  plugin::Compilation compilation_;
  std::map<std::string, std::string> kernel_names_;
  std::set<std::string> taken_;  // names of modules, in lower case
  std::vector<Licence> licences_;
  std::future<std::string> model_sha256_;
  std::future<std::shared_ptr<const ConstantObject>> constants_;
  Library library_;
};

}  // namespace

Result<ir::Graph> load_model(const std::string& path, const PrepareOptions& options, Diagnostics& diags) {
  auto graph = import_model(path, diags);
  if (!graph || !prepare(*graph, options, diags)) return failure;
  return graph;
}

Result<void> check_cancelled(const ExportOptions& options, Diagnostics& diags) {
  if (!options.cancelled || !options.cancelled()) return {};
  return diags.error({}, {}, "the export was cancelled");
}

Result<Library> compile_model(const ir::Graph& graph, const ExportOptions& options, Diagnostics& diags) {
  return Export(graph, options, diags).run();
}

Result<void> write_library(const Library& library, const std::string& out, bool traced, Diagnostics& diags) {
  if (!traced) return write_package(library, out, diags);
  Package package = library;
  package.members[0].object = library.traced_root;
  return write_package(package, out, diags);
}

std::string default_name(const std::string& model_path) {
  return to_identifier(std::filesystem::path(model_path).stem().string());
}

}  // namespace byoc
