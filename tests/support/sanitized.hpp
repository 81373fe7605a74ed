#pragma once
// True if this program was built with sanitizers that do not support fibers, which GPU emulations
// use.

namespace ke::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#elif defined(__has_feature)
inline constexpr bool sanitized =
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool sanitized = false;
#endif
inline constexpr char no_fibers[] = "sanitizers do not know fibers";

}  // namespace ke::test
