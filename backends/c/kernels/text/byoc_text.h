/* Strings as rows of `size` bytes: up to the first 0, at most size - 1; what follows in a row is 0. */
#ifndef BYOC_TEXT_H
#define BYOC_TEXT_H

#include "byoc_kernel.h"

/* letters[ranges][3]: the first and the last capital, and how far the small letters are from them; of a distance of 1
   every second one is a capital. */
typedef struct {
  int32_t rows, size, upper, ranges;
} byoc_text_case_t;

#define BYOC_TEXT_CASE(name) void name(const byoc_text_case_t* p, const uint16_t* letters, const uint8_t* x, uint8_t* y)

/* Splits each of `rows` strings at delimiters; without a delimiter, at runs of white space. `cuts`: the largest
   number of cuts; `length`: of the delimiter. y[rows][room][size] and counts[rows] may be NULL. Returns the largest
   number of pieces of a string, or room + 1. */
typedef struct {
  int32_t rows, size, room, cuts, length;
} byoc_text_split_t;

#define BYOC_TEXT_SPLIT(name) \
  int32_t name(const byoc_text_split_t* p, const uint8_t* delimiter, const uint8_t* x, uint8_t* y, int64_t* counts)

#endif
