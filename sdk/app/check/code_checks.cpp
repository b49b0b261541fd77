// Checks of what it hands over: that the host takes it, what is in its objects, and what its code does when it runs.
#include <algorithm>
#include <cstring>
#include <limits>
#include <set>

#include "sdk/app/check/context.hpp"
#include "sdk/app/check/recorder.hpp"
#include "sdk/app/check/step_program.hpp"
#include "sdk/codegen/plugin/abi/abi_codegen.hpp"
#include "sdk/export/export.hpp"
#include "sdk/export/module_tree.hpp"
#include "sdk/library/object/object_facts.hpp"
#include "sdk/model/evaluate/comparison.hpp"
#include "sdk/model/evaluate/element.hpp"
#include "sdk/program/executor/executor.hpp"

namespace byoc::check {
namespace {

using evaluate::Closeness;
using evaluate::Tensor;

constexpr std::size_t kBatch = 32;          // graphs in one program
constexpr std::size_t kLeastConstant = 32;  // bytes that are looked for in objects

// The elements of the inputs in one run.
enum class Corner { lowest, highest, turns, zero };

// `far_floats`: floats go as far as they can; sums whose rounding is stated as a tolerance would cancel.
std::vector<Tensor> corner_inputs(const Case& one, Corner corner, bool far_floats) {
  std::vector<Tensor> out;
  for (const Tensor& t : one.inputs) {
    std::vector<std::byte> bytes(t.bytes.bytes().begin(), t.bytes.bytes().end());
    (void)evaluate::dispatch(t.type.dtype, [&]<class T>() {
      const auto put = [&](std::size_t i, T value) { std::memcpy(&bytes[i * sizeof(T)], &value, sizeof(T)); };
      for (std::size_t i = 0; i < bytes.size() / sizeof(T); ++i) {
        const bool high = corner == Corner::highest || (corner == Corner::turns && i % 2 == 0);
        if constexpr (std::is_same_v<T, bool>) {
          put(i, corner != Corner::zero && high);
        } else if constexpr (evaluate::kIsFloat<T>) {
          const double largest = sizeof(T) == 2 ? 60000.0 : std::is_same_v<T, double> ? 1e308 : 3.4e38;
          const double far = far_floats ? largest : 4.0;
          put(i, evaluate::narrow<T>(corner == Corner::zero ? (i % 2 == 0 ? 0.0 : -0.0) : high ? far : -far));
        } else {
          const auto zero = t.type.quantisation && !t.type.quantisation->zero_points.empty()
                                ? static_cast<T>(t.type.quantisation->zero_points[0])
                                : T{0};
          put(i, corner == Corner::zero ? zero : high ? std::numeric_limits<T>::max() : std::numeric_limits<T>::min());
        }
      }
    });
    out.push_back({t.type, Blob::own(std::move(bytes))});
  }
  return out;
}

// The inputs of all runs: random ones, and corners that the evaluator has an answer for.
std::vector<std::vector<Tensor>> input_sets(const Case& one, const std::vector<Closeness>& closeness) {
  const bool exact = std::all_of(closeness.begin(), closeness.end(),
                                 [](const Closeness& c) { return c.exactness == codegen::Exactness::exact; });
  std::vector<std::vector<Tensor>> out = {one.inputs};
  for (const Corner corner : {Corner::lowest, Corner::highest, Corner::turns, Corner::zero}) {
    std::vector<Tensor> inputs = corner_inputs(one, corner, exact);
    Diagnostics diags;
    if (evaluate::run(one.graph, inputs, diags)) out.push_back(std::move(inputs));
  }
  return out;
}

// The required closeness of each node: that of its own verdict, or of the group in which it was granted.
std::vector<Closeness> closeness_of(const Case& one, const Recorder& record) {
  std::vector<Closeness> out(one.graph.nodes.size());
  for (std::size_t n = 0; n < std::min(out.size(), record.told.size()); ++n)
    out[n] = evaluate::closeness(record.told[n]);
  for (const Case::Part& part : one.parts)
    for (const codegen::GrantedGroup& g : part.groups) {
      std::vector<codegen::NodeId> nodes;
      for (const codegen::NodeId n : g.nodes) nodes.push_back(part.nodes[n]);
      for (const codegen::Group& offered : record.offered)
        if (offered.nodes == nodes)
          for (const codegen::NodeId n : nodes) out[n] = evaluate::closeness(offered.verdict);
    }
  return out;
}

// Steps are called one by one here, by a program of the kit's: what would call them in their order is not printed.
class StepsAlone final : public executor::Executor {
 public:
  [[nodiscard]] std::string name() const override { return "steps"; }
  Result<executor::Printed> print(const executor::PrintRequest& request, Diagnostics&) const override {
    const std::string& prefix = request.model.prefix;
    executor::Printed out;
    out.modules.push_back(c_module(prefix, "void " + prefix + "_run(void) {}\n", ""));
    return out;
  }
};

// A graph that is compiled and waits to be run.
struct Waiting {
  const Case* one;
  std::vector<std::vector<Tensor>> sets;
  std::vector<Closeness> closeness;
  Recorder record;
  StepGraph steps;
  std::vector<std::string> libraries;  // that it says are to be linked besides
};

// Notes the claims that were not run: they may be wrong, whatever else is correct.
void tell_coverage(Context& c, const Coverage& coverage) {
  for (const std::string& problem : c.corpus.problems)
    c.findings.add({"coverage", "V4", "a model was not run: " + problem, {}, {}});
  std::uint64_t claimed = 0, ran = 0;
  for (const Coverage::Line& line : coverage.lines()) {
    claimed += line.forms.claimed;
    ran += line.forms.ran;
    c.findings.table.push_back(line.op + ": " + std::to_string(line.nodes.ran) + " of " +
                               std::to_string(std::max(line.nodes.claimed, line.nodes.ran)) + " nodes, " +
                               std::to_string(line.forms.ran) + " of " +
                               std::to_string(std::max(line.forms.claimed, line.forms.ran)) + " forms");
    if (line.missing.empty()) continue;
    std::string all;
    for (const std::string& form : line.missing) all += (all.empty() ? "" : ", ") + form;
    c.findings.add({"coverage", "V4", line.op + " is claimed and was never run with: " + all, {}, {}});
  }
  c.findings.note("coverage", std::to_string(ran) + " of " + std::to_string(claimed) + " forms");
}

class CodeChecks {
 public:
  explicit CodeChecks(Context& c) : c_(c), coverage_(c.corpus.coverage) {}

