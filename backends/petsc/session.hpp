#pragma once

#include <petscsys.h>

#include <functional>

#include "stkr/matrix.hpp"

namespace stkr::petsc {

// Throws Error with PETSc's text unless `code` is 0.
void check(PetscErrorCode code, const char* what);

// The sum, the largest value, ... over processes; the result is in all of them. Throws Error.
void reduce(const void* own, void* all, Index count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);

// MPI, PETSc and SLEPc, from construction to destruction: one per program. PETSc reads no options
// of the command line, and leaves signals and errors to the program.
class Session {
 public:
  Session(int& argc, char**& argv);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  MPI_Comm comm() const { return comm_; }
  int rank() const { return rank_; }
  int ranks() const { return ranks_; }

  // Ends all processes now, with this exit code: for an error that only this process knows of,
  // while the others may be waiting for it.
  [[noreturn]] void abort(int code) const;

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, ranks_ = 1;
};

// Runs `work`, which may fail in one process alone and must not communicate. If it throws anywhere,
// all processes throw the error of the lowest rank, with its type and message.
void agree(MPI_Comm comm, const std::function<void()>& work);

}  // namespace stkr::petsc
