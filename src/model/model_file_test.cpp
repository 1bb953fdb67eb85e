// Model::load rejects every file except an intact model of this format version.

#include <gtest/gtest.h>

#include <fstream>
#include <functional>

#include "format/npz.hpp"
#include "stkr/error.hpp"
#include "stkr/gram/graph_gram.hpp"
#include "stkr/model/model.hpp"
#include "temporary_folder.hpp"

namespace stkr::model_file_test {
namespace {

using testing::content_of;
using testing::message_of;
using testing::TemporaryFolder;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The smallest model: a graph of two nodes and one edge.
Model tiny_model() {
  GraphGram gram(csr_from_triplets(2, 2, {{0, 1, 1.0}, {1, 0, 1.0}}));
  Fit fit;
  fit.coefficients = (Matrix(2, 2) << 1, 2, 3, 4).finished();
  fit.fitted = (Matrix(2, 2) << 5, 6, 7, 8).finished();
  const ClassDecision decision{{"a", "b"}, Vector::Constant(2, 0.5)};
  return Model(gram.cross_kernel(), std::move(fit), decision, {});
}

std::string load_message(const std::filesystem::path& path) {
  return message_of<DataError>([&] { Model::load(path); });
}

TEST(ModelFile, ReadsForKnownSamplesOnlyWhatTheyNeed) {
  const TemporaryFolder folder;
  tiny_model().save(folder / "m");
  const NewSamples fresh{csr_from_triplets(1, 2, {{0, 1, 1.0}})};
  const Model whole = Model::load(folder / "m"), model = Model::load_for_known(folder / "m");
  EXPECT_EQ(model.predict().scores, whole.predict().scores);
  EXPECT_EQ(model.predict(fresh).scores, whole.predict(fresh).scores);
  const Model late = Model::load_for_known(folder / "m");
  std::filesystem::remove(folder / "m");
  EXPECT_EQ(late.predict().scores, whole.predict().scores);
  EXPECT_THROW(late.predict(fresh), DataError);
  EXPECT_THROW(Model::load_for_known(folder / "m"), DataError);
}

TEST(ModelFile, EveryChangedByteIsNoticed) {
  const TemporaryFolder folder;
  tiny_model().save(folder / "m");
  const std::string good = content_of(folder / "m");
  ASSERT_NO_THROW(Model::load(folder / "m"));
  std::fstream file(folder / "m", std::ios::in | std::ios::out | std::ios::binary);
  const auto put = [&](std::size_t at, char byte) {
    file.seekp(static_cast<std::streamoff>(at));
    file.put(byte).flush();
  };
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (const int change : {1 << (i % 8), 0xff}) {
      put(i, static_cast<char>(good[i] ^ change));
      ASSERT_THROW(Model::load(folder / "m"), DataError) << "byte " << i << " ^ " << change;
    }
    put(i, good[i]);
  }
  ASSERT_NO_THROW(Model::load(folder / "m"));
}

TEST(ModelFile, RemembersFeatureNamesWhereThereAreAny) {
  const TemporaryFolder folder;
  tiny_model().save(folder / "m");
  EXPECT_TRUE(Model::load(folder / "m").info().feature_names.empty());
  ModelInfo info;
  info.feature_names = {"a", "ü, b"};
  Fit fit;
  fit.coefficients = fit.fitted = Matrix::Identity(2, 2);
  GraphGram gram(csr_from_triplets(2, 2, {{0, 1, 1.0}, {1, 0, 1.0}}));
  const ClassDecision decision{{"a", "b"}, Vector::Constant(2, 0.5)};
  Model(gram.cross_kernel(), fit, decision, info).save(folder / "n");
  EXPECT_EQ(Model::load(folder / "n").info().feature_names, info.feature_names);
}

TEST(ModelFile, RemembersNamesOfSamplesIfThereAreAny) {
  const TemporaryFolder folder;
  const auto with_names = [](std::vector<std::string> names) {
    ModelInfo info;
    info.sample_names = std::move(names);
    info.id_column = "node";
    Fit fit;
    fit.coefficients = fit.fitted = Matrix::Identity(2, 2);
    GraphGram gram(csr_from_triplets(2, 2, {{0, 1, 1.0}, {1, 0, 1.0}}));
    const ClassDecision decision{{"a", "b"}, Vector::Constant(2, 0.5)};
    return Model(gram.cross_kernel(), fit, decision, info);
  };
  const std::vector<std::string> names = {"7", "jörg, a"};
  with_names(names).save(folder / "m");
  EXPECT_EQ(Model::load(folder / "m").info().sample_names, names);
  EXPECT_EQ(Model::load(folder / "m").info().id_column, "node");
  EXPECT_THROW(with_names({"7"}), ShapeError);
  // A stkr version without names must not read this model, but may read one without names.
  EXPECT_TRUE(contains(NpzReader(folder / "m").text("model.json"), "\"format_version\": 5"));
  with_names({}).save(folder / "n");
  EXPECT_TRUE(contains(NpzReader(folder / "n").text("model.json"), "\"format_version\": 3"));
  EXPECT_TRUE(Model::load(folder / "n").info().sample_names.empty());
}

TEST(ModelFile, RemembersTheCommandOfItsFit) {
  const TemporaryFolder folder;
  Model model = tiny_model();
  model.save(folder / "m");
  EXPECT_FALSE(contains(content_of(folder / "m"), "\"fit\""));
  EXPECT_TRUE(Model::load(folder / "m").info().fit_arguments.empty());
  const std::vector<std::string> words{"a table.csv", "--transform", "0.5*power(2)@1"};
  model.set_fit_command(words, "../data");
  model.save(folder / "n");
  const Model loaded = Model::load(folder / "n");
  EXPECT_EQ(loaded.info().fit_arguments, words);
  EXPECT_EQ(loaded.info().fit_folder, "../data");
  loaded.save(folder / "o");
  EXPECT_EQ(content_of(folder / "n"), content_of(folder / "o"));
}

TEST(ModelFile, RemembersTruthValues) {
  const TemporaryFolder folder;
  for (const bool boolean : {false, true}) {
    ClassDecision decision{{"False", "True"}, Vector::Constant(2, 0.5)};
    decision.boolean = boolean;
    Fit fit;
    fit.coefficients = fit.fitted = Matrix::Identity(2, 2);
    GraphGram gram(csr_from_triplets(2, 2, {{0, 1, 1.0}, {1, 0, 1.0}}));
    Model(gram.cross_kernel(), fit, decision, {}).save(folder / "m");
    const Model loaded = Model::load(folder / "m");
    EXPECT_EQ(std::get<ClassDecision>(loaded.decision()).boolean, boolean);
  }
}

TEST(ModelFile, EveryTruncationIsNoticed) {
  const TemporaryFolder folder;
  tiny_model().save(folder / "m");
  const std::string good = content_of(folder / "m");
  folder.write("longer", good + "x");
  EXPECT_THROW(Model::load(folder / "longer"), DataError);
  for (std::size_t length = good.size(); length-- > 0;) {
    std::filesystem::resize_file(folder / "m", length);
    ASSERT_THROW(Model::load(folder / "m"), DataError) << "length " << length;
  }
}

// The members of a valid tiny model, which tests change before writing them, sealed.
struct Members {
  std::string metadata;
  Matrix coefficients, fitted, degree;
  bool seal = true;
  bool with_fitted = true;
  std::vector<std::string> node_names{};