  void run() {
    const auto plugin = c_.load();
    if (!plugin) return;
    Diagnostics diags;
    auto memory = step_memory(c_.options.target, diags);
    if (!memory) cannot_run(error_text(diags));
    auto folder = TemporaryDirectory::create(diags);
    if (!folder) return cannot_run(error_text(diags));
    for (const Case& one : c_.corpus.claimed) {
      c_.stage.enter("export", one.name);
      auto codegen = plugin::create_codegen(*plugin, c_.options.target, c_.options.options, {}, diags);
      if (!codegen) return;  // an earlier check has told that
      compile(one, **codegen, folder->path(), memory ? *memory : 0);
      if (waiting_.size() >= kBatch) flush(folder->path());
    }
    flush(folder->path());
    c_.findings.note("export", std::to_string(compiled_) + " graphs, " + std::to_string(objects_) + " objects");
    if (!memory) return;
    const std::string ran = std::to_string(graphs_) + " graphs, " + std::to_string(runs_) + " runs";
    c_.findings.note("memory", ran);
    c_.findings.note("agreement", ran);
    tell_coverage(c_, coverage_);
  }

 private:
  void cannot_run(const std::string& why) {
    for (const char* check : {"memory", "agreement", "coverage"}) c_.findings.skip(check, why);
  }

