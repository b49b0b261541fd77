/* The functions that a graph executor calls, as TVM 0.15 has them: facts of that ABI, which does not change any more,
 * by names of our own. C99, freestanding. On a 64-bit machine a tensor has 48 bytes, a value 8. */
#ifndef BYOC_RT_PACKED_H
#define BYOC_RT_PACKED_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of byoc_packed_type_t::code. */
#define BYOC_PACKED_INT 0u
#define BYOC_PACKED_UINT 1u /* a bool is one with 1 bit, in a byte of its own */
#define BYOC_PACKED_FLOAT 2u
#define BYOC_PACKED_HANDLE 3u
#define BYOC_PACKED_BFLOAT 4u

typedef struct byoc_packed_type {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
} byoc_packed_type_t;

/* byoc_packed_device_t::type of memory that the CPU reads. An integer, as enums are of different sizes. */
#define BYOC_PACKED_CPU 1

typedef struct byoc_packed_device {
  int32_t type;
  int32_t id;
} byoc_packed_device_t;

typedef struct byoc_packed_tensor {
  void* data;
  byoc_packed_device_t device;
  int32_t ndim;
  byoc_packed_type_t dtype;
  int64_t* shape;
  int64_t* strides; /* elements; NULL: row-major */
  uint64_t byte_offset;
} byoc_packed_tensor_t;

typedef union byoc_packed_value {
  int64_t v_int;
  double v_float;
  void* v_handle;
  const char* v_str;
} byoc_packed_value_t;

/* What an argument is. */
#define BYOC_PACKED_ARG_INT 0
#define BYOC_PACKED_ARG_HANDLE 3
#define BYOC_PACKED_ARG_NULL 4
#define BYOC_PACKED_ARG_TENSOR 7          /* v_handle is a byoc_packed_tensor_t* */
#define BYOC_PACKED_ARG_COUNTED_TENSOR 13 /* the same, of a tensor that others hold as well */

/* Returns 0 for success. `resource` is NULL. */
typedef int32_t (*byoc_packed_function_t)(byoc_packed_value_t* args, int32_t* arg_codes, int32_t arg_count,
                                          byoc_packed_value_t* result, int32_t* result_code, void* resource);

#ifdef __cplusplus
}
#endif

#endif
