#pragma once

#include <petscsys.h>

#include <memory>

#include "format/state_file.hpp"

namespace stkr::petsc {

// The state of a run on many processes, in a file that the first one writes: the same as that of
// one machine, so that any number of processes can resume from it. Rows stream to and from the
// first process in parts of bounded size. All functions are called by all processes together.
class SharedState final : public SavedState {
 public:
  // As StateFile, whose errors all processes throw.
  SharedState(MPI_Comm comm, const std::filesystem::path& path, const std::string& run,
              std::chrono::duration<double> interval, const std::string& way);

  bool resumed() const { return resumed_; }
  const std::string& way() const { return way_; }

  std::optional<std::vector<Matrix>> find(const std::string& name,
                                          const SharedBlocks& shared) override;
  void save(const std::string& name, std::span<const ConstMatrixRef> blocks,
            const SharedBlocks& shared) override;
  bool due() const override;  // by the clock of the first process

  void remove();

 private:
  MPI_Comm comm_;
  int rank_ = 0;
  std::unique_ptr<StateFile> file_;  // of the first process
  bool resumed_ = false;
  std::string way_;
};

}  // namespace stkr::petsc
