#include "sdk/run/host/run_library.hpp"

#include <chrono>
#include <cstring>
#include <optional>

#include "byoc/threads.hpp"
#include "sdk/base/support/run_apart.hpp"
#include "sdk/run/host/loadable_message.hpp"
#include "sdk/run/host/loaded_model.hpp"
#include "sdk/run/host/measured_stack.hpp"

namespace byoc::runtime {
namespace {

constexpr std::uint32_t kTimed = 10;                // runs of which the shortest counts
constexpr std::uint64_t kLongEnough = 200'000'000;  // nanoseconds of them all

// Buffers for one run, and the tensors that they are.
class Tensors {
 public:
  explicit Tensors(const std::vector<IoTensor>& described) : described_(described) {
    for (const IoTensor& t : described) {
      memory_.emplace_back(calls::BufferNeed{t.bytes, t.align});
      tensors_.push_back({memory_.back().data(),
                          {BYOC_DL_CPU, 0},
                          static_cast<std::int32_t>(t.dims.size()),
                          dl_data_type(t.dtype),
                          const_cast<std::int64_t*>(t.dims.data()),  // only read
                          nullptr,
                          0});
    }
    for (byoc_dl_tensor_t& t : tensors_) pointers_.push_back(&t);
  }
  [[nodiscard]] std::span<byoc_dl_tensor_t* const> pointers() const { return pointers_; }
  [[nodiscard]] std::vector<const byoc_dl_tensor_t*> constant() const { return {pointers_.begin(), pointers_.end()}; }
  void fill(std::span<const Blob> values) {
    for (std::size_t i = 0; i < values.size(); ++i)
      if (values[i].size() != 0) std::memcpy(memory_[i].data(), values[i].data(), values[i].size());
  }
  [[nodiscard]] std::string_view bytes(std::size_t i) const {
    return {static_cast<const char*>(memory_[i].data()), static_cast<std::size_t>(described_[i].bytes)};
  }

