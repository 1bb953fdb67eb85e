#include "report/run_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "report/svg.hpp"

namespace stkr::report {
namespace {

constexpr std::size_t kMostShares = 30;
constexpr std::size_t kMostConfused = 20;

// The `most` largest of the counts, in their order; all if they are no more.
std::vector<std::size_t> largest_of(const std::vector<Index>& counts, std::size_t most) {
  std::vector<std::size_t> order(counts.size());
  std::iota(order.begin(), order.end(), 0);
  if (counts.size() <= most) return order;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return counts[a] > counts[b]; });
  order.resize(most);
  std::sort(order.begin(), order.end());
  return order;
}

std::string share_cell(double share, double widest, Index count, bool counts) {
  return fmt::format(
      "<td{}><span class=\"share\"><i{} style=\"width:{:.1f}%\"></i><span>{}</span></span></td>",
      counts ? fmt::format(" title=\"{}\"", counted(count)) : "",
      share > 0.0 ? "" : " class=\"none\"", widest > 0.0 ? 100.0 * share / widest : 0.0,
      percent(share));
}

std::string shares_table(const ClassShares& shares) {
  const auto total = [](const std::vector<Index>& counts) {
    return static_cast<double>(std::accumulate(counts.begin(), counts.end(), Index{0}));
  };
  const double labels = total(shares.labels), answers = total(shares.answers);
  const auto share = [](Index count, double all) {
    return all > 0.0 ? static_cast<double>(count) / all : 0.0;
  };
  const std::vector<std::size_t> shown =
      largest_of(answers > 0.0 ? shares.answers : shares.labels, kMostShares);
  double widest = 0.0;
  for (const std::size_t c : shown) {
    widest = std::max({widest, share(shares.labels[c], labels), share(shares.answers[c], answers),
                       shares.prior.empty() ? 0.0 : shares.prior[c]});
  }
  std::string html =
      "<table class=\"shares\">\n<thead><tr><th scope=\"col\">Class</th><th "
      "scope=\"col\">Labels</th>"
      "<th scope=\"col\">Answers</th>";
  if (!shares.prior.empty()) html += "<th scope=\"col\">Prior</th>";
  html += "</tr></thead>\n<tbody>\n";
  for (const std::size_t c : shown) {
    html +=
        fmt::format("<tr><th scope=\"row\" title=\"{0}\">{0}</th>", escape_markup(shares.names[c]));
    html += share_cell(share(shares.labels[c], labels), widest, shares.labels[c], true);
    html += share_cell(share(shares.answers[c], answers), widest, shares.answers[c], true);
    if (!shares.prior.empty()) html += share_cell(shares.prior[c], widest, 0, false);
    html += "</tr>\n";
  }
  html = scrolling("Class shares", html + "</tbody>\n</table>\n");
  if (shown.size() < shares.names.size()) {
    html += fmt::format("<p class=\"note\">The {} largest of {} classes.</p>\n", shown.size(),
                        counted(static_cast<long long>(shares.names.size())));
  }
  return html;
}

// Only the classes with the most samples if there are many; the rest together.
std::string confusion_table(const Confusion& all) {
  std::vector<Index> sizes;
  for (std::size_t t = 0; t < all.counts.size(); ++t) {
    Index size = 0;
    for (std::size_t a = 0; a < all.counts.size(); ++a) {
      size += all.counts[t][a] + (a == t ? 0 : all.counts[a][t]);
    }
    sizes.push_back(size);
  }
  const std::vector<std::size_t> shown = largest_of(sizes, kMostConfused);
  const bool rest = shown.size() < all.names.size();
  std::vector<std::size_t> place(all.names.size(), shown.size());
  for (std::size_t k = 0; k < shown.size(); ++k) place[shown[k]] = k;
  const std::size_t count = shown.size() + rest;
  std::vector<std::vector<Index>> cells(count, std::vector<Index>(count, 0));
  Index rest_right = 0;
  for (std::size_t t = 0; t < all.counts.size(); ++t) {
    for (std::size_t a = 0; a < all.counts.size(); ++a) {
      cells[place[t]][place[a]] += all.counts[t][a];
      if (t == a && place[t] == shown.size()) rest_right += all.counts[t][a];
    }
  }
  const auto name = [&](std::size_t k) {
    return k < shown.size() ? all.names[shown[k]]
                            : fmt::format("{} others", all.names.size() - shown.size());
  };
  std::string html =
      "<table class=\"confusion\">\n<thead><tr><th scope=\"col\">true \\ answer</th>";
  for (std::size_t a = 0; a < count; ++a) {
    html += fmt::format("<th scope=\"col\" title=\"{0}\">{0}</th>", escape_markup(name(a)));
  }
  html += "</tr></thead>\n<tbody>\n";
  for (std::size_t t = 0; t < count; ++t) {
    const Index row = std::accumulate(cells[t].begin(), cells[t].end(), Index{0});
    html += fmt::format("<tr><th scope=\"row\" title=\"{0}\">{0}</th>", escape_markup(name(t)));
    for (std::size_t a = 0; a < count; ++a) {
      const Index value = cells[t][a];
      const double share = row > 0 ? static_cast<double>(value) / static_cast<double>(row) : 0.0;
      html += value == 0 ? "<td class=\"zero\">·</td>"
                         : fmt::format("<td class=\"{}\" style=\"--a:{:.0f}\" title=\"{}\">{}</td>",
                                       a == t ? "right" : "wrong", 10.0 + 55.0 * share,
                                       percent(share), counted(value));
    }
    html += "</tr>\n";
  }
  html = scrolling(all.title, html + "</tbody>\n</table>\n");
  if (rest) {
    html += fmt::format(
        "<p class=\"note\">The {} classes with the most samples; of the others, {} of {} samples "
        "are right.</p>\n",
        shown.size(), counted(rest_right),
        counted(std::accumulate(cells.back().begin(), cells.back().end(), Index{0})));
  }
  return html;
}

