/* Models that byoc exported for this machine, opened and run by programs in any language that can call C: what libbyoc
 * exports. C99; fixed-width integers, no enums.
 *
 * Structs carry their size, as whoever calls knows it, and may grow at the end. Functions return 0 for success; else
 * byoc_model_last_error() says why.
 *
 * Threads: any thread may call anything, but two must not use one byoc_model_t at a time: byoc_model_another() is for a
 * second one. byoc_model_open() starts a process to link what is no shared library yet; the others start none. */
#ifndef BYOC_RT_RUNTIME_H
#define BYOC_RT_RUNTIME_H

#include <stdint.h>

#include "byoc/rt/dlpack.h"
#include "byoc/rt/threads.h"

#if defined(__GNUC__)
#define BYOC_RUNTIME_API __attribute__((visibility("default")))
#else
#define BYOC_RUNTIME_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define BYOC_RUNTIME_VERSION 1u

/* Results of the functions. */
#define BYOC_RUNTIME_OK 0
#define BYOC_RUNTIME_ERROR 1   /* of the library, the model or the tensors */
#define BYOC_RUNTIME_MISUSED 2 /* a null pointer, an index beyond the last, a struct that is too small */

/* A model with its workspace and, if it has one, its instance. */
typedef struct byoc_model byoc_model_t;

typedef struct byoc_model_options {
  uint32_t struct_size;
  uint32_t library_count;
  const char* const* libraries; /* objects and libraries that are linked besides what is no shared library yet */
} byoc_model_options_t;

#define BYOC_MODEL_INPUT 0u
#define BYOC_MODEL_OUTPUT 1u

/* All pointers are valid as long as the model is. */
typedef struct byoc_tensor_info {
  uint32_t struct_size;
  int32_t ndim;
  const char* name;
  const int64_t* shape;
  byoc_dl_data_type_t dtype;
  uint32_t align; /* that the first element must have, bytes */
  uint64_t bytes;
  /* real = scales[i] * (q - zero_points[i]); 0: not quantised. More than one: for each index of `axis`. */
  uint32_t scale_count;
  int32_t axis; /* -1: one scale for all */
  const float* scales;
  const int64_t* zero_points;
  uint32_t overwritten; /* 1: of an input that a run writes other values into */
  uint32_t reserved0;
} byoc_tensor_info_t;

/* BYOC_RUNTIME_VERSION of the library. */
BYOC_RUNTIME_API uint32_t byoc_runtime_version(void);

/* Why the last call of this thread failed: a line for each error, "" where it did not. Valid until the next call of
 * this thread. Never NULL. */
BYOC_RUNTIME_API const char* byoc_model_last_error(void);

/* Opens a .so, .o, .a, .tar or folder that byoc exported for this machine. `options` may be NULL. */
BYOC_RUNTIME_API int32_t byoc_model_open(const char* path, const byoc_model_options_t* options, byoc_model_t** out);
/* A model of the same library, with a workspace and an instance of its own. */
BYOC_RUNTIME_API int32_t byoc_model_another(const byoc_model_t* model, byoc_model_t** out);
/* NULL is nothing to close. */
BYOC_RUNTIME_API void byoc_model_close(byoc_model_t* model);

/* Its manifest, JSON; "" for NULL. Valid as long as the model is. */
BYOC_RUNTIME_API const char* byoc_model_manifest(const byoc_model_t* model);
/* The number of inputs and outputs; 0 for NULL. */
BYOC_RUNTIME_API uint32_t byoc_model_input_count(const byoc_model_t* model);
BYOC_RUNTIME_API uint32_t byoc_model_output_count(const byoc_model_t* model);
/* `kind`: BYOC_MODEL_INPUT or BYOC_MODEL_OUTPUT. Fills as much of `info` as its struct_size says. */
BYOC_RUNTIME_API int32_t byoc_model_describe(const byoc_model_t* model, uint32_t kind, uint32_t index,
                                             byoc_tensor_info_t* info);

/* One run: reads the inputs and writes the outputs where they are, in the model's order. Nothing is written, and the
 * model is not run, where a tensor is not as described: element type, shape, compact, in memory of this process,
 * aligned. Keeps nothing of what it is given. */
BYOC_RUNTIME_API int32_t byoc_model_run(byoc_model_t* model, const byoc_dl_tensor_t* const* inputs,
                                        uint32_t input_count, byoc_dl_tensor_t* const* outputs, uint32_t output_count);
/* The state of a model that has one is what it was after byoc_model_open(). */
BYOC_RUNTIME_API int32_t byoc_model_reset(byoc_model_t* model);

/* Threads for the runs of a model that was exported with --threads, from the next one on; NULL: none any more. They are
 * the program's, or those of a pool, and outlive that. */
BYOC_RUNTIME_API int32_t byoc_model_set_threads(byoc_model_t* model, const byoc_threads_t* threads);

/* Threads for a program that has none to lend: `count` of them, of which the one that runs a model is one. Models may
 * share them; of two runs at a time one has them, and the other does without. */
typedef struct byoc_thread_pool byoc_thread_pool_t;
BYOC_RUNTIME_API int32_t byoc_thread_pool_open(uint32_t count, byoc_thread_pool_t** out);
/* NULL for NULL. Valid as long as the pool is. */
BYOC_RUNTIME_API const byoc_threads_t* byoc_thread_pool_threads(const byoc_thread_pool_t* pool);
/* Closes a pool that no model uses any more. NULL: nothing happens. */
BYOC_RUNTIME_API void byoc_thread_pool_close(byoc_thread_pool_t* pool);

#ifdef __cplusplus
}
#endif

#endif
