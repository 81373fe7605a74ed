#pragma once
// The judge's pool of secret contents for one workload.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "fitness/content/content.hpp"
#include "fitness/content/secret_random.hpp"

namespace ke {

/// The case of contents whose lines are unlike independent draws (float_lines.hpp, int_lines.hpp).
inline constexpr std::size_t varied_case = std::numeric_limits<std::size_t>::max();

/// The oracle on a device, for contents whose tensors then stay there.
class DeviceOracle {
 public:
  virtual ~DeviceOracle() = default;
  /// Takes the values of a content that has drawn inputs and nothing else, and computes its
  /// outputs. `least_rms`: per output, for OutputFacts::raise_to; empty = none. Error: the
  /// reference fails.
  virtual Result<void> answer(Content& content, std::span<const double> least_rms) = 0;
};

struct PoolOptions {
  std::size_t entries = 3;  ///< drawn at creation; each costs one call of the oracle
  /// Memory limit: reduces the number of entries, to no fewer than three.
  std::size_t most_bytes = std::size_t{256} << 20;
  /// Cases of the entries, used in a cycle; empty = all, the first one first and the others in
  /// random order.
  std::vector<std::size_t> cases = {};
  /// This many entries get a twin with a single-element edit: an answer looked up by a sample of
  /// the input is wrong for one of the two. Each twin costs one or more calls of the oracle.
  std::size_t twins = 0;
  /// Values of inputs with `changes: never`; null = drawn at creation, in the class of the first
  /// case.
  std::shared_ptr<const Unchanging> unchanging = nullptr;
  /// Draws those inputs anew, in the case's class, in every draw.
  bool unchanging_anew = false;
  /// Does not call the oracle: for calls whose outputs nobody compares. Allows only entries().
  bool inputs_only = false;
  /// Borrowed. Contents of such a pool have no edits. Null = the oracle computes on the host.
  DeviceOracle* device = nullptr;
};

/// A case is one choice of input classes: case i gives each tensor its class number i, or its first
/// class when it has fewer. In varied_case each input gets a random one of its classes, and its
/// lines get kinds of their own, as far as the class and the task's `avoid` allow. Inputs with
/// `changes: never` keep their bits for the pool's life, unless the options say otherwise. Borrows
/// task, reference and random source. Not thread-safe. create reports an error of the oracle; a
/// later error gives up the reference and makes contents meaningless, so check Reference::health()
/// before trusting a result.
class ContentPool {
 public:
  static Result<ContentPool> create(const Task& task, const Workload& workload,
                                    const Reference& reference, SecretRandom& random,
                                    const PoolOptions& options = {});

  /// A pool with one entry for a shape that is used once: of case 0 if the shape wants
  /// `first_classes`, else of varied_case half of the time and of a random other case otherwise.
  static Result<ContentPool> of_one_case(const Task& task, const Workload& workload,
                                         const Reference& reference, SecretRandom& random);

  /// Number of cases of a task: the largest number of classes of any input. At least 1.
  static std::size_t cases(const Task& task);

  /// A random entry under a random transform: rotation of permute axes, power-of-two scale, sign,
  /// as far as the task declares them and they are exact for this entry. Cheap: touches no data.
  FreshContent fresh();
  /// Like fresh(), for a given entry.
  FreshContent fresh(std::size_t entry);
  /// Like fresh(), but never a twin: a single edit may change how long a kernel takes.
  FreshContent fresh_drawn();
  /// Like fresh(), but cycles through all entries and kept edits.
  FreshContent any();
  /// Draws new inputs of a case, calls the oracle, and replaces the oldest entry.
  FreshContent new_draw(std::size_t case_index);
  /// Like new_draw above, but cycles through the cases.
  FreshContent new_draw();
  /// Draws one more entry, of the next case. For pools without twins.
  void grow();
  /// Approximate memory of all entries.
  std::size_t bytes() const;
  /// Redraws the oldest entry with a twin, and its twin.
  void renew_twins(std::size_t case_index);
  /// A new draw of varied_case that does not enter the pool. Costs a call of the oracle.
  FreshContent varied();
  /// `base` with one random element of one input changed and the expected output recomputed: a
  /// difference that cached or sampled answers miss. Includes inputs with `changes: never` if the
  /// pool draws those anew. An input whose only classes are sorted and clustered stays ascending.
  /// Costs a few calls of the oracle: for test sizes.
  FreshContent edited(const FreshContent& base);