  void compile(const Case& one, codegen::Codegen& codegen, const std::string& folder, std::uint64_t memory) {
    auto waiting = std::make_unique<Waiting>(Waiting{&one, {}, {}, Recorder(codegen), {}, {}});
    codegen::Codegen* const codegens[] = {&waiting->record};
    const std::string name = "g" + std::to_string(compiled_++);
    Job job;
    job.target = c_.options.target;
    job.name = name;
    job.codegens = codegens;
    job.kernel_objects = &kernels_;
    job.executor = &steps_alone_;
    Diagnostics diags;
    auto library = compile_model(one.graph, job, diags);
    if (!library) {
      const std::string why = error_text(diags);
      // Failing without a reason is found where it is looked for.
      if (why.find("without saying why") == std::string::npos)
        c_.findings.add({"export", requirement_of(why), one.name + ": " + why, {}, {}});
      return;
    }
    look_into(one, *library);
    if (memory == 0) return;
    waiting->closeness = closeness_of(one, waiting->record);
    waiting->sets = input_sets(one, waiting->closeness);
    auto steps = make_step_graph(waiting->record, one.graph, waiting->sets, diags);
    const std::string archive = folder + "/" + name + ".a";
    if (!steps || steps->buffers.size() > 390 || steps->ram() > memory ||
        !write_library(*library, archive, false, diags))
      return;
    waiting->steps = std::move(*steps);
    waiting->steps.archive = archive;
    // On a device they belong to a driver, which --link adds.
    if (c_.options.target.hosted)
      for (const std::string& l : library->link_libraries) waiting->libraries.push_back("-l" + l);
    waiting_.push_back(std::move(waiting));
  }

  void look_into(const Case& one, const Library& library) {
    static const std::set<std::string> kAllocators = {
        "malloc", "calloc", "realloc", "free",  "aligned_alloc", "posix_memalign", "memalign", "_Znwm",  "_Znam",
        "_ZdlPv", "_ZdaPv", "_Znwj",   "_Znaj", "_ZdlPvm",       "sbrk",           "mmap",     "strdup", "vasprintf"};
    for (const LibraryMember& member : library.members) {
      if (&member == library.root() || member.facts == nullptr) continue;  // the root is the host's own
      ++objects_;
      for (const ObjectSection& s : member.facts->sections)
        if (s.allocated && s.writable && s.size != 0 && !s.name.starts_with(".data.rel.ro") &&
            !s.name.starts_with(".init_array") && !s.name.starts_with(".fini_array"))
          c_.findings.add({"objects", "A8", one.name + ": " + member.name + " has data that can be written",
                           std::to_string(s.size) + " bytes in " + s.name, "none"});
        else if (s.allocated && s.size != 0 && (s.name.starts_with(".init_array") || s.name.starts_with(".ctors")))
          c_.findings.add(
              {"objects", "A11", one.name + ": " + member.name + " has code that runs before main", s.name, "none"});
      for (const std::string& symbol : member.facts->undefined)
        if (kAllocators.contains(symbol))
          c_.findings.add({"objects", "A11", one.name + ": " + member.name + " calls an allocator", symbol, "none"});
      if (member.codegen.empty()) look_for_constants(one, member);
    }
  }

  void look_for_constants(const Case& one, const LibraryMember& member) {
    const std::string_view object(reinterpret_cast<const char*>(member.object.data()), member.object.size());
    for (ir::ValueId v = 0; v < one.graph.values.size(); ++v) {
      if (!one.graph.is_constant(v)) continue;
      const auto bytes = one.graph.values[v].constant->bytes.bytes();
      if (bytes.size() < kLeastConstant) continue;
      if (std::set<std::byte>(bytes.begin(), bytes.end()).size() < 8) continue;  // it could be anything
      if (object.find(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size())) !=
          std::string_view::npos)
        c_.findings.add({"constants", "A4",
                         one.name + ": C source " + member.name.substr(0, member.name.rfind('.')) +
                             " has a constant of the graph in it",
                         std::to_string(bytes.size()) + " bytes", "a constant artifact"});
    }
  }

  void flush(const std::string& folder) {
    if (waiting_.empty()) return;
    c_.stage.enter("agreement", "running " + std::to_string(waiting_.size()) + " graphs");
    run_some(folder, waiting_);
    waiting_.clear();
  }

