#pragma once
// The result of building a kernel, whatever its language.

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/evaluation.hpp"
#include "core/result.hpp"

namespace ke {

/// Why a kernel is rejected: a reason code of the verdict, and a sentence for people.
struct Refusal {
  std::string reason;  ///< short code
  std::string message;
};

/// The part of a build result that facts and feedback use. Each backend adds its machine code.
struct BuildOutcome {
  Verdict verdict = Verdict::ok;
  std::string reason;   ///< short code; "" = ok
  std::string message;  ///< one line
  Digest build_hash;
  std::vector<Diagnostic> diagnostics;
  std::vector<std::string> policy_flags;
  std::map<std::string, double> measures;
  std::vector<std::string> hot_loop;  ///< disassembly, for people and operators
  std::vector<std::string> missed;    ///< loops that were not vectorised, and why
  std::int64_t compile_ns = 0;
  bool trusted = false;  ///< our own baseline: may load a library at its first call

  bool ok() const { return verdict == Verdict::ok; }
  void refuse(Verdict as, Refusal why) {
    verdict = as;
    reason = std::move(why.reason);
    message = std::move(why.message);
  }
};

/// Whether a compiler's or linker's message says that a header or a library is not there.
inline bool lacks_file(std::string_view message) {
  return message.ends_with(": No such file or directory");
}

/// The two builds of a job; `opponent` is null where nothing is compared.
template <class Built>
struct JobArms {
  std::shared_ptr<const Built> candidate;
  std::shared_ptr<const Built> opponent;
};

/// A build that ended without machine code.
template <class Built>
Built refused_build(Verdict verdict, std::string reason, std::string message) {
  Built built;
  built.refuse(verdict, {std::move(reason), std::move(message)});
  return built;
}

template <class Built>
Built refused_build(Refusal refusal) {
  return refused_build<Built>(Verdict::rejected, std::move(refusal.reason),
                              std::move(refusal.message));
}

/// Builds by key, since opponents recur in many jobs. Thread-safe.
template <class Built>
class KnownBuilds {
 public:
  /// The build of that key, made with `make()`, a Result<Built>, where it is not known. A build
  /// that reached a limit, maybe on a busy machine, is not kept: the next one may be faster.
  template <class Make>
  Result<std::shared_ptr<const Built>> build(const Digest& key, Make make) {
    {
      const std::lock_guard lock(mutex_);
      if (const auto found = known_.find(key); found != known_.end()) return found->second;
    }
    KE_TRY(Built made, make());
    auto built = std::make_shared<const Built>(std::move(made));
    const std::lock_guard lock(mutex_);
    if (known_.size() >= most) known_.clear();
    if (built->verdict != Verdict::compile_limit) known_[key] = built;
    return built;
  }

 private:
  static constexpr std::size_t most = 512;
  std::mutex mutex_;
  std::map<Digest, std::shared_ptr<const Built>> known_;
};

/// Copies everything but the time into a fact.
inline void take_build(const BuildOutcome& built, Fact& fact) {
  fact.verdict = built.verdict;
  fact.reason = built.reason;
  fact.message = built.message;
  fact.build_hash = built.build_hash;
  fact.measures = built.measures;
  fact.diagnostics = built.diagnostics;
  fact.policy_flags = built.policy_flags;
}

}  // namespace ke
