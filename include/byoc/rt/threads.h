/* Threads of the program's for one run of a model: what the codegen's device `threads` is (byoc export --threads).
 * <model>_set_devices() takes the address of a byoc_threads_t, which must stay as long as it is set; of one that is
 * NULL, or has less than two parts, the thread that calls <model>_run does all by itself. Results are the same bits for
 * any number of parts and threads. C99, freestanding. */
#ifndef BYOC_RT_THREADS_H
#define BYOC_RT_THREADS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One part of a step's work. Any thread; it does not fail. */
typedef void (*byoc_part_t)(const void* work, uint32_t index);

typedef struct byoc_threads {
  uint32_t struct_size; /* sizeof(byoc_threads_t) of the program */
  uint32_t parts;       /* that a step's work is cut into, at most: as many as there are threads, or some times more */
  void* context;        /* given to parallel_for */
  /* Calls part(work, index) once for each index below `parts`, in any order, several at a time or not, and returns when
   * all of them have returned. Steps call it from the thread of <model>_run, and parts do not call it. */
  void (*parallel_for)(void* context, uint32_t parts, byoc_part_t part, const void* work);
} byoc_threads_t;

#ifdef __cplusplus
}
#endif

#endif
