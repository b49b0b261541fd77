// Tensor dumps: from the bytes the simulated program wrote to dense tensors, and into a directory.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "sdk/base/support/output_set.hpp"
#include "sdk/run/simulate/firmware.hpp"
#include "sdk/run/simulate/simulate.hpp"

namespace byoc {

// dump.bin, which holds `pieces` one after the other. Error: it ends early.
[[nodiscard]] Result<std::vector<DumpedTensor>> read_dump(std::span<const std::byte> file,
                                                          const std::vector<DumpPiece>& pieces, Diagnostics&);

// Elements of a strided tensor, gathered row-major. `bytes` start at the first element.
[[nodiscard]] std::vector<std::byte> gather(std::span<const std::byte> bytes, const StoredTensor&);

// Puts the elements of a dense tensor with all channels into `bytes`, where `stored` has them; the rest stays.
void scatter(std::span<const std::byte> dense, const StoredTensor& stored, std::span<std::byte> bytes);

// The tensor with the channels that are not computed put back: constants as they are, what no node needs as 0. `bytes`
// are dense; the result's dims are those of all channels.
[[nodiscard]] DumpedTensor with_all_channels(const StoredTensor&, std::vector<std::byte> bytes);

// File name of the `position`th dumped tensor: t<source_index>.raw where the source numbers its tensors, else
// <position, three digits or more>_<name as an identifier>.raw.
[[nodiscard]] std::string dump_file_name(const StoredTensor&, std::size_t position);

// An output whose shape only a run tells: {"name", "dtype", "dims"}
[[nodiscard]] std::string shape_json(const IoTensor& output, const std::vector<std::int64_t>& dims);

// Adds to `files` the tensors, input_<k>.raw, output_<k>.raw and index.json in `directory`, which is made if need be:
//   {"inputs": [entry], "outputs": [entry], "tensors": [entry]},
//   entry = {"name", "dtype", "dims", "file"}; a tensor's has "source_index" (-1: none) and "step" symbol too, and
// where channels are not computed because no node needs them, their indexes as "not_computed".
// Error: a file cannot be written.
[[nodiscard]] Result<void> add_dumps(const std::string& directory, const ModelInterface&,
                                     const std::vector<Blob>& inputs, const RunResult&, OutputSet& files);

}  // namespace byoc
