/* The model of the device: interprets a command stream. Plain on purpose: the results are those of silicon that does
 * the same, the speed is not. */
#include <string.h>

#include "npu_driver.h"
#include "npu_isa.h"

/* a * b / 2^31 to the nearest, halves upwards. */
static int32_t doubling_high_product(int32_t a, int32_t b) {
  const int64_t product = (int64_t)a * b;
  const int64_t half = (int64_t)1 << 30;
  return (int32_t)((product + (product >= 0 ? half : 1 - half)) / ((int64_t)1 << 31));
}

static int32_t scale(int32_t x, npu_factor_t f) {
  const int32_t left = f.shift > 0 ? f.shift : 0;
  const int32_t right = f.shift < 0 ? -f.shift : 0;
  const int64_t y = doubling_high_product((int32_t)(x * ((int64_t)1 << left)), f.value);
  const int64_t divisor = (int64_t)1 << right;
  /* Half away from zero. */
  return (int32_t)((y >= 0 ? y + divisor / 2 : y - divisor / 2) / divisor);
}

static int8_t clamp(int32_t x, const npu_header_t* h) {
  return (int8_t)(x < h->low ? h->low : x > h->high ? h->high : x);
}

/* Bytes from a map's first element to the end of its last one. */
static uint32_t extent(const npu_map_t* m) {
  return (uint32_t)((m->height - 1) * m->stride_y + (m->width - 1) * m->stride_x + (m->channels - 1) * m->stride_c + 1);
}

/* Where a map is, NULL if the job has no such place. The sizes of inputs and outputs are the compiler's word. */
static const int8_t* readable(const npu_job_t* job, const npu_map_t* m) {
  if (m->base == NPU_SCRATCH)
    return m->offset < job->line_bytes || m->offset + extent(m) > job->scratch_bytes
               ? 0
               : (const int8_t*)job->scratch + m->offset;
  if (m->base >= NPU_OUTPUT) return m->base - NPU_OUTPUT < job->output_count ? job->outputs[m->base - NPU_OUTPUT] : 0;
  return m->base >= NPU_INPUT && m->base - NPU_INPUT < job->input_count ? job->inputs[m->base - NPU_INPUT] : 0;
}

static int8_t* writable(const npu_job_t* job, const npu_map_t* m) {
  if (m->base == NPU_SCRATCH && readable(job, m) != 0) return (int8_t*)job->scratch + m->offset;
  return m->base >= NPU_OUTPUT && m->base - NPU_OUTPUT < job->output_count ? job->outputs[m->base - NPU_OUTPUT] : 0;
}

static int32_t at(const npu_map_t* m, int32_t y, int32_t x, int32_t c) {
  return y * m->stride_y + x * m->stride_x + c * m->stride_c;
}

typedef struct npu_reader {
  const uint8_t* next;
  const uint8_t* end;
} npu_reader_t;

static const uint8_t* take(npu_reader_t* reader, uint32_t bytes) {
  const uint8_t* at = reader->next;
  if ((uint32_t)(reader->end - at) < bytes) return 0;
  reader->next += bytes;
  return at;
}

/* Field `index` of n bits. */
static uint32_t field(const uint8_t* fields, uint32_t n, uint32_t index) {
  const uint32_t bit = index * n;
  uint32_t bits = fields[bit / 8u];
  if (bit % 8u + n > 8u) bits |= (uint32_t)fields[bit / 8u + 1u] << 8;
  return bits >> (bit % 8u) & ((1u << n) - 1u);
}

/* The next bit of a block, -1 at the end. `*left` bits of the byte before `next` are not read yet. */
static int32_t next_bit(npu_reader_t* reader, uint32_t* left) {
  if (*left == 0) {
    if (take(reader, 1) == 0) return -1;
    *left = 8;
  }
  return reader->next[-1] >> (8u - (*left)--) & 1;
}

static int decode_rice(npu_reader_t* reader, int8_t* out, uint32_t count, uint32_t n) {
  uint32_t left = 0;
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t number = 0;
    int32_t bit = 0;
    while ((bit = next_bit(reader, &left)) == 1) number += 1u << n;
    for (uint32_t k = 0; k < n && bit >= 0; ++k)
      if ((bit = next_bit(reader, &left)) == 1) number += 1u << k;
    if (bit < 0) return 0;
    out[i] = (int8_t)(number % 2u == 0 ? (int32_t)(number / 2u) : -1 - (int32_t)(number / 2u));
  }
  return 1;
}