std::string sample_cards(const std::vector<ShownSample>& samples) {
  if (samples.empty()) return {};
  std::string html = "<ul class=\"cards\">\n";
  for (const ShownSample& sample : samples) {
    html += "<li>";
    if (!sample.picture.empty()) {
      html += fmt::format("<img alt=\"\" src=\"{}\">", escape_markup(sample.picture));
    }
    html +=
        fmt::format("<div><b>{}</b>{}", escape_markup(sample.name), escape_markup(sample.answer));
    if (!sample.truth.empty()) {
      html += fmt::format("<div class=\"soft\">truth: {}</div>", escape_markup(sample.truth));
    }
    html += "</div></li>\n";
  }
  return html + "</ul>\n";
}

}  // namespace

std::string render_html(const RunPage& page) {
  std::string html = begin_page(page.title);
  for (const std::string& text : page.intro) html += paragraph(text);
  html += alert("Warnings", page.warnings);
  html += section("How good it is", facts_list(page.scores));
  for (const PageTable& table : page.tables) {
    html += section(table.title, text_table(table.title, table.rows));
  }
  if (page.shares) html += section("Class shares", shares_table(*page.shares));
  for (const Confusion& confusion : page.confusions) {
    html += section(confusion.title, confusion_table(confusion));
  }
  html += section("Evidence", facts_list(page.evidence));
  html += section("The least certain samples", sample_cards(page.uncertain));
  html += section("Pictures", figures_list(page.figures));
  if (!page.notes.empty()) html += section("Notes", list(page.notes));
  html += section("How to repeat it", facts_list(page.facts));
  return html + end_page();
}

RunPage joined(RunPage selection, RunPage fit) {
  const auto append = [](auto& all, auto& more) {
    all.insert(all.end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
  };
  RunPage page = std::move(selection);
  append(page.warnings, fit.warnings);
  append(page.scores, fit.scores);
  append(page.tables, fit.tables);
  if (fit.shares) page.shares = std::move(fit.shares);
  append(page.confusions, fit.confusions);
  append(page.evidence, fit.evidence);
  append(page.uncertain, fit.uncertain);
  append(page.figures, fit.figures);
  append(page.notes, fit.notes);
  for (auto& fact : fit.facts) {
    if (fact.first != "Version" && fact.first != "Command") page.facts.push_back(std::move(fact));
  }
  return page;
}

Confusion confusion_of(std::string title, const Labels& truth, const std::vector<Index>& samples,
                       const std::vector<Index>& answers) {
  const auto& classes = std::get<ClassLabels>(truth);
  const std::size_t count = classes.names.size();
  Confusion result{std::move(title), classes.names,
                   std::vector(count, std::vector<Index>(count, 0))};
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const auto code = classes.code[samples[k]];
    if (code != kUnlabeled && answers[k] >= 0) ++result.counts[code][answers[k]];
  }
  return result;
}

std::string percent(double share) {
  const double value = 100.0 * share;
  return fmt::format("{:.{}f}%", value, value > 99.9 && value < 100.0 ? 2 : 1);
}

std::string counted(long long value) {
  std::string text = std::to_string(value);
  for (int at = static_cast<int>(text.size()) - 3; at > (value < 0 ? 1 : 0); at -= 3) {
    text.insert(static_cast<std::size_t>(at), ",");
  }
  return text;
}

std::string counted(long long value, const char* what) {
  return fmt::format("{} {}{}", counted(value), what, value == 1 ? "" : "s");
}

}  // namespace stkr::report
