/* Runs a model with one input and one output: usage program INPUT OUTPUT SECONDS. Prints the median time of an
 * inference in nanoseconds. MODEL, MODEL_HEADER and the sizes come from the command line of the compiler. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include MODEL_HEADER

#define PASTE(a, b) a##b
#define GLUE(a, b) PASTE(a, b)
#define NAME(suffix) GLUE(MODEL, suffix)

static char input[INPUT_BYTES] __attribute__((aligned(64)));
static char output[OUTPUT_BYTES] __attribute__((aligned(64)));
static uint64_t workspace[WORKSPACE_BYTES / 8 + 1] __attribute__((aligned(64)));
#ifdef HAS_INSTANCE
static NAME(_instance_t) instance;
#endif

/* With CPU_TIME what this process has had of the processor counts: other programs on a busy machine do not. */
#ifdef CPU_TIME
#define CLOCK CLOCK_PROCESS_CPUTIME_ID
#else
#define CLOCK CLOCK_MONOTONIC
#endif
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int by_size(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static int run(void) {
  const NAME(_inputs_t) inputs = {(void*)input};
  const NAME(_outputs_t) outputs = {(void*)output};
#ifdef HAS_INSTANCE
  return NAME(_run)(&instance, &inputs, &outputs, workspace);
#else
  return NAME(_run)(&inputs, &outputs, workspace);
#endif
}

int main(int argc, char** argv) {
  static double times[100000];
  int count = 0;
  double end;
  FILE* file = argc == 4 ? fopen(argv[1], "rb") : NULL;
  if (file == NULL || fread(input, 1, sizeof input, file) != sizeof input) return 2;
  fclose(file);
#ifdef HAS_INSTANCE
  if (NAME(_init)(&instance) != 0) return 3;
#endif
  if (run() != 0) return 4;
  end = now() + atof(argv[3]) * 1e9;
  do {
    const double start = now();
    if (run() != 0) return 4;
    times[count++] = now() - start;
  } while (now() < end && count < 100000);
  qsort(times, (size_t)count, sizeof times[0], by_size);
  printf("%.0f\n", times[count / 2]);
  file = fopen(argv[2], "wb");
  if (file == NULL || fwrite(output, 1, sizeof output, file) != sizeof output) return 5;
  return fclose(file);
}