  void write(const std::filesystem::path& path) const {
    NpzWriter writer;
    writer.add("coefficients", coefficients);
    if (with_fitted) writer.add("fitted", fitted);
    writer.add("cross.degree", degree);
    if (!node_names.empty()) writer.add_strings("node_names", node_names);
    writer.add_text("model.json", metadata);
    writer.write(path, {.deflate = false, .seal = seal});
  }
};

Members tiny_members() {
  const TemporaryFolder folder;
  tiny_model().save(folder / "m");
  const NpzReader reader(folder / "m");
  Members members;
  members.metadata = reader.text("model.json");
  members.coefficients = reader.array("coefficients").as_matrix();
  members.fitted = reader.array("fitted").as_matrix();
  members.degree = reader.array("cross.degree").as_matrix();
  return members;
}

void replace(std::string& text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from << " in " << text;
  text.replace(at, from.size(), to);
}

TEST(ModelFile, ReadsNodeNamesOfAnEarlierVersion) {
  const TemporaryFolder folder;
  Members members = tiny_members();
  for (Index i = 0; i < members.fitted.rows(); ++i) {
    members.node_names.push_back("node " + std::to_string(i));
  }
  replace(members.metadata, "\"format_version\": 3", "\"format_version\": 4");
  members.write(folder / "m");
  EXPECT_EQ(Model::load(folder / "m").info().sample_names, members.node_names);
  EXPECT_EQ(Model::load(folder / "m").info().id_column, "node");
}

TEST(ModelFile, RemembersHowTablesBecamePoints) {
  const TemporaryFolder folder;
  ModelInfo info;
  info.encoding = TableEncoding{
      .columns = {{.name = "a"}, {.name = "c", .kind = ColumnKind::category, .levels = {"x", "y"}}},
      .ignored = {"label"}};
  info.encoding->center = info.encoding->scale = Vector::Constant(3, 1.0 / 3.0);
  Fit fit;
  fit.coefficients = fit.fitted = Matrix::Identity(2, 2);
  GraphGram gram(csr_from_triplets(2, 2, {{0, 1, 1.0}, {1, 0, 1.0}}));
  const ClassDecision decision{{"a", "b"}, Vector::Constant(2, 0.5)};
  Model(gram.cross_kernel(), fit, decision, info).save(folder / "m");
  const Model loaded = Model::load(folder / "m");
  ASSERT_TRUE(loaded.info().encoding.has_value());
  EXPECT_EQ(loaded.info().encoding->columns, info.encoding->columns);
  EXPECT_EQ(loaded.info().encoding->ignored, info.encoding->ignored);
  EXPECT_EQ(loaded.info().encoding->scale, info.encoding->scale);
  // A stkr version without encodings must not read this model.
  EXPECT_TRUE(contains(NpzReader(folder / "m").text("model.json"), "\"format_version\": 5"));
}

TEST(ModelFile, SaysThatTheFormatVersionIsAnother) {
  const TemporaryFolder folder;
  Members members = tiny_members();
  members.write(folder / "m");
  ASSERT_NO_THROW(Model::load(folder / "m"));
  replace(members.metadata, "\"format_version\": 3", "\"format_version\": 2");
  members.write(folder / "m");
  const std::string message = load_message(folder / "m");
  EXPECT_TRUE(contains(message, "version 2")) << message;
  EXPECT_TRUE(contains(message, "reads versions 3 to 5")) << message;
}

TEST(ModelFile, RefusesAnArchiveWithoutASeal) {
  const TemporaryFolder folder;
  Members members = tiny_members();
  members.seal = false;
  members.write(folder / "m");
  EXPECT_TRUE(contains(load_message(folder / "m"), "checksum")) << load_message(folder / "m");
}

// The tiny model with class-mass factors.
Members members_with_factors(const std::string& factors) {
  Members members = tiny_members();
  replace(members.metadata, "\"names\"", "\"class_mass_factors\": " + factors + ", \"names\"");
  return members;
}

TEST(ModelFile, KeepsTheFactorsOfClassMassNormalization) {
  const TemporaryFolder folder;
  GraphGram gram(csr_from_triplets(2, 2, {{0, 1, 1.0}, {1, 0, 1.0}}));
  Fit fit;
  fit.coefficients = fit.fitted = (Matrix(2, 2) << 5, 6, 7, 8).finished();
  const ClassDecision decision{{"a", "b"}, Vector::Constant(2, 0.5), Vector{{1.1, 1.0 / 1.1}}};
  const Model model(gram.cross_kernel(), std::move(fit), decision, {});
  model.save(folder / "m");
  const Model loaded = Model::load(folder / "m");
  EXPECT_EQ(std::get<ClassDecision>(loaded.decision()).factors, decision.factors);
  EXPECT_EQ(loaded.predict().scores, model.predict().scores);
  EXPECT_EQ(loaded.predict().class_index, (std::vector<Index>{0, 0}));

  tiny_members().write(folder / "plain");  // as in models from before factors existed
  EXPECT_EQ(std::get<ClassDecision>(Model::load(folder / "plain").decision()).factors.size(), 0);
  members_with_factors("[2, 0.5]").write(folder / "m");
  EXPECT_EQ(std::get<ClassDecision>(Model::load(folder / "m").decision()).factors[0], 2.0);
  for (const char* bad :
       {"[1]", "[1, 0]", "[1, -1]", "[1, 1e999]", "[1, null]", "1", "[\"a\", 1]"}) {
    members_with_factors(bad).write(folder / "m");
    EXPECT_TRUE(contains(load_message(folder / "m"), "not a valid stkr model")) << bad;
  }
}

TEST(ModelFile, RefusesForeignFiles) {
  const TemporaryFolder folder;
  const std::vector<double> x(10, 1.0);
  NpzWriter writer;
  writer.add("X", x);
  writer.write(folder / "foreign.npz");
  EXPECT_TRUE(contains(load_message(folder / "foreign.npz"), "foreign.npz"));
  writer.write(folder / "sealed.npz", {.deflate = false, .seal = true});
  EXPECT_TRUE(contains(load_message(folder / "sealed.npz"), "model.json"))
      << load_message(folder / "sealed.npz");
  folder.write("text", "hello, this is a text file and not a model at all\n");
  EXPECT_TRUE(contains(load_message(folder / "text"), "not an .npz"));
  EXPECT_NE(load_message(folder / "absent"), "");
  EXPECT_NE(load_message(folder / ""), "");
}

TEST(ModelFile, RefusesSealedFilesThatContradictThemselves) {
  const TemporaryFolder folder;
  const auto edit = [](const std::string& from, const std::string& to) {
    return [=](Members& members) { replace(members.metadata, from, to); };
  };
  const std::vector<std::function<void(Members&)>> changes{
      [](Members& m) { m.metadata = ""; },
      [](Members& m) { m.metadata = "[]"; },
      [](Members& m) { m.metadata = "{\"format\":"; },
      edit("stkr-model", "other-model"),
      edit("\"format_version\": 3", "\"format_version\": \"2\""),
      edit("classification", "clustering"),
      edit("\"prior\"", "\"prio\""),
      edit("\"by_reach\"", "\"by_touch\""),
      edit("\"floor\": ", "\"floor\": \"low\", \"was\": "),
      edit("\"labeled\": [", "\"labeled\": [99,"),
      edit("\"kind\": \"graph\"", "\"kind\": \"grape\""),
      edit("\"kind\": \"graph\"", "\"kind\": \"points\""),
      edit("\"normalization\": \"symmetric\"", "\"normalization\": \"none\""),
      edit("\"names\": [", "\"names\": [\"more\","),
      edit("0.5", "null"),
      edit("\"beta\": ", "\"fit\": {\"arguments\": [7], \"folder\": \"\"}, \"beta\": "),
      [](Members& m) { m.with_fitted = false; },
      [](Members& m) { m.fitted.conservativeResize(3, 2); },
      [](Members& m) { m.coefficients.conservativeResize(2, 1); },
      [](Members& m) { m.coefficients(1, 1) = std::nan(""); },
      [](Members& m) { m.fitted(0, 0) = 1.0 / 0.0; },
      [](Members& m) { m.degree.conservativeResize(1, 1); },
      [](Members& m) { m.degree(0, 0) = -1.0; }};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    Members members = tiny_members();
    changes[i](members);
    members.write(folder / "m");
    const std::string message = load_message(folder / "m");
    EXPECT_TRUE(contains(message, (folder / "m").string())) << "change " << i << ": " << message;
  }
}

}  // namespace
}  // namespace stkr::model_file_test
