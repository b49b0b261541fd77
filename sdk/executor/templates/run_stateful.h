/* State of one running copy of the model, owned by the caller. */
typedef struct @PREFIX@_instance {
  uint64_t opaque[@INSTANCE_WORDS@];
} @PREFIX@_instance_t;

/* To be called once before anything else, to start a new sequence, and at the end. Each returns 0 for success. */
int32_t @PREFIX@_init(@PREFIX@_instance_t *instance);
int32_t @PREFIX@_reset(@PREFIX@_instance_t *instance);
int32_t @PREFIX@_deinit(@PREFIX@_instance_t *instance);

/* Runs the model once. The buffers behind inputs and outputs are the caller's, aligned to their element; they and the
 * workspace must not overlap. Returns 0 for success. Different instances may run side by side. */
int32_t @PREFIX@_run(@PREFIX@_instance_t *instance, const @PREFIX@_inputs_t *inputs,
    const @PREFIX@_outputs_t *outputs, void *workspace);