  /// Builds a new chain of single-element edits: it starts at a random entry, and each content
  /// differs from the previous one in one element. Where an input has a class with non-finite
  /// values, two more contents differ from the last one by a NaN and by an infinity. Costs a few
  /// calls of the oracle per edit.
  void renew_edits(std::size_t edits);
  /// The kept chain under one common random transform, in a random direction. Empty before
  /// renew_edits. As cheap as `fresh`.
  std::vector<FreshContent> edit_chain();

  /// The unchanging inputs of the last draw; null when there are none.
  const std::shared_ptr<const Unchanging>& unchanging() const { return unchanging_; }
  const Shapes& shapes() const { return *shapes_; }
  std::span<const std::shared_ptr<const Content>> entries() const { return entries_; }

 private:
  ContentPool(const Task& task, std::shared_ptr<const Shapes> shapes, const Reference& reference,
              SecretRandom& random);
  Content draw(std::size_t case_index);
  std::size_t next_case();
  const std::string& class_in(std::size_t input, std::size_t case_index);
  std::shared_ptr<const Unchanging> draw_unchanging(std::size_t case_index);
  void vary(Content& content);
  void vary_floats_of(Content& content, std::size_t input, SecretRandom& kinds);
  void vary_ints_of(Content& content, std::size_t input, SecretRandom& kinds);
  void finish(Content& content);
  void learn_usual_rms();
  Result<void> ask_oracle(Content& content) const;
  void note(const Result<void>& answered);
  using Entries = std::vector<std::shared_ptr<const Content>>;
  enum class Edit { finite, nan, infinity };
  std::shared_ptr<const Content> edit_of(const FreshContent& base, Edit edit = Edit::finite);
  std::vector<std::size_t> editable(Edit edit) const;
  FreshContent transformed(std::shared_ptr<const Content> entry);
  void rotate(FreshContent& fresh);
  void scale(FreshContent& fresh, std::span<const std::shared_ptr<const Content>> all);
  std::int64_t random_shift(std::int64_t largest);
  void scale_together(FreshContent& fresh, std::span<const std::shared_ptr<const Content>> all);
  void edit_one(Content& content, Edit edit, int attempt);
  std::size_t edit_place(std::size_t input);
  std::int64_t edited_int(std::size_t input, std::int64_t old);
  void separate_unchanging(Content& content, std::size_t input) const;
  std::vector<double> elsewhere(const Content& content, std::size_t input);
  bool is_scaled_together(std::size_t input) const;
  double edited_float(const Content& content, std::size_t input, std::size_t at, int attempt);

  const Task* task_;
  std::shared_ptr<const Shapes> shapes_;
  const Reference* reference_;
  DeviceOracle* device_ = nullptr;
  ReferenceSite site_;
  std::optional<Error> problem_;  ///< an error of the oracle
  bool made_ = false;             ///< create has returned; until then create reports errors itself
  SecretRandom* random_;
  std::vector<std::size_t> cases_;
  std::shared_ptr<const Unchanging> unchanging_;
  bool unchanging_anew_ = false;
  bool inputs_only_ = false;
  std::vector<double> usual_rms_;  ///< by output; empty for large outputs
  Entries entries_;
  Entries chain_;              ///< single-element edits
  std::size_t drawn_ = 0;      ///< entries [0, drawn_) are not twins
  std::size_t next_case_ = 0;  ///< index in `cases_`
  std::size_t next_edit_ = 0;  ///< index among the editable inputs
  std::size_t next_any_ = 0;   ///< index among entries and edits
  std::size_t oldest_ = 0, oldest_twin_ = 0;
};

}  // namespace ke