static int decode_block(npu_reader_t* reader, int8_t* out, uint32_t count) {
  const uint8_t* head = take(reader, 1);
  if (head == 0) return 0;
  const uint32_t n = *head & NPU_NUMBER;
  const uint32_t way = *head & NPU_WAY;
  if (way == NPU_RAW) {
    const uint8_t* bytes = take(reader, count);
    if (bytes != 0) memcpy(out, bytes, count);
    return bytes != 0;
  }
  if (way == NPU_RICE) return decode_rice(reader, out, count, n);
  if (way == NPU_SPARSE) {
    const uint8_t* mask = take(reader, (count + 7u) / 8u);
    for (uint32_t i = 0; mask != 0 && i < count; ++i) {
      const uint8_t* value = 0;
      if ((mask[i / 8u] >> (i % 8u) & 1u) != 0 && (value = take(reader, 1)) == 0) return 0;
      out[i] = value != 0 ? (int8_t)*value : 0;
    }
    return mask != 0;
  }
  const uint8_t* values = take(reader, way == NPU_PALETTE ? 1u << n : 1u);
  const uint8_t* fields = values != 0 ? take(reader, (count * n + 7u) / 8u) : 0;
  for (uint32_t i = 0; fields != 0 && i < count; ++i) {
    const uint32_t f = n != 0 ? field(fields, n, i) : 0;
    out[i] = (int8_t)(way == NPU_PALETTE ? (int8_t)values[f] : (int8_t)values[0] + (int32_t)f);
  }
  return fields != 0;
}

static int read_weights(npu_reader_t* reader, int8_t* line, uint32_t count, int is_packed) {
  if (!is_packed) {
    const uint8_t* bytes = take(reader, count);
    if (bytes != 0) memcpy(line, bytes, count);
    return bytes != 0;
  }
  for (uint32_t done = 0; done < count; done += NPU_BLOCK)
    if (!decode_block(reader, line + done, count - done < NPU_BLOCK ? count - done : NPU_BLOCK)) return 0;
  return 1;
}

/* The sum of one output element, `weights` being those of its channel. */
static int32_t sum_of_products(const npu_convolution_t* c, const int8_t* in, const int8_t* weights, int32_t y,
                               int32_t x) {
  const npu_window_t* w = &c->window;
  int32_t sum = 0;
  for (int32_t ky = 0; ky < w->kernel_y; ++ky) {
    const int32_t in_y = y * w->stride_y - w->pad_y + ky * w->dilation_y;
    if (in_y < 0 || in_y >= c->in.height) continue;
    for (int32_t kx = 0; kx < w->kernel_x; ++kx) {
      const int32_t in_x = x * w->stride_x - w->pad_x + kx * w->dilation_x;
      if (in_x < 0 || in_x >= c->in.width) continue;
      const int8_t* pixel = in + at(&c->in, in_y, in_x, 0);
      const int8_t* taps = weights + (ky * w->kernel_x + kx) * c->in_per_group;
      for (int32_t i = 0; i < c->in_per_group; ++i) sum += taps[i] * (pixel[i * c->in.stride_c] - c->in.zero_point);
    }
  }
  return sum;
}

static int32_t run_convolution(const npu_job_t* job, const npu_convolution_t* c) {
  const int8_t* in = readable(job, &c->in);
  int8_t* out = writable(job, &c->out);
  if (in == 0 || out == 0) return NPU_BAD_ADDRESS;
  const int32_t each = c->window.kernel_y * c->window.kernel_x * c->in_per_group;
  if ((uint32_t)(each * c->channels_per_pass) > job->line_bytes) return NPU_BAD_ADDRESS;
  int8_t* line = (int8_t*)job->scratch;
  if (c->weights > job->weight_bytes ||
      c->channels + (uint32_t)c->out.channels * sizeof(npu_channel_t) > job->weight_bytes)
    return NPU_BAD_ADDRESS;
  npu_reader_t reader = {job->weights + c->weights, job->weights + job->weight_bytes};
  for (int32_t first = 0; first < c->out.channels; first += c->channels_per_pass) {
    const int32_t left = c->out.channels - first;
    const int32_t count = left < c->channels_per_pass ? left : c->channels_per_pass;
    if (!read_weights(&reader, line, (uint32_t)(count * each), c->packed != 0)) return NPU_BAD_WEIGHTS;
    for (int32_t k = 0; k < count; ++k) {
      npu_channel_t channel;
      memcpy(&channel, job->weights + c->channels + (uint32_t)(first + k) * sizeof channel, sizeof channel);
      const int32_t group = (first + k) / c->out_per_group;
      const int8_t* group_in = in + group * c->in_per_group * c->in.stride_c;
      for (int32_t y = 0; y < c->out.height; ++y)
        for (int32_t x = 0; x < c->out.width; ++x) {
          const int32_t sum = channel.bias + sum_of_products(c, group_in, line + k * each, y, x);
          out[at(&c->out, y, x, first + k)] = clamp(scale(sum, channel.factor) + c->out.zero_point, &c->header);
        }
    }
  }
  return 0;
}

