#pragma once
// Values or environment failures. A bad candidate is a Verdict, never an Error; our own bugs stop
// at KE_CHECK.

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace ke {

/// The kind of an environment failure; the command line maps each to its exit code (README).
/// `reference`: the task's oracle failed, so that nothing can be judged.
enum class Failure { usage, config, device, provider, replay_miss, store, io, reference };

/// One failure: a single clear line, with the place and the allowed range where they exist.
struct Error {
  Failure failure = Failure::io;
  std::string message;
};

/// A T, or the Error that prevented it.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return state_.index() == 0; }
  T& operator*() & { return std::get<0>(state_); }
  const T& operator*() const& { return std::get<0>(state_); }
  /// By value, so that `for (auto& x : *f())` does not iterate over a destroyed temporary.
  T operator*() && { return std::get<0>(std::move(state_)); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }
  const Error& error() const& { return std::get<1>(state_); }
  Error&& error() && { return std::get<1>(std::move(state_)); }

 private:
  std::variant<T, Error> state_;
};

/// Success without a value, or an Error.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  explicit operator bool() const { return !error_; }
  void operator*() const {}
  const Error& error() const& { return *error_; }
  Error&& error() && { return *std::move(error_); }

 private:
  std::optional<Error> error_;
};

namespace detail {
[[noreturn]] void check_failed(const char* condition, const char* file, int line);
}  // namespace detail

}  // namespace ke

#define KE_CONCAT_(a, b) a##b
#define KE_CONCAT(a, b) KE_CONCAT_(a, b)

/// `KE_TRY(auto x, f());` takes the value of f() or returns its error to the caller.
#define KE_TRY(declaration, ...)                                                             \
  auto KE_CONCAT(ke_try_, __LINE__) = (__VA_ARGS__);                                         \
  if (!KE_CONCAT(ke_try_, __LINE__)) return std::move(KE_CONCAT(ke_try_, __LINE__)).error(); \
  declaration = *std::move(KE_CONCAT(ke_try_, __LINE__))

/// `KE_TRY_VOID(f());` returns the error of f() to the caller, if there is one.
#define KE_TRY_VOID(...)                           \
  do {                                             \
    auto ke_try = (__VA_ARGS__);                   \
    if (!ke_try) return std::move(ke_try).error(); \
  } while (false)

/// Stops the program with a message on a bug of ours. Exit code 70.
#define KE_CHECK(condition) \
  ((condition) ? void() : ::ke::detail::check_failed(#condition, __FILE__, __LINE__))
