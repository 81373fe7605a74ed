#pragma once
// History in a run file.

#include "archive/sqlite/store_file.hpp"
#include "core/history.hpp"

namespace ke::sqlite {

class SqliteHistory final : public History {
 public:
  explicit SqliteHistory(StoreFile& file) : file_(file) {}
  Result<void> begin(const RunHeader& header) override;
  Result<std::optional<Digest>> hash_at(std::int64_t index) const override;
  Result<std::int64_t> committed_steps() const override;
  Result<void> commit(const StepRecord& record) override;
  Result<void> finish(const StopRecord& stop) override;
  Result<std::optional<StopRecord>> stop() const override;
  Result<void> add_verified(const VerifiedFigure& figure) override;

 private:
  StoreFile& file_;
  std::optional<std::int64_t> next_;  ///< index of the next step; known while the run continues
};

}  // namespace ke::sqlite
