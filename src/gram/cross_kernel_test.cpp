#include "stkr/gram/cross_kernel.hpp"

#include "gram/dense_gram.hpp"
#include "gram_checks.hpp"
#include "memory_store.hpp"
#include "stkr/error.hpp"
#include "stkr/gram/point_gram.hpp"

namespace stkr::cross_kernel_test {
namespace {

MemoryStore saved_points() {
  MemoryStore store;
  MemorySink sink(store);
  PointGram<double>(random_normals(5, 3, 1), Kernel::rbf(1.0)).cross_kernel()->save(sink);
  return store;
}

std::unique_ptr<CrossKernel> load(const MemoryStore& store) {
  MemorySource source(store);
  return load_cross_kernel(source);
}

TEST(NewSamples, CountsItsSamples) {
  EXPECT_EQ(NewSamples{Matrix(4, 2)}.count(), 4);
  EXPECT_EQ(NewSamples{csr_from_triplets(3, 9, {})}.count(), 3);
  EXPECT_EQ((NewSamples{std::vector<NewSamples>{{Matrix(4, 2)}, {Matrix(4, 7)}}}.count()), 4);
  EXPECT_EQ(NewSamples{std::vector<NewSamples>{}}.count(), 0);
}

TEST(LoadCrossKernel, RefusesAKindItDoesNotKnow) {
  MemoryStore store;
  store.texts["kind"] = "quantum";
  const auto message = message_of<DataError>([&] { load(store); });
  EXPECT_NE(message.find("unknown kind 'quantum'"), std::string::npos) << message;
  EXPECT_NE(message.find("CrossKernelRegistry::add(\"quantum\""), std::string::npos) << message;
}

CrossKernelRegistry quantum(CrossKernelLoader loader) {
  return CrossKernelRegistry().add("quantum", std::move(loader));
}

TEST(LoadCrossKernel, LoadsARegisteredKind) {
  MemoryStore store;
  store.texts["kind"] = "quantum";
  store.numbers["known"] = 7.0;
  const auto registry = quantum([](CrossKernelSource& source, const CrossKernelRegistry&) {
    return std::make_unique<DenseCrossKernel>(static_cast<Index>(source.number("known")), 1);
  });
  MemorySource source(store);
  EXPECT_EQ(load_cross_kernel(source, registry)->known(), 7);
}

TEST(LoadCrossKernel, RefusesWhatARegisteredLoaderCannotRead) {
  MemoryStore store;
  store.texts["kind"] = "quantum";
  store.arrays["points"] = MatrixF(MatrixF::Zero(2, 2));
  const auto refused = [&](CrossKernelLoader loader) {
    MemorySource source(store);
    EXPECT_THROW(load_cross_kernel(source, quantum(std::move(loader))), DataError);
  };
  refused([](auto&, auto&) { return nullptr; });
  refused([](auto&, auto&) -> std::unique_ptr<CrossKernel> { throw ValueError("no"); });
  refused([](auto& source, auto&) -> std::unique_ptr<CrossKernel> {
    return std::make_unique<DenseCrossKernel>(std::get<Matrix>(source.array("points")).rows(), 1);
  });
}

TEST(CrossKernelRegistry, RefusesNamesThatAreTaken) {
  const CrossKernelLoader loader = [](auto&, auto&) { return nullptr; };
  const CustomKernelMaker make = [](auto&) -> CustomKernel { throw ValueError("not called"); };
  CrossKernelRegistry registry;
  registry.add("quantum", loader).add_kernel("quantum", make);
  EXPECT_THROW(registry.add("quantum", loader), ValueError);
  EXPECT_THROW(registry.add("points", loader), ValueError);
  EXPECT_THROW(registry.add("", loader), ValueError);
  EXPECT_THROW(registry.add("empty", nullptr), ValueError);
  EXPECT_THROW(registry.add_kernel("quantum", make), ValueError);
  EXPECT_THROW(registry.add_kernel("rbf", make), ValueError);
  EXPECT_THROW(registry.add_kernel("", make), ValueError);
  EXPECT_THROW(registry.add_kernel("empty", nullptr), ValueError);
}

TEST(LoadCrossKernel, RefusesWhatContradictsItself) {
  const auto refused = [](auto&& change) {
    MemoryStore store = saved_points();
    change(store);
    EXPECT_THROW(load(store), DataError);
  };
  EXPECT_NO_THROW(load(saved_points()));
  refused([](MemoryStore& store) { store.texts["kernel"] = "gauss"; });
  refused([](MemoryStore& store) { store.numbers["length_scale"] = -1.0; });
  refused([](MemoryStore& store) { store.numbers["degree"] = 1.5; });
  refused([](MemoryStore& store) { store.numbers.erase("gamma"); });
  refused([](MemoryStore& store) { store.arrays["points"] = Matrix(0, 3); });
  refused([](MemoryStore& store) { store.arrays["points"] = Matrix(Matrix::Constant(5, 3, NAN)); });
}

TEST(NewSamples, SlicesPointsEdgesAndParts) {
  Matrix points(5, 2);
  for (Index i = 0; i < points.size(); ++i) points.data()[i] = static_cast<double>(i);
  const CsrMatrix edges =
      csr_from_triplets(5, 3, {{0, 1, 1.0}, {2, 0, 2.0}, {2, 2, 3.0}, {3, 1, 4.0}});
  const NewSamples both{std::vector<NewSamples>{{points}, {edges}}};
  const NewSamples part = both.slice(2, 2);
  ASSERT_EQ(part.count(), 2);
  const auto& parts = std::get<std::vector<NewSamples>>(part.data);
  EXPECT_EQ(std::get<Matrix>(parts[0].data), Matrix(points.middleRows(2, 2)));
  const auto& rows = std::get<CsrMatrix>(parts[1].data);
  EXPECT_EQ(rows.row_start, (std::vector<std::int64_t>{0, 2, 3}));
  EXPECT_EQ(rows.column, (std::vector<std::int32_t>{0, 2, 1}));
  EXPECT_EQ(rows.value, (std::vector<double>{2.0, 3.0, 4.0}));
}

}  // namespace
}  // namespace stkr::cross_kernel_test
