// Graphs, parameters and a library of packed functions by hand, from the description of the formats.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sdk/base/support/json.hpp"

namespace byoc::test {

inline SortedJson null_node(const char* name) {
  return {{"op", "null"}, {"name", name}, {"inputs", SortedJson::array()}};
}

inline SortedJson op(const char* name, const char* function, const SortedJson& inputs) {
  return {{"op", "tvm_op"},
          {"name", name},
          {"inputs", inputs},
          {"attrs",
           {{"func_name", function},
            {"num_inputs", std::to_string(inputs.size())},
            {"num_outputs", "1"},
            {"flatten_data", "0"}}}};
}

// One entry a node, all of one shape.
inline SortedJson graph(const std::vector<SortedJson>& nodes, const std::vector<int>& storage, const SortedJson& heads,
                        const SortedJson& shape = {4}) {
  SortedJson out = {{"nodes", nodes}, {"arg_nodes", SortedJson::array()}, {"heads", heads}, {"node_row_ptr", {0}}};
  SortedJson shapes = SortedJson::array(), types = SortedJson::array();
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    if (nodes[n]["op"] == "null") out["arg_nodes"].push_back(n);
    out["node_row_ptr"].push_back(n + 1);
    shapes.push_back(shape);
    types.push_back("float32");
  }
  out["attrs"] = {
      {"shape", {"list_shape", shapes}}, {"dltype", {"list_str", types}}, {"storage_id", {"list_int", storage}}};
  return out;
}

// A file of parameters, float32 of one dim each.
inline std::vector<std::byte> params(const std::vector<std::pair<std::string, std::vector<float>>>& all) {
  std::string out;
  const auto number = [&](std::uint64_t n, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) out += static_cast<char>(n >> (8 * i) & 0xff);
  };
  number(0xF7E58D4F05049CB7, 8);
  number(0, 8);
  number(all.size(), 8);
  for (const auto& [name, values] : all) {
    number(name.size(), 8);
    out += name;
  }
  number(all.size(), 8);
  for (const auto& [name, values] : all) {
    number(0xDD5E40F096B4A13F, 8);
    number(0, 8);
    number(1, 4);
    number(0, 4);
    number(1, 4);
    number(0x00012002, 4);
    number(values.size(), 8);
    number(values.size() * 4, 8);
    out.append(reinterpret_cast<const char*>(values.data()), values.size() * 4);
  }
  const auto bytes = std::as_bytes(std::span(out));
  return {bytes.begin(), bytes.end()};
}

// What a C compiler makes a library of: tvmgen_default_fused_add adds one to its input, tvmgen_default_sum adds its two
// inputs, tvmgen_default_rank writes how many dims its input has, tvmgen_default_fail fails. The declarations are the
// ones of the description, not byoc's header.
inline constexpr const char* kPackedLibrary = R"(
#include <stdint.h>
typedef struct { int32_t device_type; int32_t device_id; } DLDevice;
typedef struct { uint8_t code; uint8_t bits; uint16_t lanes; } DLDataType;
typedef struct { void *data; DLDevice device; int32_t ndim; DLDataType dtype; int64_t *shape; int64_t *strides;
                 uint64_t byte_offset; } DLTensor;
typedef union { int64_t v_int64; double v_float64; void *v_handle; const char *v_str; DLDataType v_type;
                DLDevice v_device; } TVMValue;
_Static_assert(sizeof(DLTensor) == 48 && sizeof(TVMValue) == 8, "as the ABI says");
static int64_t elements(const DLTensor *t) {
  int64_t d, total = 1;
  for (d = 0; d < t->ndim; ++d) total *= t->shape[d];
  return total;
}
static int wrong(const DLTensor *t, int code) {
  return code != 7 || t->dtype.code != 2 || t->dtype.bits != 32 || t->dtype.lanes != 1 || t->device.device_type != 1 ||
         t->strides != 0 || t->byte_offset != 0;
}
int tvmgen_default_fused_add(TVMValue *args, int *codes, int n, TVMValue *ret, int *ret_code, void *resource) {
  DLTensor *x = args[0].v_handle, *y = args[1].v_handle;
  int64_t i;
  (void)ret; (void)ret_code; (void)resource;
  if (n != 2 || wrong(x, codes[0]) || wrong(y, codes[1])) return -1;
  for (i = 0; i < elements(x); ++i) ((float *)y->data)[i] = ((float *)x->data)[i] + 1;
  return 0;
}
int tvmgen_default_sum(TVMValue *args, int *codes, int n, TVMValue *ret, int *ret_code, void *resource) {
  DLTensor *a = args[0].v_handle, *b = args[1].v_handle, *y = args[2].v_handle;
  int64_t i;
  (void)ret; (void)ret_code; (void)resource;
  if (n != 3 || wrong(a, codes[0]) || wrong(b, codes[1]) || wrong(y, codes[2])) return -1;
  for (i = 0; i < elements(y); ++i) ((float *)y->data)[i] = ((float *)a->data)[i] + ((float *)b->data)[i];
  return 0;
}
int tvmgen_default_rank(TVMValue *args, int *codes, int n, TVMValue *ret, int *ret_code, void *resource) {
  (void)codes; (void)n; (void)ret; (void)ret_code; (void)resource;
  ((float *)((DLTensor *)args[1].v_handle)->data)[0] = (float)((DLTensor *)args[0].v_handle)->ndim;
  return 0;
}
int tvmgen_default_fail(TVMValue *args, int *codes, int n, TVMValue *ret, int *ret_code, void *resource) {
  (void)args; (void)codes; (void)n; (void)ret; (void)ret_code; (void)resource;
  return -3;
}
)";

}  // namespace byoc::test
