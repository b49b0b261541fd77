#include "tests/conformance/ort_executors.hpp"

#include <filesystem>
#include <map>

#include "backends/reference.hpp"
#include "sdk/base/support/file.hpp"
#include "sdk/export/export.hpp"
#include "sdk/target/target/target.hpp"
#include "tests/support/counted_outputs.hpp"
#include "tests/support/host_library.hpp"
#include "tests/support/tensors.hpp"

namespace byoc::test {
namespace {

OrtRun refused(const Diagnostics& diags) {
  const std::string text = error_text(diags);
  return {std::nullopt, text.empty() ? "no reason" : text};
}

Result<HostModel> host_model(const std::string& path, const std::string& executor, const std::string& cache,
                             Diagnostics& diags) {
  PrepareOptions prepare;
  prepare.open_types = true;
  const auto model = Model::load(path, prepare, diags);
  if (!model) return failure;
  if (executor == "interpreted") return HostModel::interpret(*model, diags);
  const auto target = find_target("host", diags);
  const auto codegens = target ? Codegens::create(*target, {}, diags) : Result<Codegens>(failure);
  if (!codegens) return failure;
  ExportRequest request{.name = "m", .executor = executor};
  request.compiler.cache = cache;
  auto folder = TemporaryDirectory::create(diags);
  if (!folder || !export_model(*model, *codegens, request, folder->path() + "/m.so", diags)) return failure;
  return HostModel::open(folder->path() + "/m.so", diags);
}

OrtRun run_by_host(const OrtCase& one, const std::string& executor, const std::string& cache) {
  Diagnostics diags;
  const auto model = host_model(one.files.path + "/model.onnx", executor, cache, diags);
  if (!model) return refused(diags);
  std::vector<HostValue> inputs;
  for (const ValueInfo& stated : model->inputs()) {
    const std::string file = one.files.path + "/test_data_set_0/input_" + std::to_string(inputs.size()) + ".pb";
    auto value = read_case_value(file, stated, stated.type.find("seq(") != std::string::npos, diags);
    if (!value) return refused(diags);
    inputs.push_back(std::move(*value));
  }
  auto outputs = model->run(inputs, {}, diags);
  if (!outputs) return refused(diags);
  return {std::move(*outputs), ""};
}

// Generated C takes strings, sequences and optionals only within bounds; those of the case are what load_case() finds.
class GeneratedC {
 public:
  OrtRun run(const OrtCase& one) {
    // The file of an optional is that of what it holds, which load_case() does not expect.
    if (one.optionals) return {std::nullopt, "files of optionals are not read for generated code"};
    OrtRun out;
    for (const Bind bind : {Bind::none, Bind::shapes, Bind::parameters}) {
      OrtRun next = run(one, bind);
      if (next.outputs) return next;
      if (bind == Bind::none) out = std::move(next);
    }
    return out;
  }

 private:
  OrtRun run(const OrtCase& one, Bind bind) {
    std::string problem;
    bool is_refused = false;
    const auto loaded = load_case(one.files, one.files.path + "/test_data_set_0", bind, true, problem, is_refused);
    if (!loaded) return {std::nullopt, problem};
    Diagnostics diags;
    const auto target = resolve_target("host", diags);
    if (!target) return refused(diags);
    const auto backend = reference::backends()[0].create({});
    codegen::Codegen* codegens[] = {backend.get()};
    Job job;
    job.target = *target;
    job.name = "m";
    job.codegens = codegens;
    job.kernel_objects = &kernels_;
    const auto library = compile_model(loaded->graph, job, diags);
    if (!library) return refused(diags);
    std::string error;
    const auto here = HostLibrary::load(*library, "", error);
    std::vector<evaluate::Tensor> outputs;
    if (here) error = here->run(loaded->inputs, outputs);
    if (error.empty()) error = without_room(loaded->graph, outputs);
    if (!error.empty()) return {std::nullopt, error};
    std::vector<HostValue> values;
    for (const evaluate::Tensor& t : outputs) values.push_back(value_of(t));
    return {std::move(values), ""};
  }

  static HostValue value_of(const evaluate::Tensor& t) {
    HostValue out;
    out.kind = t.type.is_tensor()                            ? HostValue::Kind::tensor
               : t.type.container == ir::Container::sequence ? HostValue::Kind::sequence
                                                             : HostValue::Kind::optional;
    out.dtype = t.type.dtype;
    if (!t.type.is_tensor()) {
      for (const evaluate::Tensor& item : *t.items) out.items.push_back(value_of(item));
      return out;
    }
    out.dims.assign(t.type.dims->begin(), t.type.dims->end());
    if (t.type.dtype == DType::string) {
      out.texts = *t.texts;
      return out;
    }
    const auto bytes = t.bytes.bytes();
    out.bytes.assign(bytes.begin(), bytes.end());
    return out;
  }

  std::map<std::string, std::vector<std::byte>> kernels_;
};

}  // namespace

OrtExecutor ort_executor(const std::string& name, const std::string& cache) {
  if (name == "c") return [c = std::make_shared<GeneratedC>()](const OrtCase& one) { return c->run(one); };
  return [=](const OrtCase& one) { return run_by_host(one, name, cache); };
}

}  // namespace byoc::test
