#include "sdk/app/api/host/graph_library_run.hpp"

#include "sdk/app/api/host/graph_run.hpp"
#include "sdk/base/support/run_apart.hpp"
#include "sdk/run/host/loadable_message.hpp"
#include "sdk/run/simulate/simulate.hpp"

namespace byoc::api {
namespace {

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void put_tensor(const StoredTensor& t, MessageWriter& out) {
  out.put(t.value);
  out.put(t.name);
  out.put(t.source_index);
  out.put(t.dtype);
  out.list(t.dims);
  out.put(t.bytes);
  out.put(t.place);
  out.put(t.index);
  out.put(t.offset);
  out.list(t.strides);
  out.put(t.channels.axis);
  out.list(t.channels.stored);
  out.list(t.channels.constant, [&](const std::optional<std::int64_t>& c) {
    out.put(c.has_value());
    out.put(c.value_or(0));
  });
}

StoredTensor get_tensor(MessageReader& in) {
  StoredTensor t;
  t.value = in.get<std::uint32_t>();
  t.name = in.text();
  t.source_index = in.get<std::int64_t>();
  t.dtype = in.choice(DType::string);
  t.dims = in.numbers<std::int64_t>();
  t.bytes = in.get<std::uint64_t>();
  t.place = in.choice(Place::given);
  t.index = in.get<std::uint32_t>();
  t.offset = in.get<std::uint64_t>();
  t.strides = in.numbers<std::int64_t>();
  t.channels.axis = in.get<std::uint32_t>();
  t.channels.stored = in.numbers<std::int64_t>();
  t.channels.constant = in.list([&] {
    const bool given = in.flag();
    const auto value = in.get<std::int64_t>();
    return given ? std::optional(value) : std::nullopt;
  });
  return t;
}

// The facts that run_graph() asks a model for.
void put_model(const ModelInterface& model, MessageWriter& out) {
  out.put(model.name);
  out.put(static_cast<std::uint64_t>(model.inputs.size()));
  out.put(static_cast<std::uint64_t>(model.outputs.size()));
  out.put(model.weight_bytes);
  out.list(model.steps,
           [&](const StepInfo& s) { out.list(s.results, [&](const StoredTensor& t) { put_tensor(t, out); }); });
}

ModelInterface get_model(MessageReader& in) {
  ModelInterface model;
  model.name = in.text();
  model.inputs.resize(in.get<std::uint64_t>());
  model.outputs.resize(in.get<std::uint64_t>());
  model.weight_bytes = in.get<std::uint64_t>();
  model.steps = in.list([&] {
    StepInfo step;
    step.results = in.list([&] { return get_tensor(in); });
    return step;
  });
  return model;
}

void put_options(const RunOptions& options, MessageWriter& out) {
  for (const bool b : {options.reset, options.profile, options.cycles, options.dump, options.compare}) out.put(b);
  out.put(options.repeat);
  out.put(options.threads);
}

RunOptions get_options(MessageReader& in) {
  RunOptions options;
  for (bool* b : {&options.reset, &options.profile, &options.cycles, &options.dump, &options.compare}) *b = in.flag();
  options.repeat = in.get<std::uint32_t>();
  options.threads = in.get<std::uint32_t>();
  return options;
}

void put_result(const RunResult& result, MessageWriter& out) {
  out.list(result.outputs, [&](const auto& bytes) { out.put(text_of(bytes)); });
  out.put(result.nanoseconds.value_or(0));
  out.list(result.times);
  out.list(result.step_counts);
  out.put(result.ram.workspace);
  out.list(result.dumps, [&](const DumpedTensor& d) {
    put_tensor(d.tensor, out);
    out.put(text_of(d.bytes));
  });
}

RunResult get_result(MessageReader& in) {
  RunResult out;
  out.outputs = in.list([&] { return in.blob(); });
  out.nanoseconds = in.get<std::uint64_t>();
  out.times = in.numbers<std::uint64_t>();
  out.step_counts = in.numbers<std::uint64_t>();
  out.ram.workspace = in.get<std::uint64_t>();
  out.dumps = in.list([&] {
    StoredTensor tensor = get_tensor(in);
    return DumpedTensor{std::move(tensor), in.blob()};
  });
  return out;
}

bool answer_library(std::string_view request, MessageWriter& answer, Diagnostics& said) {
  MessageReader in(request);
  runtime::Loadable library = runtime::get_loadable(in);
  const ModelInterface model = get_model(in);
  const std::vector<std::vector<std::byte>> bytes = in.list([&] { return in.blob(); });
  const RunOptions options = get_options(in);
  const auto root = in.ended() ? runtime::load_given(std::move(library), said) : Result<LoadedModule>(failure);
  if (!root) return false;
  const std::vector<TensorBytes> inputs(bytes.begin(), bytes.end());
  const auto result = run_graph(*root, model, inputs, options, said);
  if (result) put_result(*result, answer);
  return bool(result);
}

void serve_library(Worker::Channel& channel, std::string_view request) {
  answer_apart(channel,
               [&](MessageWriter& answer, Diagnostics& said) { return answer_library(request, answer, said); });
}

// The process ran code of others: it may say anything.
bool fits(const RunResult& result, const ModelInterface& model, std::size_t runs, const RunOptions& options) {
  bool fits = result.outputs.size() == runs * model.outputs.size() && result.times.size() == options.repeat;
  for (std::size_t i = 0; fits && i < result.outputs.size(); ++i)
    fits = result.outputs[i].size() == model.outputs[i % model.outputs.size()].bytes;
  for (std::size_t i = 0; fits && i < result.dumps.size(); ++i) {
    const StoredTensor& t = result.dumps[i].tensor;
    std::uint64_t bits = bit_width(t.dtype);
    for (const std::int64_t d : t.dims) fits = fits && d >= 0 && !__builtin_mul_overflow(bits, d, &bits);
    fits = fits && bits / 8 <= result.dumps[i].bytes.size() && t.channels.stored.size() == t.channels.constant.size();
  }
  return fits;
}

}  // namespace

extern const Service kGraphLibraryService{"graph library run", serve_library};

Result<RunResult> run_graph_library(const runtime::Loadable& library, const ModelInterface& model,
                                    std::span<const TensorBytes> inputs, const RunOptions& options,
                                    Diagnostics& diags) {
  MessageWriter request;
  runtime::put_loadable(library, request);
  put_model(model, request);
  request.list(inputs, [&](const TensorBytes& t) { request.put(text_of(t)); });
  put_options(options, request);
  const auto answer = run_apart(library.path, model.name, options.timeout_seconds, kGraphLibraryService.name,
                                request.bytes(), diags, library.image->fd());
  if (!answer) return failure;
  MessageReader in(*answer);
  RunResult result = get_result(in);
  if (!in.ended() || !fits(result, model, run_count(model, inputs.size()), options))
    return bad_answer(library.path, diags);
  result.flash.weights = model.weight_bytes;
  return result;
}

}  // namespace byoc::api
