/* TensorFlow Lite Micro's signal library: the front ends of speech models, in integers. */
#ifndef BYOC_SIGNAL_H
#define BYOC_SIGNAL_H

#include "byoc_kernel.h"

typedef struct {
  int32_t rows, length, shift; /* length: of the window */
} byoc_signal_window_t;
#define BYOC_SIGNAL_WINDOW(name) \
  void name(const byoc_signal_window_t* p, const int16_t* x, const int16_t* window, int16_t* y)

/* shift may be null. */
#define BYOC_SIGNAL_FFT_AUTO_SCALE(name) void name(int32_t n, const int16_t* x, int16_t* y, int32_t* shift)

typedef struct {
  int32_t bins, start, end;
} byoc_signal_energy_t;
#define BYOC_SIGNAL_ENERGY(name) void name(const byoc_signal_energy_t* p, const int16_t* x, uint32_t* y)

/* For each of the channels + 1 bands: its first bin, the place of its first weight, and its width. */
#define BYOC_SIGNAL_FILTER_BANK(name)                                                              \
  void name(int32_t channels, const uint32_t* x, const int16_t* weights, const int16_t* unweights, \
            const int16_t* bins, const int16_t* places, const int16_t* widths, uint64_t* BYOC_RESTRICT y)

#define BYOC_SIGNAL_FILTER_BANK_SQUARE_ROOT(name) \
  void name(int32_t n, const uint64_t* x, const int32_t* shift, uint32_t* y)

typedef struct {
  int32_t n, clamping, smoothing_bits, subtraction_bits;
  uint32_t smoothing[2], rest[2], remaining; /* of even channels and of odd ones */
} byoc_signal_subtraction_t;
/* noise and next, of n elements, may be the same. */
#define BYOC_SIGNAL_SUBTRACTION(name) \
  void name(const byoc_signal_subtraction_t* p, const uint32_t* x, const uint32_t* noise, uint32_t* y, uint32_t* next)

typedef struct {
  int32_t n, correction;
  uint32_t scale;
} byoc_signal_log_t;
/* above_chord: 129 entries. */
#define BYOC_SIGNAL_LOG(name) \
  void name(const byoc_signal_log_t* p, const int16_t* above_chord, const uint32_t* x, int16_t* y)

#define BYOC_SIGNAL_PCAN(name) \
  void name(int32_t n, int32_t shift, const uint32_t* x, const uint32_t* noise, const int16_t* gains, uint32_t* y)

/* Rows of `length` samples, each with `kept` ones before it of which `before` count; frames of `size` every `step`.
   seen counts the steps up to warm_up, from which on frames are whole. valid may be null; next may be history, now
   seen. */
typedef struct {
  int32_t rows, length, kept, before, size, step, warm_up;
} byoc_signal_framer_t;
#define BYOC_SIGNAL_FRAMER(name)                                                                                      \
  void name(const byoc_signal_framer_t* p, const int16_t* x, const int16_t* history, const int32_t* seen, int16_t* y, \
            uint8_t* valid, int16_t* next, int32_t* now)

/* A stack of left + right + 1 frames of n elements; y may be stack, now held. held: 0 before the first run, then one
   more than the frames held. valid may be null. */
typedef struct {
  int32_t n, left, right, step;
} byoc_signal_stacker_t;
#define BYOC_SIGNAL_STACKER(name)                                                                                    \
  void name(const byoc_signal_stacker_t* p, const int16_t* x, const int16_t* stack, const int32_t* held, int16_t* y, \
            uint8_t* valid, int32_t* now)

/* Rows of frames of `size`, `step` apart; next, what is left of the last ones, may be sums. */
typedef struct {
  int32_t rows, frames, size, step;
} byoc_signal_overlap_t;
#define BYOC_SIGNAL_OVERLAP_ADD(name, X) \
  void name(const byoc_signal_overlap_t* p, const X* x, const X* sums, X* y, X* next)

#endif
