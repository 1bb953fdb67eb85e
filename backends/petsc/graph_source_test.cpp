// Graphs that every process reads a part of, against the same files on one machine.
#include "graph_source.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <petscmat.h>

#include <fstream>
#include <set>

#include "dataset/convert_to_parts.hpp"
#include "dataset/save_dataset.hpp"
#include "format/graph_parts.hpp"
#include "runtime/random.hpp"
#include "session.hpp"
#include "shared_graph.hpp"
#include "stkr/error.hpp"
#include "stkr/model/fit_model.hpp"
#include "temporary_folder.hpp"

namespace stkr::graph_source_test {
namespace {

using petsc::SharedGraph;
using stkr::testing::message_of;
using stkr::testing::TemporaryFolder;
using ::testing::AllOf;
using ::testing::HasSubstr;

bool is_first() {
  int rank = 0;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  return rank == 0;
}

// A folder that all processes see; the first one fills it.
class SharedFolder {
 public:
  SharedFolder() {
    std::string name;
    if (is_first()) name = (own_.emplace() / "").string();
    name.resize(200);
    MPI_Bcast(name.data(), 200, MPI_CHAR, 0, PETSC_COMM_WORLD);
    path_ = name.c_str();
  }
  ~SharedFolder() { MPI_Barrier(PETSC_COMM_WORLD); }
  SharedFolder(const SharedFolder&) = delete;
  SharedFolder& operator=(const SharedFolder&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

  // fill(path) in the first process; returns when the file is there for all.
  template <class Fill>
  std::filesystem::path make(const std::string& name, Fill&& fill) const {
    if (is_first()) fill(path_ / name);
    MPI_Barrier(PETSC_COMM_WORLD);
    return path_ / name;
  }
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    return make(name, [&](const std::filesystem::path& path) {
      std::ofstream(path, std::ios::binary) << text;
    });
  }

