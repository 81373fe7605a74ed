#pragma once
// Functions of a library that was opened with dlopen.

#include <dlfcn.h>

#include <functional>
#include <string>

namespace ke {

/// Looks functions up by name; remembers the first missing one.
class Symbols {
 public:
  explicit Symbols(void* library) : library_(library) {}
  template <typename F>
  void take(F*& into, const char* name) {
    into = reinterpret_cast<F*>(dlsym(library_, name));
    if (into == nullptr && missing_.empty()) missing_ = name;
  }
  template <typename R, typename... Arguments>
  void take(std::function<R(Arguments...)>& into, const char* name) {
    R (*function)(Arguments...) = nullptr;
    take(function, name);
    into = function;
  }
  const std::string& missing() const { return missing_; }

 private:
  void* library_;
  std::string missing_;
};

}  // namespace ke
