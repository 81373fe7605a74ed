#pragma once
// History and facts in two places: in the file of this host, and where other hosts reach them.

#include "core/fact_log.hpp"
#include "core/history.hpp"

namespace ke {

/// Copies a fact that only the shared log has into the local one when it is first asked for, so
/// that a run whose file is gone gets it back.
class MirroredFactLog final : public FactLog {
 public:
  /// Both must outlive this object. `shared` keeps jobs whole (find_job).
  MirroredFactLog(FactLog& local, FactLog& shared) : local_(local), shared_(shared) {}
  /// Writes to `shared` first: a coordinator elsewhere would measure again what is in the local
  /// file alone.
  Result<void> append(const Job& job, const Fact& fact) override;
  Result<void> append(const Exchange& exchange) override;
  Result<std::optional<Fact>> find(const Digest& key) const override;
  Result<std::optional<Exchange>> find_exchange(const Digest& key) const override;
  Result<std::optional<Exchange>> find_exchange_at(const ExchangePlace& place) const override {
    return local_.find_exchange_at(place);
  }
  Result<Digest> record_hash() const override { return local_.record_hash(); }

 private:
  FactLog& local_;
  FactLog& shared_;
};

/// A history in two places. Either may be behind the other, as a file that is made anew or a server
/// that was restored. The search goes on after the last step that both have; steps that one of them
/// has already are compared.
class MirroredHistory final : public History {
 public:
  /// Both must outlive this object.
  MirroredHistory(History& local, History& shared) : local_(local), shared_(shared) {}
  Result<void> begin(const RunHeader& header) override;
  Result<std::optional<Digest>> hash_at(std::int64_t index) const override {
    return local_.hash_at(index);
  }
  Result<std::int64_t> committed_steps() const override;
  /// Writes to the shared history first.
  Result<void> commit(const StepRecord& record) override;
  Result<void> finish(const StopRecord& stop) override;
  Result<std::optional<StopRecord>> stop() const override { return local_.stop(); }
  Result<void> add_verified(const VerifiedFigure& figure) override;

 private:
  History& local_;
  History& shared_;
  std::int64_t local_steps_ = 0;  ///< steps of the local history when this process began
  std::int64_t shared_steps_ = 0;
};

}  // namespace ke
