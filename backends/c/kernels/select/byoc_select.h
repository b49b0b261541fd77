/* Results that are as long as elements say. What they find goes into room for `room` of it, of which the rest is zeros;
   functions return how much they found, or room + 1 where that is more. */
#ifndef BYOC_SELECT_H
#define BYOC_SELECT_H

#include "byoc_boxes.h"
#include "byoc_kernel.h"

/* The indices of the elements that are not zero: y[rank][room] or y[room][rank], by the distances of dims and places.
 */
typedef struct {
  int32_t elements, rank, room, of_dim, of_place;
} byoc_non_zero_t;

#define BYOC_NON_ZERO(name, X) int32_t name(const byoc_non_zero_t* p, const int32_t* dims, const X* x, int64_t* y)

/* Selects the slices whose condition is true: `length` slices of `bytes` along an axis, with `outer` in front. */
typedef struct {
  int32_t outer, conditions, length, bytes, room;
} byoc_compress_t;

#define BYOC_COMPRESS(name) int32_t name(const byoc_compress_t* p, const void* from, const uint8_t* condition, void* to)

/* The different ones of `length` slices of `inner` elements along an axis with `outer` in front. */
typedef struct {
  int32_t outer, length, inner, sorted, room;
} byoc_unique_t;

/* Results but y may be NULL; work: 2 * length. */
#define BYOC_UNIQUE(name, X)                                                                                \
  int32_t name(const byoc_unique_t* p, const X* x, X* y, int64_t* first, int64_t* inverse, int64_t* counts, \
               int32_t* work)

/* boxes[batch][count][4], scores[batch][classes][count], y[room][3]. Operands that are not given are NULL;
   work: count. */
typedef struct {
  int32_t batch, classes, count, centre, room;
} byoc_non_max_suppression_t;

#define BYOC_NON_MAX_SUPPRESSION(name)                                                                            \
  int32_t name(const byoc_non_max_suppression_t* p, const float* boxes, const float* scores, const int64_t* most, \
               const float* overlap, const float* least, int64_t* y, int32_t* work)

/* boxes[count][4], scores[count] -> at most `most` indices of boxes and their scores, zeros behind them. A box that a
   chosen one covers by `overlap` or more is left out; with a sigma above 0 a chosen one lowers its score by how far it
   covers it. sigma may be NULL, values too; work and compared: count each. */
#define BYOC_SOFT_NON_MAX_SUPPRESSION(name)                                                                      \
  void name(int32_t count, int32_t most, const float* boxes, const float* scores, const float* overlap,          \
            const float* least, const float* sigma, int32_t* chosen, float* values, int32_t* found, float* work, \
            int32_t* compared)

/* encodings[count][width], scores[count][columns], anchors[count][4]: centre y, centre x, height, width of each box, in
   encodings relative to the anchor, sizes as logarithms. Of the columns the last `classes` count. Boxes whose score is
   below `least`, or that a better one covers by more than `overlap`, are left out.
   With BYOC_REGULAR each class by itself, at most `each` of one; otherwise each box by its best class, and `each`
   places for a box, of which as many are filled as there are classes.
   -> corners[detections or detections * each][4] and so on; what is beyond *found is zeros. 1: a box ends before it
   begins. work: 4 * count floats; best: count floats, not with BYOC_REGULAR; order: count. */
typedef struct {
  int32_t count, width, classes, columns, detections, each, room;
  float y_scale, x_scale, h_scale, w_scale, least, overlap;
} byoc_detection_t;

#define BYOC_DETECTION(name)                                                                                 \
  int32_t name(const byoc_detection_t* p, const float* encodings, const float* scores, const float* anchors, \
               float* corners, float* labels, float* values, float* found, byoc_box_t* work, float* best,    \
               int32_t* order)

#endif
