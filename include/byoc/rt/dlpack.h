/* A tensor in memory, laid out as DLPack's DLTensor: the address of one may be passed where a byoc_dl_tensor_t is asked
 * for, and the other way round, without a copy. C99, freestanding.
 *
 * Only what programs and byoc exchange is here; who keeps the memory, and how long, is the function's to say. */
#ifndef BYOC_RT_DLPACK_H
#define BYOC_RT_DLPACK_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BYOC_DL_CPU 1 /* device_type of memory that this process can read */

/* The meaning of an element's bits. */
#define BYOC_DL_INT 0u
#define BYOC_DL_UINT 1u
#define BYOC_DL_FLOAT 2u
#define BYOC_DL_BFLOAT 4u
#define BYOC_DL_BOOL 6u
#define BYOC_DL_FLOAT8_E4M3FN 10u
#define BYOC_DL_FLOAT8_E4M3FNUZ 11u
#define BYOC_DL_FLOAT8_E5M2 12u
#define BYOC_DL_FLOAT8_E5M2FNUZ 13u
#define BYOC_DL_FLOAT8_E8M0FNU 14u
#define BYOC_DL_FLOAT4_E2M1FN 17u

typedef struct byoc_dl_device {
  int32_t device_type;
  int32_t device_id;
} byoc_dl_device_t;

typedef struct byoc_dl_data_type {
  uint8_t code; /* BYOC_DL_INT ... */
  uint8_t bits; /* of one element; those of fewer than 8 are packed, the first in the lowest bits */
  uint16_t lanes;
} byoc_dl_data_type_t;

typedef struct byoc_dl_tensor {
  void* data;
  byoc_dl_device_t device;
  int32_t ndim;
  byoc_dl_data_type_t dtype;
  int64_t* shape;       /* ndim lengths */
  int64_t* strides;     /* ndim, in elements; NULL: compact and row-major */
  uint64_t byte_offset; /* of the first element, from data */
} byoc_dl_tensor_t;

#ifdef __cplusplus
}
#endif

#endif
