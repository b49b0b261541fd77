#include "sdk/run/remote/graph_calls.hpp"

#include <dlfcn.h>

#include <cstring>

namespace byoc::remote {

std::string GraphCalls::load(void* library, const PackedGraph& graph, std::span<void* const> buffers) {
  for (const PackedTensor& t : graph.tensors) shapes_.push_back(t.shape);
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
    const PackedTensor& t = graph.tensors[i];
    tensors_.push_back({buffers[t.buffer],
                        {BYOC_DL_CPU, 0},
                        static_cast<std::int32_t>(t.shape.size()),
                        {t.code, t.bits, t.lanes},
                        shapes_[i].data(),
                        nullptr,
                        0});
  }
  for (const PackedCall& c : graph.calls) {
    Call call;
    call.name = &c.function;
    if (c.function.empty())
      call.bytes = static_cast<std::size_t>(*bytes_of(graph.tensors[c.tensors[0]]));
    else
      call.function = reinterpret_cast<byoc_packed_function_t>(::dlsym(library, c.function.c_str()));
    if (!c.function.empty() && call.function == nullptr) return "the library has no function " + c.function;
    for (const std::uint32_t t : c.tensors) {
      byoc_packed_value_t value;
      value.v_handle = &tensors_[t];
      call.args.push_back(value);
      call.codes.push_back(BYOC_PACKED_ARG_TENSOR);
    }
    calls_.push_back(std::move(call));
  }
  return {};
}

std::string GraphCalls::run() {
  for (Call& c : calls_) {
    if (c.function == nullptr) {
      const auto* from = static_cast<const byoc_dl_tensor_t*>(c.args[0].v_handle);
      std::memmove(static_cast<const byoc_dl_tensor_t*>(c.args[1].v_handle)->data, from->data, c.bytes);
      continue;
    }
    byoc_packed_value_t result;
    result.v_handle = nullptr;
    std::int32_t result_code = BYOC_PACKED_ARG_NULL;
    const std::int32_t status = c.function(c.args.data(), c.codes.data(), static_cast<std::int32_t>(c.args.size()),
                                           &result, &result_code, nullptr);
    if (status != 0) return *c.name + " returned " + std::to_string(status);
  }
  return {};
}

}  // namespace byoc::remote
