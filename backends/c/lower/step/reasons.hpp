// Why a step fails, in the words of the evaluator where it says the same.
#pragma once

#include <string_view>

namespace byoc::c::reason {

inline constexpr std::string_view kAxis = "axis out of range";
inline constexpr std::string_view kBox = "a box ends before it begins";
inline constexpr std::string_view kImage = "the index of an image is out of range";
inline constexpr std::string_view kIndex = "index out of range";
inline constexpr std::string_view kLength = "length out of range";
// Shapes, lengths or axes are not those that the model states, or that the export found.
inline constexpr std::string_view kNumbers = "the model was made for other numbers";
inline constexpr std::string_view kRoom = "there are more results than the room that is stated";
// The result has no count beside it.
inline constexpr std::string_view kCount = "there is another number of results than the model states";

}  // namespace byoc::c::reason