  // One graph that does not link would make all fail, so they are tried in halves.
  void run_some(const std::string& folder, std::span<const std::unique_ptr<Waiting>> some) {
    std::vector<StepGraph> graphs;
    for (const auto& w : some) graphs.push_back(w->steps);
    Diagnostics diags;
    std::vector<std::string> libraries = c_.options.link;
    for (const auto& w : some)
      for (const std::string& l : w->libraries)
        if (std::find(libraries.begin(), libraries.end(), l) == libraries.end()) libraries.push_back(l);
    const auto outcomes = run_steps(c_.options.target, folder, graphs, libraries, diags);
    if (!outcomes && some.size() == 1) {
      const std::string why = error_text(diags);
      c_.findings.add({"export", "A12", some[0]->one->name + ": " + why.substr(0, 600), {}, {}});
      return;
    }
    if (!outcomes) {
      run_some(folder, some.first(some.size() / 2));
      run_some(folder, some.subspan(some.size() / 2));
      return;
    }
    for (std::size_t i = 0; i < some.size(); ++i) judge(*some[i], (*outcomes)[i]);
  }

  void judge(const Waiting& w, const StepOutcome& outcome) {
    ++graphs_;
    for (const ir::Node& n : w.one->graph.nodes) coverage_.add_ran(w.one->graph, n);
    if (!outcome.problem.empty()) {
      c_.findings.add({"memory", outcome.requirement, w.one->name + ": " + outcome.problem, {}, {}});
      return;
    }
    for (std::size_t set = 0; set < outcome.runs.size(); ++set) {
      if (outcome.runs[set].size() != 2) continue;
      ++runs_;
      const std::string unsteady = different(w, outcome.runs[set][0], outcome.runs[set][1]);
      if (!unsteady.empty()) {
        c_.findings.add({"memory",
                         "A7",
                         w.one->name + ": " + unsteady +
                             " depends on what was in memory before: something is read or left that nobody wrote",
                         {},
                         {}});
        return;
      }
      const std::string text = difference(w, w.sets[set], found_values(w, outcome.runs[set][0]));
      if (!text.empty()) {
        c_.findings.add({"agreement", "V4", w.one->name + (set == 0 ? ": " : ", corner values: ") + text, {}, {}});
        return;
      }
    }
  }

  // The first value of the graph that is not the same in both; "" if there is none. Private values may have gaps.
  static std::string different(const Waiting& w, const std::map<std::size_t, std::vector<std::byte>>& a,
                               const std::map<std::size_t, std::vector<std::byte>>& b) {
    for (const auto& [v, buffer] : w.steps.values)
      if (a.contains(buffer) && a.at(buffer) != b.at(buffer)) return w.steps.buffers[buffer].name;
    return "";
  }

  // The difference from the evaluator; "" also if the evaluator has no result.
  [[nodiscard]] std::string difference(const Waiting& w, const std::vector<Tensor>& inputs,
                                       const evaluate::FoundTensors& found) const {
    std::vector<evaluate::Allowance> stated(w.closeness.size());
    for (std::size_t n = 0; n < stated.size(); ++n) stated[n].add(w.closeness[n]);
    std::vector<Blob> bytes;
    for (const Tensor& t : inputs) bytes.push_back(t.bytes);
    Diagnostics diags;
    evaluate::Comparison comparison(w.one->graph, std::move(stated), evaluate::agreement_on(c_.options.target));
    const auto out = comparison.run(bytes, found, diags);
    return out && *out ? to_string(w.one->graph, **out) : "";
  }

  static evaluate::FoundTensors found_values(const Waiting& w,
                                             const std::map<std::size_t, std::vector<std::byte>>& buffers) {
    evaluate::FoundTensors out;
    for (const auto& [v, buffer] : w.steps.values)
      if (const auto at = buffers.find(buffer); at != buffers.end()) out[v] = {Blob::own(at->second)};
    for (const auto& [v, layout] : w.record.layouts) {
      const auto place = w.steps.private_values.find(layout.private_value);
      if (place == w.steps.private_values.end() || !buffers.contains(place->second)) continue;
      out[v] = {Blob::own(gathered(buffers.at(place->second), layout, w.one->graph.values[v].type))};
    }
    return out;
  }