 private:
  std::optional<TemporaryFolder> own_;
  std::filesystem::path path_;
};

// 4,000 nodes with a hub, some isolated; enough lines for several parts of a text.
Dataset random_graph() {
  Random random(7);
  std::vector<Triplet> entries;
  std::set<std::pair<std::int32_t, std::int32_t>> seen;
  constexpr Index kNodes = 4000;
  const auto add = [&](std::int32_t i, std::int32_t j) {
    if (!seen.emplace(std::min(i, j), std::max(i, j)).second) return;
    const double weight = 0.25 * static_cast<double>(1 + (i + j) % 7);
    entries.push_back({i, j, weight});
    if (i != j) entries.push_back({j, i, weight});
  };
  for (std::int32_t i = 0; i < kNodes; i += 2) add(i, 1234);
  for (int k = 0; k < 30'000; ++k) {
    const auto i = static_cast<std::int32_t>(random.below(kNodes));
    const auto j = static_cast<std::int32_t>(random.below(kNodes));
    if (i % 50 != 7 && j % 50 != 7) add(i, j);
  }
  Dataset dataset;
  dataset.samples = Graph{csr_from_triplets(kNodes, kNodes, std::move(entries)), {}};
  ClassLabels labels{{"0", "1"}, std::vector<std::int32_t>(kNodes, kUnlabeled)};
  for (std::size_t i = 0; i < labels.code.size(); i += 9) labels.code[i] = i % 2 != 0;
  dataset.labels = dataset.truth = labels;
  return dataset;
}

// The checksum covers all rows and labels.
void expect_as_one_machine(const std::filesystem::path& path, const LoadOptions& options = {}) {
  SCOPED_TRACE(path.string());
  const SharedGraph shared = petsc::read_graph(PETSC_COMM_WORLD, path, options);
  const Dataset whole = load_dataset(path, options);
  EXPECT_EQ(shared.layout->size(), whole.size());
  EXPECT_EQ(shared.entries, whole.graph().adjacency.entries());
  EXPECT_EQ(petsc::fingerprint(shared), fingerprint(whole, false));
  for (const std::string& note : whole.notes) {
    EXPECT_THAT(shared.notes, ::testing::Contains(note));
  }
  // Shares are equal but for a row: the hub has about 2,100 entries.
  int ranks = 1;
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  if (whole.size() >= 4000) {
    EXPECT_LE(shared.rows.entries() + shared.layout->count(),
              (shared.entries + whole.size()) / ranks + 2200);
  }
}

void write_petsc(const std::filesystem::path& path, const CsrMatrix& matrix) {
  Mat mat = nullptr;
  petsc::check(MatCreate(PETSC_COMM_SELF, &mat), "a matrix");
  MatSetSizes(mat, matrix.rows, matrix.cols, matrix.rows, matrix.cols);
  MatSetType(mat, MATSEQAIJ);
  std::vector<PetscInt> lengths;
  for (Index i = 0; i < matrix.rows; ++i) {
    lengths.push_back(matrix.row_start[static_cast<std::size_t>(i) + 1] -
                      matrix.row_start[static_cast<std::size_t>(i)]);
  }
  MatSeqAIJSetPreallocation(mat, 0, lengths.data());
  for (PetscInt i = 0; i < matrix.rows; ++i) {
    for (auto p = matrix.row_start[static_cast<std::size_t>(i)];
         p < matrix.row_start[static_cast<std::size_t>(i) + 1]; ++p) {
      const auto at = static_cast<std::size_t>(p);
      MatSetValue(mat, i, matrix.column[at], matrix.value[at], INSERT_VALUES);
    }
  }
  MatAssemblyBegin(mat, MAT_FINAL_ASSEMBLY);
  MatAssemblyEnd(mat, MAT_FINAL_ASSEMBLY);
  PetscViewer viewer = nullptr;
  PetscViewerBinaryOpen(PETSC_COMM_SELF, path.c_str(), FILE_MODE_WRITE, &viewer);
  petsc::check(MatView(mat, viewer), "writing a matrix");
  PetscViewerDestroy(&viewer);
  MatDestroy(&mat);
}

TEST(GraphSource, EveryFormatGivesTheGraphOfOneMachine) {
  const SharedFolder folder;
  const Dataset graph = random_graph();
  for (const char* name : {"graph.npz", "graph.tsv", "graph.mtx"}) {
    expect_as_one_machine(folder.make(name, [&](const auto& path) { save_dataset(path, graph); }));
  }
  for (const Index parts : {1, 3, 11}) {
    expect_as_one_machine(folder.make(fmt::format("parts-{}", parts), [&](const auto& path) {
      convert_to_parts(folder / "graph.npz", {}, parts, path);
    }));
  }
  expect_as_one_machine(folder.make(
      "graph.petsc", [&](const auto& path) { write_petsc(path, graph.graph().adjacency); }));
  // Labels from another file.
  std::string labels;
  for (Index i = 0; i < graph.size(); ++i)
    labels += i % 5 == 0 ? std::to_string(i % 3) + "\n" : "\n";
  const std::string file = folder.write("labels.txt", labels).string();
  for (const char* name : {"graph.tsv", "graph.petsc", "parts-3"}) {
    expect_as_one_machine(folder / name, {.labels = file});
  }
}

// Of a folder of parts in which one part alone is wrong: all processes say so.
TEST(GraphSource, APartThatIsWrongIsAnErrorInAllProcesses) {
  const SharedFolder folder;
  const CsrMatrix graph = random_graph().graph().adjacency;
  const auto refusal = [&](const std::string& name, auto&& change) {
    const std::filesystem::path path = folder.make(name, [&](const auto& target) {
      GraphPartsWriter writer(target, graph.rows);
      for (Index k = 0; k < 4; ++k) {
        CsrMatrix part = row_slice(graph, 1000 * k, 1000);
        if (k == 3) change(part);
        writer.add(part);
      }
      writer.commit();
    });
    return message_of<DataError>([&] { petsc::read_graph(PETSC_COMM_WORLD, path, {}); });
  };
  EXPECT_EQ(refusal("right", [](CsrMatrix&) {}), "");
  EXPECT_THAT(
      refusal("column", [](CsrMatrix& part) { part.column[5] = 4000; }),
      AllOf(HasSubstr("part-0003.npz"), HasSubstr("column index 4000"), HasSubstr("out of range")));
  EXPECT_THAT(refusal("weight", [](CsrMatrix& part) { part.value[5] = -2.0; }),
              HasSubstr("has weight -2"));
  EXPECT_THAT(refusal("starts", [](CsrMatrix& part) { part.row_start[5] = 0; }),
              HasSubstr("row starts decrease"));
  EXPECT_THAT(refusal("asymmetric", [](CsrMatrix& part) { part.value[5] += 1.0; }),
              HasSubstr("is not symmetric"));
}

TEST(GraphSource, ListsMeanTheSameAsOnOneMachine) {
  const SharedFolder folder;
  // Edges in both directions, several times, with loops and zero weights, and a header.
  Random random(3);
  std::string text = "u\tv\tweight\n0\t1\t2\n";
  for (int k = 0; k < 40'000; ++k) {
    text += fmt::format("{}\t{}\t{}\n", random.below(2000), random.below(2000), random.below(4));
  }
  const std::filesystem::path list = folder.write("edges.tsv", text);
  for (const bool symmetrize : {false, true}) {
    for (const DuplicateEdges rule : {DuplicateEdges::largest, DuplicateEdges::sum}) {
      LoadOptions options;
      options.symmetrize = symmetrize;
      options.duplicates = rule;
      expect_as_one_machine(list, options);
    }
  }
  expect_as_one_machine(folder.write("announced.edges", "0 1\n# nodes 7\n3 3 2.5\n"));
  expect_as_one_machine(folder.write("commas.csv", "source,target\n0,1\n1,2\n2,0\n"),
                        {.kind = DatasetKind::graph});
  std::string directed = "%%MatrixMarket matrix coordinate real general\n2000 2000 30000\n";
  for (int k = 0; k < 30'000; ++k) {
    directed +=
        fmt::format("{} {} {}\n", 1 + random.below(2000), 1 + random.below(2000), random.below(9));
  }
  LoadOptions options;
  options.symmetrize = true;
  expect_as_one_machine(folder.write("directed.mtx", directed), options);
  expect_as_one_machine(folder.write(
      "pattern.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 3\n"));
}

TEST(GraphSource, RefusesInAllProcessesWhatOneFinds) {
  const SharedFolder folder;
  const auto refusal = [&]<class E>(const std::string& name, const std::string& text,
                                    DuplicateEdges rule = DuplicateEdges::largest) {
    const std::filesystem::path path = folder.write(name, text);
    LoadOptions options;
    options.duplicates = rule;
    const std::string message =
        message_of<E>([&] { petsc::read_graph(PETSC_COMM_WORLD, path, options); });
    MPI_Barrier(PETSC_COMM_WORLD);
    return message;
  };
  std::string long_list;
  for (int k = 0; k < 30'000; ++k) long_list += fmt::format("{}\t{}\n", k % 3000, (k * 7) % 3000);
  EXPECT_THAT((refusal.operator()<ParameterError>("a.tsv", "0\ta\n")), HasSubstr("names of nodes"));
  EXPECT_THAT((refusal.operator()<ParameterError>("b.tsv", long_list + "1\tb\n")),
              HasSubstr("names of nodes"));
  EXPECT_THAT((refusal.operator()<ParameterError>("c.tsv", "1\t2\n2\t3\n")),
              HasSubstr("do not start at 0 or have gaps"));
  EXPECT_THAT((refusal.operator()<ParameterError>("d.tsv", "0\t2000000000\n")),
              HasSubstr("have gaps"));
  EXPECT_THAT((refusal.operator()<ParameterError>("e.tsv", long_list + "1\t30000\n")),
              HasSubstr("have gaps"));
  EXPECT_THAT((refusal.operator()<DataError>("f.tsv", long_list + "1\t2\t-1\n")),
              HasSubstr("weight '-1'"));
  EXPECT_THAT((refusal.operator()<DataError>("g.tsv", "# nothing\n")), HasSubstr("has no edges"));
  EXPECT_THAT((refusal.operator()<DataError>("h.tsv", "# nodes 3\n0\t3\n")),
              HasSubstr("an edge has the node '3'"));
  EXPECT_THAT(
      (refusal.operator()<DataError>("i.tsv", long_list + "5\t6\n6\t5\n", DuplicateEdges::error)),
      HasSubstr("is listed"));
  const std::string head = "%%MatrixMarket matrix coordinate real general\n";
  EXPECT_THAT((refusal.operator()<DataError>("a.mtx", head + "3 3 2\n1 2 1\n")),
              HasSubstr("has 1 entries, but its size line declares 2"));
  EXPECT_THAT((refusal.operator()<DataError>("b.mtx", head + "3 4 1\n1 2 1\n")),
              HasSubstr("expected a square adjacency matrix"));
  EXPECT_THAT((refusal.operator()<DataError>("c.mtx", head + "3 3 1\n1 2 1\n")),
              HasSubstr("is not symmetric"));
}

}  // namespace
}  // namespace stkr::graph_source_test
