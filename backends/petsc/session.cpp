#include "session.hpp"

#include <fmt/format.h>
#include <slepcsys.h>

#include <cstdlib>
#include <new>
#include <string>

#include "stkr/error.hpp"

namespace stkr::petsc {

void check(PetscErrorCode code, const char* what) {
  if (code == 0) return;
  const char* text = nullptr;
  PetscErrorMessage(code, &text, nullptr);
  throw Error(fmt::format("PETSc: {}: {}", what, text ? text : "unknown error"));
}

namespace {

PetscErrorCode checked_reduction(const void* own, void* all, PetscMPIInt count, MPI_Datatype type,
                                 MPI_Op op, MPI_Comm comm) {
  PetscFunctionBegin;
  PetscCall(MPIU_Allreduce(own, all, count, type, op, comm));
  PetscFunctionReturn(0);
}

}  // namespace

void reduce(const void* own, void* all, Index count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  PetscMPIInt few = 0;
  check(PetscMPIIntCast(count, &few), "a sum over processes");
  check(checked_reduction(own, all, few, type, op, comm), "a sum over processes");
}

Session::Session(int& argc, char**& argv) {
  static_assert(sizeof(PetscReal) == sizeof(double) && sizeof(PetscScalar) == sizeof(double),
                "stkr needs a PETSc for real numbers in double precision");
  static_assert(sizeof(PetscInt) == 8, "stkr needs a PETSc with 64-bit indices");
  int provided = 0;
  if (MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) {
    throw Error("MPI does not start");
  }
  PetscOptionsSetValue(nullptr, "-no_signal_handler", "true");
  PetscOptionsSetValue(nullptr, "-skip_petscrc", "true");
  check(SlepcInitialize(nullptr, nullptr, nullptr, nullptr), "it does not start");
  check(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr), "its error handler");
  check(PetscCommDuplicate(PETSC_COMM_WORLD, &comm_, nullptr), "a communicator");
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &ranks_);
}

Session::~Session() {
  PetscCommDestroy(&comm_);
  SlepcFinalize();
  MPI_Finalize();
}

void Session::abort(int code) const {
  MPI_Abort(comm_, code);
  std::abort();
}

namespace {

// In the order of tests: derived types first.
enum class Kind : int { none, parameter, value, shape, data, write, memory, cancelled, error };

[[noreturn]] void throw_as(Kind kind, const std::string& text) {
  switch (kind) {
    case Kind::parameter:
      throw ParameterError(text);
    case Kind::value:
      throw ValueError(text);
    case Kind::shape:
      throw ShapeError(text);
    case Kind::data:
      throw DataError(text);
    case Kind::write:
      throw WriteError(text);
    case Kind::memory:
      throw MemoryError(text);
    case Kind::cancelled:
      throw Cancelled(text);
    default:
      throw Error(text);
  }
}

struct Failure {
  Kind kind = Kind::none;
  std::string text;
};

Failure run(const std::function<void()>& work) {
  try {
    work();
    return {};
  } catch (const ParameterError& error) {
    return {Kind::parameter, error.what()};
  } catch (const ValueError& error) {
    return {Kind::value, error.what()};
  } catch (const ShapeError& error) {
    return {Kind::shape, error.what()};
  } catch (const DataError& error) {
    return {Kind::data, error.what()};
  } catch (const WriteError& error) {
    return {Kind::write, error.what()};
  } catch (const MemoryError& error) {
    return {Kind::memory, error.what()};
  } catch (const Cancelled& error) {
    return {Kind::cancelled, error.what()};
  } catch (const std::bad_alloc&) {
    return {Kind::memory, "out of memory in one of the processes; use more of them, on more nodes"};
  } catch (const std::exception& error) {
    return {Kind::error, error.what()};
  }
}

}  // namespace

void agree(MPI_Comm comm, const std::function<void()>& work) {
  Failure failure = run(work);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  int mine = failure.kind == Kind::none ? ranks : rank, first = ranks;
  reduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm);
  if (first == ranks) return;
  int head[2] = {static_cast<int>(failure.kind), static_cast<int>(failure.text.size())};
  MPI_Bcast(head, 2, MPI_INT, first, comm);
  failure.text.resize(static_cast<std::size_t>(head[1]));
  MPI_Bcast(failure.text.data(), head[1], MPI_CHAR, first, comm);
  throw_as(static_cast<Kind>(head[0]), failure.text);
}

}  // namespace stkr::petsc
