#include "row_fetch.hpp"

#include "session.hpp"

namespace stkr::petsc {

RowFetch::RowFetch(const RowLayout& layout, std::span<const Index> wanted)
    : wanted_(static_cast<Index>(wanted.size())) {
  const std::vector<PetscInt> rows(wanted.begin(), wanted.end());
  check(PetscSFCreate(layout.comm(), &exchange_), "an exchange of rows");
  check(PetscSFSetGraphLayout(exchange_, layout.layout(), wanted_, nullptr, PETSC_COPY_VALUES,
                              rows.data()),
        "an exchange of rows");
  check(PetscSFSetUp(exchange_), "an exchange of rows");
}

RowFetch::~RowFetch() { PetscSFDestroy(&exchange_); }

Matrix RowFetch::operator()(ConstMatrixRef own) const {
  const Matrix rows = own;
  Matrix result(wanted_, own.cols());
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(static_cast<int>(own.cols()), MPIU_REAL, &type);
  MPI_Type_commit(&type);
  check(PetscSFBcastBegin(exchange_, type, rows.data(), result.data(), MPI_REPLACE),
        "an exchange of rows");
  check(PetscSFBcastEnd(exchange_, type, rows.data(), result.data(), MPI_REPLACE),
        "an exchange of rows");
  MPI_Type_free(&type);
  return result;
}

void RowFetch::add(ConstMatrixRef values, Matrix& own) const {
  const Matrix rows = values;
  for (Index c = 0; c < own.cols(); ++c) {
    // MPI adds numbers, not rows of them.
    Vector from = rows.col(c), to = own.col(c);
    check(PetscSFReduceBegin(exchange_, MPIU_REAL, from.data(), to.data(), MPI_SUM),
          "an exchange of rows");
    check(PetscSFReduceEnd(exchange_, MPIU_REAL, from.data(), to.data(), MPI_SUM),
          "an exchange of rows");
    own.col(c) = to;
  }
}

}  // namespace stkr::petsc
