// byoc/rt/runtime.h. No exception leaves these functions.
#include <cstddef>
#include <cstring>
#include <exception>
#include <new>

#include "byoc/rt/runtime.h"
#include "byoc/runtime.hpp"
#include "byoc/threads.hpp"
#include "sdk/run/host/tensors.hpp"

struct byoc_model {
  byoc::LoadedModel model;
  std::string manifest;
};

struct byoc_thread_pool {
  byoc::ThreadPool pool;
};

namespace {

thread_local std::string last_error;

std::int32_t misused(const char* what) {
  last_error = what;
  return BYOC_RUNTIME_MISUSED;
}

// Runs `body`, which returns whether it went well, and keeps what it says.
template <class Body>
std::int32_t guarded(const Body& body) {
  try {
    byoc::Diagnostics diags;
    const bool ok = body(diags);
    last_error.clear();
    for (const byoc::Diagnostic& d : diags.all())
      if (!ok) last_error += (last_error.empty() ? "" : "\n") + byoc::to_string(d);
    return ok ? BYOC_RUNTIME_OK : BYOC_RUNTIME_ERROR;
  } catch (const std::bad_alloc&) {
    last_error = "not enough memory";
  } catch (const std::exception& error) {
    last_error = error.what();
  }
  return BYOC_RUNTIME_ERROR;
}

std::int32_t give(byoc::Result<byoc::LoadedModel> made, byoc_model_t** out) {
  if (!made) return 1;
  std::string manifest = made->module().manifest();
  *out = new byoc_model{std::move(*made), std::move(manifest)};
  return 0;
}

// True if the caller's struct has this member: older callers have a shorter struct.
template <class T>
bool has(std::uint32_t struct_size, T byoc_model_options_t::* member) {
  const byoc_model_options_t sample{};
  const auto offset = reinterpret_cast<const char*>(&(sample.*member)) - reinterpret_cast<const char*>(&sample);
  return struct_size >= static_cast<std::size_t>(offset) + sizeof(T);
}

}  // namespace

extern "C" {

uint32_t byoc_runtime_version(void) { return BYOC_RUNTIME_VERSION; }

const char* byoc_model_last_error(void) { return last_error.c_str(); }

int32_t byoc_model_open(const char* path, const byoc_model_options_t* options, byoc_model_t** out) {
  if (path == nullptr || out == nullptr) return misused("byoc_model_open: a null pointer");
  *out = nullptr;
  return guarded([&](byoc::Diagnostics& diags) {
    std::vector<std::string> libraries;
    if (options != nullptr && has(options->struct_size, &byoc_model_options_t::libraries))
      for (std::uint32_t i = 0; i < options->library_count; ++i) libraries.emplace_back(options->libraries[i]);
    return give(byoc::LoadedModel::open(path, diags, libraries), out) == 0;
  });
}

int32_t byoc_model_another(const byoc_model_t* model, byoc_model_t** out) {
  if (model == nullptr || out == nullptr) return misused("byoc_model_another: a null pointer");
  *out = nullptr;
  return guarded([&](byoc::Diagnostics& diags) { return give(model->model.another(diags), out) == 0; });
}

void byoc_model_close(byoc_model_t* model) { delete model; }

const char* byoc_model_manifest(const byoc_model_t* model) { return model == nullptr ? "" : model->manifest.c_str(); }

uint32_t byoc_model_input_count(const byoc_model_t* model) {
  return model == nullptr ? 0 : static_cast<uint32_t>(model->model.inputs().size());
}

uint32_t byoc_model_output_count(const byoc_model_t* model) {
  return model == nullptr ? 0 : static_cast<uint32_t>(model->model.outputs().size());
}

int32_t byoc_model_describe(const byoc_model_t* model, uint32_t kind, uint32_t index, byoc_tensor_info_t* info) {
  if (model == nullptr || info == nullptr) return misused("byoc_model_describe: a null pointer");
  if (kind > BYOC_MODEL_OUTPUT) return misused("byoc_model_describe: neither inputs nor outputs");
  const auto tensors = kind == BYOC_MODEL_INPUT ? model->model.inputs() : model->model.outputs();
  if (index >= tensors.size()) return misused("byoc_model_describe: there is no tensor of this index");
  if (info->struct_size < sizeof info->struct_size) return misused("byoc_model_describe: struct_size is not set");
  const byoc::IoTensor& t = tensors[index];
  const byoc_tensor_info_t all{info->struct_size,
                               static_cast<int32_t>(t.dims.size()),
                               t.name.c_str(),
                               t.dims.data(),
                               byoc::dl_data_type(t.dtype),
                               byoc::runtime::alignment_of(t),
                               t.bytes,
                               static_cast<uint32_t>(t.quantisation.scales.size()),
                               t.quantisation.axis,
                               t.quantisation.scales.data(),
                               t.quantisation.zero_points.data(),
                               t.overwritten ? 1U : 0U,
                               0};
  std::memcpy(info, &all, std::min<std::size_t>(info->struct_size, sizeof all));
  last_error.clear();
  return BYOC_RUNTIME_OK;
}

int32_t byoc_model_run(byoc_model_t* model, const byoc_dl_tensor_t* const* inputs, uint32_t input_count,
                       byoc_dl_tensor_t* const* outputs, uint32_t output_count) {
  if (model == nullptr || (inputs == nullptr && input_count != 0) || (outputs == nullptr && output_count != 0))
    return misused("byoc_model_run: a null pointer");
  return guarded([&](byoc::Diagnostics& diags) {
    return static_cast<bool>(model->model.run({inputs, input_count}, {outputs, output_count}, diags));
  });
}

int32_t byoc_model_reset(byoc_model_t* model) {
  if (model == nullptr) return misused("byoc_model_reset: a null pointer");
  return guarded([&](byoc::Diagnostics& diags) { return static_cast<bool>(model->model.reset(diags)); });
}

int32_t byoc_model_set_threads(byoc_model_t* model, const byoc_threads_t* threads) {
  if (model == nullptr) return misused("byoc_model_set_threads: a null pointer");
  if (threads != nullptr && (threads->struct_size < sizeof *threads || threads->parallel_for == nullptr))
    return misused("byoc_model_set_threads: struct_size or parallel_for is not set");
  return guarded([&](byoc::Diagnostics& diags) { return static_cast<bool>(model->model.set_threads(threads, diags)); });
}

int32_t byoc_thread_pool_open(uint32_t count, byoc_thread_pool_t** out) {
  if (out == nullptr) return misused("byoc_thread_pool_open: a null pointer");
  *out = nullptr;
  return guarded([&](byoc::Diagnostics& diags) {
    auto pool = byoc::ThreadPool::create(count, diags);
    if (pool) *out = new byoc_thread_pool{std::move(*pool)};
    return static_cast<bool>(pool);
  });
}

const byoc_threads_t* byoc_thread_pool_threads(const byoc_thread_pool_t* pool) {
  return pool == nullptr ? nullptr : &pool->pool.threads();
}

void byoc_thread_pool_close(byoc_thread_pool_t* pool) { delete pool; }

}  // extern "C"
