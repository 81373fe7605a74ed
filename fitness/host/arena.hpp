#pragma once
// The memory of one session: slots of tensors, shared inputs, outputs of each arm, with guards and
// canaries around all of them.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "fitness/content/content.hpp"
#include "fitness/content/placement.hpp"
#include "fitness/content/secret_random.hpp"
#include "fitness/content/shapes.hpp"
#include "fitness/host/memory_pool.hpp"
#include "fitness/host/output_fill.hpp"
#include "fitness/host/worker.hpp"
#include "fitness/task.hpp"

namespace ke {

/// Evicts the bytes' lines from all caches of the machine.
void flush_lines(std::span<const std::byte> bytes);

/// Slots for one workload; each slot holds all tensors once.
struct SlotRequest {
  std::shared_ptr<const Shapes> shapes;
  int slots = 1;
};

/// The place of a call's tensors.
struct Seat {
  int group = 0;  ///< index of the slot request
  int slot = 0;
  Side side = Side::start;
  int set = -1;  ///< address set; -1 = a random one for each call
};

/// All arms share one file of inputs, which no worker can write; each arm has its own output file,
/// which the other arm never sees.
class Arena {
 public:
  /// `sets`: number of times a worker maps all memory, so that one content appears at several
  /// addresses.
  static Result<Arena> create(const Task& task, const std::vector<SlotRequest>& requests, int arms,
                              int sets, MemoryPool& memory, SecretRandom& random);

  const AddressPlan& plan() const { return plan_; }
  int input_fd() const { return inputs_->fd(); }
  int output_fd(int arm) const { return outputs_[static_cast<std::size_t>(arm)]->fd(); }
  int slots(int group) const { return static_cast<int>(at(group).slots); }

  /// Writes a content's inputs into a seat and moves the canaries there.
  void write_inputs(const Seat& seat, const FreshContent& content);
  /// Writes only the inputs of a content that never change.
  void write_unchanging(const Seat& seat, const FreshContent& content);
  /// Fills an arm's outputs of a seat and moves the canaries there. Afterwards the outputs are in
  /// the caches, for both arms alike. `other`: the content of kind `answer`.
  void fill(const Seat& seat, int arm, FillKind kind, std::uint64_t seed,
            const FreshContent* other);
  /// Evicts the seat's inputs and the arm's outputs from all caches; takes some ns per line.
  void chill(const Seat& seat, int arm) const;
  /// The arm's outputs of a seat, in signature order.
  std::vector<const std::byte*> outputs(const Seat& seat, int arm) const;
  /// Whether the canaries beside the arm's outputs are intact.
  bool canaries_stand(const Seat& seat, int arm) const;
  /// Arguments of the seat's kernel call in address set `set`.
  wire::Call call(const Seat& seat, int set) const;
  /// Arguments of its `prepare` call: the inputs that never change, then the axes.
  wire::Call preparation(const Seat& seat, int set) const;

 private:
  struct Half {  // the inputs or the outputs of one group, on one side
    Region region;
    std::unique_ptr<Canaries> canaries;
  };
  struct Group {
    std::shared_ptr<const Shapes> shapes;
    std::size_t slots = 0;
    std::vector<std::unique_ptr<Half>> inputs, outputs;  // index: side
    std::size_t input_offset = 0, output_offset = 0;     // file offsets of slot 0
    std::vector<int> input_side;                         // per slot; -1 = nothing written yet
    std::vector<std::vector<int>> output_side;           // per arm and slot
  };
  const Group& at(int group) const { return groups_[static_cast<std::size_t>(group)]; }
  static Group make_group(const Task& task, const SlotRequest& request, int arms,
                          SecretRandom& random);
  std::byte* input_base(const Seat& seat) const;
  std::vector<std::byte*> input_places(const Seat& seat);
  std::byte* output_base(const Seat& seat, int arm) const;
  void add_mappings(const Region& region, std::size_t file_offset, bool writable,
                    std::size_t address_offset);

  const Task* task_ = nullptr;
  std::vector<Group> groups_;
  std::shared_ptr<const SharedMemory> inputs_;
  std::vector<std::shared_ptr<const SharedMemory>> outputs_;
  std::unique_ptr<OutputFill> fill_;
  std::size_t input_bytes_ = 0, output_bytes_ = 0;
  AddressPlan plan_;
};

}  // namespace ke
