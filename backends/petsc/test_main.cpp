// Runs the tests in every process of an MPI job: the first prints, and a failure in any fails all.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "session.hpp"

namespace {

// What other processes say: their failures.
class Failures : public testing::EmptyTestEventListener {
 public:
  explicit Failures(int rank) : rank_(rank) {}
  void OnTestStart(const testing::TestInfo& test) override {
    test_ = std::string(test.test_suite_name()) + "." + test.name();
  }
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::fprintf(stderr, "rank %d, %s, %s:%d: %s\n", rank_, test_.c_str(),
                 result.file_name() ? result.file_name() : "", result.line_number(),
                 result.message());
  }

 private:
  int rank_;
  std::string test_;
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const stkr::petsc::Session session(argc, argv);
  if (session.rank() > 0) {
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new Failures(session.rank()));
  }
  int own = RUN_ALL_TESTS(), all = 0;
  MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_MAX, session.comm());
  return all;
}
