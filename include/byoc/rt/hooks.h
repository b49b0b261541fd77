/* Functions that a model calls around each step of a run, to take times and to look at values: a model that is
 * exported with hooks has <model>_set_hooks(). Generated headers contain this text. C99. */
#ifndef BYOC_RT_HOOKS_H
#define BYOC_RT_HOOKS_H

#include <stdint.h>

typedef struct byoc_hooks {
  void* context; /* given to all of these; each of them may be NULL */
  void (*begin)(void* context, uint32_t step);
  void (*end)(void* context, uint32_t step);
  /* For steps that were exported with --tap: an output as it is right after the step, in the layout that the step
   * writes. The bytes are the run's; copy those that you want to keep. */
  void (*tap)(void* context, uint32_t step, uint32_t output, const void* data, uint32_t bytes);
} byoc_hooks_t;

typedef struct byoc_step_name {
  const char* symbol;
  const char* kernel;
  uint32_t macs; /* 0xffffffff: that or more */
} byoc_step_name_t;

#endif