static int32_t average(int32_t sum, int32_t count, int32_t nothing) {
  return count == 0 ? nothing : (sum > 0 ? sum + count / 2 : sum - count / 2) / count;
}

static int32_t run_pool(const npu_job_t* job, const npu_pool_t* p) {
  const int8_t* in = readable(job, &p->in);
  int8_t* out = writable(job, &p->out);
  if (in == 0 || out == 0) return NPU_BAD_ADDRESS;
  const npu_window_t* w = &p->window;
  for (int32_t y = 0; y < p->out.height; ++y)
    for (int32_t x = 0; x < p->out.width; ++x)
      for (int32_t c = 0; c < p->out.channels; ++c) {
        int32_t sum = 0, count = 0, most = INT8_MIN;
        for (int32_t ky = 0; ky < w->kernel_y; ++ky)
          for (int32_t kx = 0; kx < w->kernel_x; ++kx) {
            const int32_t in_y = y * w->stride_y - w->pad_y + ky * w->dilation_y;
            const int32_t in_x = x * w->stride_x - w->pad_x + kx * w->dilation_x;
            if (in_y < 0 || in_y >= p->in.height || in_x < 0 || in_x >= p->in.width) continue;
            const int32_t v = in[at(&p->in, in_y, in_x, c)];
            sum += v;
            ++count;
            if (v > most) most = v;
          }
        out[at(&p->out, y, x, c)] =
            clamp(p->header.opcode == NPU_AVERAGE ? average(sum, count, p->out.zero_point) : most, &p->header);
      }
  return 0;
}

static int32_t run_add(const npu_job_t* job, const npu_add_t* s) {
  const int8_t* a = readable(job, &s->a);
  const int8_t* b = readable(job, &s->b);
  int8_t* out = writable(job, &s->out);
  if (a == 0 || b == 0 || out == 0) return NPU_BAD_ADDRESS;
  for (int32_t y = 0; y < s->out.height; ++y)
    for (int32_t x = 0; x < s->out.width; ++x)
      for (int32_t c = 0; c < s->out.channels; ++c) {
        const int32_t left = (a[at(&s->a, y, x, c)] - s->a.zero_point) * (1 << 20);
        const int32_t right = (b[at(&s->b, y, x, c)] - s->b.zero_point) * (1 << 20);
        const int32_t sum = scale(left, s->a_factor) + scale(right, s->b_factor);
        out[at(&s->out, y, x, c)] = clamp(scale(sum, s->out_factor) + s->out.zero_point, &s->header);
      }
  return 0;
}

/* One command. It is copied out of the stream first: what it is padded with is not looked at. */
static int32_t run_command(const npu_job_t* job, const uint32_t* words, uint32_t count) {
  union {
    npu_header_t header;
    npu_convolution_t convolution;
    npu_pool_t pool;
    npu_add_t add;
  } command;
  if (count * 4u < sizeof command.header) return NPU_BAD_COMMAND;
  memset(&command, 0, sizeof command);
  memcpy(&command, words, count * 4u < sizeof command ? count * 4u : sizeof command);
  switch (command.header.opcode) {
    case NPU_CONVOLUTION:
      return count * 4u < sizeof command.convolution ? NPU_BAD_COMMAND : run_convolution(job, &command.convolution);
    case NPU_AVERAGE:
    case NPU_MAXIMUM: return count * 4u < sizeof command.pool ? NPU_BAD_COMMAND : run_pool(job, &command.pool);
    case NPU_ADD: return count * 4u < sizeof command.add ? NPU_BAD_COMMAND : run_add(job, &command.add);
    default: return NPU_BAD_COMMAND;
  }
}

int32_t npu_device_run(const npu_job_t* job) {
  const uint32_t words = job->command_bytes / 4u;
  for (uint32_t next = 0; next < words;) {
    const uint32_t* command = job->commands + next;
    const uint32_t count = words - next < 4u ? 0 : command[1];
    if (count == 0 || count % 4u != 0 || count > words - next) return NPU_BAD_COMMAND;
    const int32_t status = run_command(job, command, count);
    if (status != 0) return status;
    next += count;
  }
  return 0;
}