  static std::vector<std::byte> gathered(const std::vector<std::byte>& from, const codegen::PrivateLayout& layout,
                                         const ir::TensorType& type) {
    const std::size_t size = std::max(bit_width(type.dtype) / 8, 1u);
    std::vector<std::byte> out(static_cast<std::size_t>(type.bytes()));
    std::vector<std::int64_t> index(type.dims->size(), 0);
    for (std::size_t i = 0; i + size <= out.size(); i += size) {
      std::int64_t at = static_cast<std::int64_t>(layout.base);
      for (std::size_t k = 0; k < index.size(); ++k) at += layout.strides[k] * index[k];
      if (at >= 0 && static_cast<std::size_t>(at) + size <= from.size())
        std::memcpy(&out[i], &from[static_cast<std::size_t>(at)], size);
      for (std::size_t k = index.size(); k-- > 0;) {
        if (++index[k] < (*type.dims)[k]) break;
        index[k] = 0;
      }
    }
    return out;
  }

  Context& c_;
  const StepsAlone steps_alone_;
  std::map<std::string, std::vector<std::byte>> kernels_;
  std::vector<std::unique_ptr<Waiting>> waiting_;
  Coverage coverage_;
  std::size_t compiled_ = 0, objects_ = 0, graphs_ = 0, runs_ = 0;
};

void check_code(Context& c) {
  if (!c.corpus.claimed.empty()) return CodeChecks(c).run();
  for (const char* check : {"export", "objects", "constants", "memory", "agreement"})
    c.findings.skip(check, "no graph of the kit's is claimed as a whole");
  tell_coverage(c, c.corpus.coverage);
}

}  // namespace

std::string error_text(const Diagnostics& diags) {
  for (const Diagnostic& d : diags.all())
    if (d.level == Level::error)
      return (d.file.find(".c:") == std::string::npos ? "" : d.file + ": ") +
             (d.message.find(d.node) != std::string::npos ? "" : d.node + ": ") + message_with_origin(d) +
             (d.found.empty() ? ""
                              : " (found " + d.found + (d.expected.empty() ? "" : ", expected " + d.expected) + ")");
  return "no reason";
}

std::string requirement_of(const std::string& text) {
  const std::pair<const char*, const char*> kKnown[] = {
      {"did not end an artifact", "A1"},
      {"is not as long as was said", "A1"},
      {"was not claimed", "A2"},
      {"for a memory that target", "A3"},
      {"is not a plain file name", "A5"},
      {"no step computes", "A6"},
      {"which is no constant", "U1"},
      {"a constant that does not exist", "U1"},
      {"replaces constant '", "U2"},
      {"replaces a constant with", "U2"},
      {"' in no step", "A6"},
      {"makes a step that cannot be called by itself", "V10"},
      {"names what nobody defines", "A12"},
      {".c:", "A9"},
  };
  for (const auto& [part, number] : kKnown)
    if (text.find(part) != std::string::npos) return number;
  return "V3";  // it claimed the node, and cannot make it
}

std::vector<Unit> code_units() {
  const std::string group = "emitted code";
  return {{{{"export", group, "A1 A2 A3 A5 A6 A9 A12 U1 U2",
             "the host takes what it hands over, and it compiles and links"},
            {"objects", group, "A8 A11", "no data that can be written, no allocator, no constructor"},
            {"constants", group, "A4", "constants are artifacts, not C"},
            {"memory", group, "A7 A10 A16", "steps keep to their buffers, and to what they declare"},
            {"agreement", group, "V4", "results agree with the evaluator as the verdicts say"},
            {"coverage", group, "V4", "what it claims has been run", true}},
           Unit::Gate::none,
           true,
           check_code}};
}

}  // namespace byoc::check
