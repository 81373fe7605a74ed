#pragma once
// History in two places: the file of this host, and one that other hosts reach.

#include "core/history.hpp"

namespace ke {

/// Either may be behind the other: a file that is made anew, a server that was restored. The search
/// goes on after the last step that both have; steps that one of them has already are compared.
class MirroredHistory final : public History {
 public:
  /// Both must outlive this object.
  MirroredHistory(History& local, History& shared) : local_(local), shared_(shared) {}
  Result<void> begin(const RunHeader& header) override;
  Result<std::optional<Digest>> hash_at(std::int64_t index) const override {
    return local_.hash_at(index);
  }
  Result<std::int64_t> committed_steps() const override;
  /// To the shared one first.
  Result<void> commit(const StepRecord& record) override;
  Result<void> finish(const StopRecord& stop) override;
  Result<std::optional<StopRecord>> stop() const override { return local_.stop(); }
  Result<void> add_verified(const VerifiedFigure& figure) override;

 private:
  History& local_;
  History& shared_;
  std::int64_t local_steps_ = 0;  ///< when the run began here
  std::int64_t shared_steps_ = 0;
};

}  // namespace ke
