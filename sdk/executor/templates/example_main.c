/* The smallest program around model @TITLE@: fill the inputs, call, read the outputs. */
#include "@HEADER@"

@BUFFERS@
int main(void) {
  const @PREFIX@_inputs_t inputs = {@INPUT_NAMES@};
  const @PREFIX@_outputs_t outputs = {@OUTPUT_NAMES@};
@INIT@  /* Put sensor data into the inputs here. */
  if (@PREFIX@_run(@INSTANCE_ARGUMENT@&inputs, &outputs, workspace) != 0) return 1;
  /* The answer is in the outputs now. */
  return 0;
}
