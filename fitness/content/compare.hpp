#pragma once
// Decides whether an output is right. Per element |got - want| <= relative |want| + scale rms(row)
// + floor, and per output ||got - want|| <= relative_l2 ||want||, with extra room for rounding into
// half types (CompareRule). A tolerance may let a share of the elements miss, and cap every error.
// Whatever is not shown to be right, above all NaN, is wrong. Before an output counts as wrong, it
// is compared once more with the room that rounding needs at this content (rounding_room).

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fitness/content/content.hpp"

namespace ke {

enum class ErrorPattern { all, nan, tail, stride, random, norm };
std::string_view to_string(ErrorPattern pattern);

/// How an output differs from the expected one. Quotes at most five elements.
struct Mismatch {
  struct Element {
    std::int64_t index = 0;  ///< position in the output as the kernel wrote it, transforms included
    double got = 0;
    double want = 0;
    std::int64_t got_integer = 0, want_integer = 0;  ///< integer outputs, exactly
  };
  std::string output;  ///< name of the tensor
  Dtype dtype = Dtype::float32;
  std::string label;           ///< label of the content
  std::int64_t count = 0;      ///< wrong elements of this output; 0 when only the norm failed
  std::int64_t allowed = 0;    ///< elements that the tolerance allows to miss
  std::int64_t beyond = 0;     ///< of the wrong ones, those above max_error, NaN or infinite
  std::int64_t elements = 0;   ///< number of elements of this output
  std::vector<Element> first;  ///< at most five
  ErrorPattern pattern = ErrorPattern::random;
  std::int64_t stride = 0;  ///< for pattern stride
  double worst_ratio = 0;   ///< largest error used / allowed of an element; inf for NaN
  double relative_l2 = 0;   ///< over elements with a finite expected value

  /// One line for people and models: "y: 12 of 4096 wrong (tail), first [4084] got 0 want 0.5 ...".
  std::string text() const;
};

/// Null when every output is right, else the first wrong output. Costs about one pass over memory
/// when right. `outputs`: per output tensor, as the kernel wrote them.
///
/// Non-finite expected values: `propagate` and `row_nan` demand NaN for NaN and the same infinity
/// for infinity, `unspecified` skips them. Where the expected value exceeds the range of the
/// output's type, an infinity is right too. The floor is 4 times the type's least normal number for
/// `subnormals: flush`, so that results below it may be zero, and 4 times its least subnormal for
/// `exact` and for float16, which nothing flushes. Integer outputs must be equal, and bool outputs
/// hold 0 or 1.
std::optional<Mismatch> compare(const FreshContent& content,
                                std::span<const std::byte* const> outputs);

/// Like compare, but looks at about a quarter of the blocks of a large output, chosen by a secret
/// `key`; compares outputs of at most 16,384 elements whole. For rounds repeated with new contents
/// and keys: a kernel that omits s blocks over all its calls escapes with probability 0.75^s, and
/// omitting s <= 40 blocks saves too little time to measure.
std::optional<Mismatch> spot_compare(const FreshContent& content,
                                     std::span<const std::byte* const> outputs, std::uint64_t key);

/// The largest error used / allowed over all outputs, elements and norms: <= 1 is right. A right
/// output counts as 1 if any of its elements misses.
double worst_ratio(const FreshContent& content, std::span<const std::byte* const> outputs);

}  // namespace ke