 private:
  const std::vector<IoTensor>& described_;
  std::vector<calls::Memory> memory_;
  std::vector<byoc_dl_tensor_t> tensors_;
  std::vector<byoc_dl_tensor_t*> pointers_;
};

std::uint64_t now() {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

// A run in the process that the model has for itself.
class Run {
 public:
  Run(LoadedModel& model, const LibraryRun& how, Diagnostics& diags)
      : model_(model), how_(how), diags_(diags), in_(model.interface().inputs), out_(model.interface().outputs) {}

  // Outputs, then the time of one run, that of each repetition, and the stack.
  bool run(MessageWriter& answer) {
    const std::size_t each = model_.inputs().size();
    const std::size_t runs = each == 0 ? 1 : how_.inputs.size() / each;
    std::uint64_t stack = 0, shortest = 0;
    for (std::size_t i = 0; i < runs; ++i) {
      if (i != 0 && how_.reset && !model_.reset(diags_)) return false;
      last_ = how_.inputs.subspan(i * each, each);
      std::uint64_t took = 0;
      if (!once(took, i == 0 ? &stack : nullptr)) return false;
      if (i == 0) shortest = took;
      for (std::size_t o = 0; o < model_.outputs().size(); ++o) answer.put(out_.bytes(o));
    }
    if (model_.interface().instance_bytes == 0 && !time_again(shortest)) return false;
    answer.put(shortest);
    for (std::uint32_t i = 0; i < how_.repeat; ++i) {
      std::uint64_t took = 0;
      if ((how_.reset && !model_.reset(diags_)) || !once(took, nullptr)) return false;
      answer.put(took);
    }
    answer.put(stack);
    return true;
  }

 private:
  bool once(std::uint64_t& took, std::uint64_t* stack) {
    in_.fill(last_);
    const auto inputs = in_.constant();
    const auto addresses = model_.impl().addresses(inputs, out_.pointers(), diags_);
    if (!addresses) return false;
    std::optional<calls::CallError> error;
    const auto timed = [&] {
      const std::uint64_t start = now();
      error = model_.impl().run(*addresses);
      took = now() - start;
    };
    if (stack != nullptr)
      *stack = measure_stack(timed);
    else
      timed();
    return bool(model_.impl().said(error, diags_));
  }

  // Repeats the run, because other programs disturb the clock: the shortest time counts.
  bool time_again(std::uint64_t& shortest) {
    std::uint64_t total = shortest;
    for (std::uint32_t i = 1; i < kTimed && total < kLongEnough; ++i) {
      std::uint64_t took = 0;
      if (!once(took, nullptr)) return false;
      total += took;
      shortest = std::min(shortest, took);
    }
    return true;
  }

  LoadedModel& model_;
  const LibraryRun& how_;
  Diagnostics& diags_;
  Tensors in_, out_;
  std::span<const Blob> last_;
};

Result<void> check_inputs(const ModelInterface& model, std::span<const Blob> inputs, Diagnostics& diags) {
  const std::size_t each = model.inputs.size();
  if (each == 0 ? !inputs.empty() : (inputs.empty() || inputs.size() % each != 0))
    return diags.error({}, model.name, "wrong number of inputs", std::to_string(inputs.size()),
                       std::to_string(each) + " for each run");
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (const IoTensor& t = model.inputs[i % each]; inputs[i].size() != t.bytes)
      return diags.error({}, t.name, "input is of the wrong size", std::to_string(inputs[i].size()) + " bytes",
                         std::to_string(t.bytes) + " bytes");
  return {};
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string write_request(const Loadable& library, const LibraryRun& how) {
  MessageWriter out;
  put_loadable(library, out);
  out.list(how.inputs, [&](const Blob& b) { out.put(text_of(b.bytes())); });
  out.put(how.reset);
  out.put(how.repeat);
  out.put(how.threads);
  return out.take();
}

// The rest is the worker's.

bool run_all(std::string_view request, MessageWriter& results, Diagnostics& diags) {
  MessageReader in(request);
  Loadable library = get_loadable(in);
  const std::vector<Blob> inputs = in.list([&] { return Blob::view(std::as_bytes(std::span(in.view())), nullptr); });
  LibraryRun how;
  how.inputs = inputs;
  how.reset = in.flag();
  how.repeat = in.get<std::uint32_t>();
  how.threads = in.get<std::uint32_t>();
  const auto module = in.ended() ? load_given(std::move(library), diags) : Result<LoadedModule>(failure);
  auto model = module ? LoadedModel::of(*module, diags) : Result<LoadedModel>(failure);
  auto pool = how.threads == 0 ? Result<ThreadPool>(failure) : ThreadPool::create(how.threads, diags);
  const bool ready = model && (how.threads == 0 || (pool && model->set_threads(&pool->threads(), diags)));
  return ready && Run(*model, how, diags).run(results);
}

void answer(Worker::Channel& channel, std::string_view request) {
  answer_apart(channel, [&](MessageWriter& results, Diagnostics& said) { return run_all(request, results, said); });
}

Result<RunResult> read_answer(std::string_view bytes, const ModelInterface& model, std::size_t runs,
                              const LibraryRun& how, const std::string& path, Diagnostics& diags) {
  MessageReader results(bytes);
  RunResult out;
  for (std::size_t i = 0; i < runs * model.outputs.size(); ++i) {
    out.outputs.push_back(results.blob());
    if (out.outputs.back().size() != model.outputs[i % model.outputs.size()].bytes) return bad_answer(path, diags);
  }
  out.nanoseconds = results.get<std::uint64_t>();
  for (std::uint32_t i = 0; i < how.repeat; ++i) out.times.push_back(results.get<std::uint64_t>());
  out.ram.stack = results.get<std::uint64_t>();
  if (!results.ended()) return bad_answer(path, diags);
  return out;
}

}  // namespace

extern const Service kRunService{"run", answer};

Result<RunResult> run_library(const Loadable& library, const ModelInterface& model, const LibraryRun& run,
                              Diagnostics& diags) {
  if (!check_inputs(model, run.inputs, diags)) return failure;
  const auto answer = run_apart(library.path, model.name, run.timeout_seconds, kRunService.name,
                                write_request(library, run), diags, library.image->fd());
  if (!answer) return failure;
  const std::size_t runs = model.inputs.empty() ? 1 : run.inputs.size() / model.inputs.size();
  return read_answer(*answer, model, runs, run, library.path, diags);
}

}  // namespace byoc::runtime
