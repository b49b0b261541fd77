/* Runs the model once. The buffers behind inputs and outputs are the caller's, aligned to their element; they and the
 * workspace must not overlap. Returns 0 for success. Reentrant: calls with different workspaces may run side by side. */
int32_t @PREFIX@_run(const @PREFIX@_inputs_t *inputs, const @PREFIX@_outputs_t *outputs, void *workspace);
