/* Listens to recordings of one second: samples go through the front end window by window, its features of 49 windows to
   the classifier. Both models of a pair name their tensors as they like, so that operands are given by position. */
#include <stdint.h>

#include "classifier.h"
#include "clips.h"
#include "console.h"
#include "front_end.h"

enum { samples = 16000, window = 480, stride = 320, windows = 49, channels = 40 };

static const char* const words[] = WORDS;
static const char* const names[] = CLIPS;
enum { word_count = sizeof words / sizeof *words, clip_count = sizeof names / sizeof *names };

extern const int16_t clips[clip_count][samples];

static int8_t features[windows * channels];
static int8_t scores[word_count];
/* One after the other, the models use one workspace. */
enum {
  workspace_size =
      FRONT_END_WORKSPACE_SIZE > CLASSIFIER_WORKSPACE_SIZE ? FRONT_END_WORKSPACE_SIZE : CLASSIFIER_WORKSPACE_SIZE,
  workspace_align =
      FRONT_END_WORKSPACE_ALIGN > CLASSIFIER_WORKSPACE_ALIGN ? FRONT_END_WORKSPACE_ALIGN : CLASSIFIER_WORKSPACE_ALIGN
};
static uint8_t workspace[workspace_size] __attribute__((aligned(workspace_align)));
static front_end_instance_t front_end;

/* The front end goes on from window to window; what it has learnt of the noise is forgotten before each recording. */
static int32_t listen(const int16_t* clip) {
  int32_t status = front_end_reset(&front_end);
  for (int i = 0; i < windows && status == 0; ++i) {
    const front_end_inputs_t inputs = {clip + i * stride};
    const front_end_outputs_t outputs = {features + i * channels};
    status = front_end_run(&front_end, &inputs, &outputs, workspace);
  }
  return status;
}

static int32_t classify(int* best) {
  const classifier_inputs_t inputs = {features};
  const classifier_outputs_t outputs = {scores};
  const int32_t status = classifier_run(&inputs, &outputs, workspace);
  *best = 0;
  for (int i = 1; i < word_count; ++i)
    if (scores[i] > scores[*best]) *best = i;
  return status;
}

/* FNV-1a: tells whether the features are those of another machine. */
static uint32_t checksum(void) {
  uint32_t sum = 2166136261u;
  for (int i = 0; i < windows * channels; ++i) sum = (sum ^ (uint8_t)features[i]) * 16777619u;
  return sum;
}

int main(void) {
  if (front_end_init(&front_end) != 0) return 1;
  for (int i = 0; i < clip_count; ++i) {
    int best;
    if (listen(clips[i]) != 0 || classify(&best) != 0) {
      console_text("a model reported an error\n");
      return 1;
    }
    console_text(names[i]);
    console_text(": ");
    console_text(words[best]);
    console_text(", ");
    console_number((uint32_t)(scores[best] + 128) * 100u / 256u, 1);
    console_text(" %, features ");
    console_number(checksum(), 1);
    console_text("\n");
  }
  return front_end_deinit(&front_end) != 0;
}
