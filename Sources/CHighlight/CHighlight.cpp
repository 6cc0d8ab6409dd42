#include "CHighlight.h"

#include <srchilite/formatter.h>
#include <srchilite/formattermanager.h>
#include <srchilite/formatterparams.h>
#include <srchilite/highlightrule.h>
#include <srchilite/highlightstate.h>
#include <srchilite/highlighttoken.h>
#include <srchilite/langdefmanager.h>
#include <srchilite/regexrulefactory.h>
#include <srchilite/sourcehighlighter.h>

#include <time.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <string>

namespace {

const char folder[] = "/usr/share/source-highlight";

// Names that models write, where the definitions have another; the last ones have none, and get that of a language in
// which most of their words mean the same.
const std::map<std::string, std::string> aliases = {
    {"bash", "sh"},       {"c++", "cpp"},        {"cc", "cpp"},        {"console", "sh"},    {"cs", "csharp"},
    {"c#", "csharp"},     {"golang", "go"},      {"h", "c"},           {"hpp", "cpp"},       {"hs", "haskell"},
    {"htm", "html"},      {"ini", "conf"},       {"js", "javascript"}, {"jsonc", "json"},    {"make", "makefile"},
    {"ml", "caml"},       {"mjs", "javascript"}, {"ocaml", "caml"},    {"patch", "diff"},    {"pl", "perl"},
    {"postgresql", "sql"}, {"py", "python"},     {"python3", "python"}, {"rb", "ruby"},      {"rs", "rust"},
    {"shell", "sh"},      {"svg", "xml"},        {"tex", "latex"},     {"dockerfile", "sh"}, {"json5", "json"},
    {"jsx", "javascript"}, {"kotlin", "scala"},  {"kt", "scala"},      {"objc", "c"},        {"swift", "go"},
    {"toml", "conf"},     {"ts", "javascript"},  {"tsx", "javascript"}, {"typescript", "javascript"},
    {"yaml", "properties"}, {"yml", "properties"}, {"zig", "c"},
};

const std::map<std::string, highlight_part> parts = {
    {"keyword", HIGHLIGHT_KEYWORD},    {"preproc", HIGHLIGHT_KEYWORD},  {"section", HIGHLIGHT_KEYWORD},
    {"string", HIGHLIGHT_STRING},      {"regexp", HIGHLIGHT_STRING},    {"specialchar", HIGHLIGHT_STRING},
    {"value", HIGHLIGHT_STRING},       {"url", HIGHLIGHT_STRING},       {"newfile", HIGHLIGHT_STRING},
    {"number", HIGHLIGHT_NUMBER},      {"predef_var", HIGHLIGHT_NUMBER}, {"variable", HIGHLIGHT_NUMBER},
    {"comment", HIGHLIGHT_COMMENT},    {"todo", HIGHLIGHT_COMMENT},     {"oldfile", HIGHLIGHT_COMMENT},
    {"type", HIGHLIGHT_TYPE},          {"usertype", HIGHLIGHT_TYPE},    {"classname", HIGHLIGHT_TYPE},
    {"attribute", HIGHLIGHT_TYPE},     {"difflines", HIGHLIGHT_TYPE},   {"name", HIGHLIGHT_TYPE},
    {"function", HIGHLIGHT_FUNCTION},  {"predef_func", HIGHLIGHT_FUNCTION}, {"label", HIGHLIGHT_FUNCTION},
};

// Who is told what the line that is being read is made of; under the lock.
struct Receiver {
  void *context = nullptr;
  void (*take)(void *, highlight_part, size_t) = nullptr;
} receiver;

class Part : public srchilite::Formatter {
 public:
  explicit Part(highlight_part part) : part(part) {}

  void format(const std::string &text, const srchilite::FormatterParams *) override {
    if (!text.empty()) receiver.take(receiver.context, part, text.size());
  }

 private:
  highlight_part part;
};

// Made once, as the rules are.
const srchilite::FormatterManager *formatters() {
  static const auto *all = [] {
    auto *made = new srchilite::FormatterManager(srchilite::FormatterPtr(new Part(HIGHLIGHT_PLAIN)));
    for (const auto &part : parts)
      made->addFormatter(part.first, srchilite::FormatterPtr(new Part(part.second)));
    return made;
  }();
  return all;
}

// Some patterns take a time that grows with the square of a line or worse, and cannot be stopped: whoever writes such lines
// gets no colours any more, first in that piece of code, and then in any.
const double longest = 0.05;  // processor seconds for a line
const int most_slow_lines = 5;
// A shorter line is not asked about: what grows with its square or cube is no 50 ms, and where a pattern tries more than
// that boost itself gives up, which counts as slow.
const size_t shortest_watched = 100;
std::atomic<int> slow_lines{0};

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) + double(now.tv_nsec) / 1e9;
}

// Definitions are read once, and their rules shared.
std::mutex lock;

// The number of the line that is being read; under the lock.
unsigned long line = 0;

// At each part of a line every rule of a state is asked in turn for its next match in what is left, and the first of those
// that begin earliest is taken. One that was found further on is still the next, and is not looked for again: it halves
// the time. One that begins no earlier than that of a rule before it is not told at all.
class Remembering : public srchilite::HighlightRule {
 public:
  // Whether none of its state is asked before it.
  Remembering(const srchilite::HighlightRulePtr &rule, bool is_first) : rule(rule), is_first(is_first) {
    for (const auto &name : rule->getElemList()) addElem(name);
    setNextState(rule->getNextState());
    setExitLevel(rule->getExitLevel());
    setNested(rule->isNested());
    setHasSubexpressions(rule->getHasSubexpressions());
    setAdditionalInfo(rule->getAdditionalInfo());
  }

  bool tryToMatch(
      std::string::const_iterator start, std::string::const_iterator end, srchilite::HighlightToken &token,
      const srchilite::MatchingParameters &params) override {
    const auto left = end - start;
    if (is_first) left_at_best = -1;
    if (searched_line != line || (is_found && left < left_at_match)) {
      searched_line = line;
      match.clearMatched();
      is_found = rule->tryToMatch(start, end, match, params);
      if (is_found) left_at_match = left - std::ptrdiff_t(match.prefix.size());
    }
    if (!is_found || left_at_match <= left_at_best) return false;
    left_at_best = left_at_match;
    match.prefix.assign(start, end - left_at_match);
    match.prefixOnlySpaces = match.prefix.find_first_not_of(" \t") == std::string::npos;
    token = match;
    return true;
  }

  const std::string toString() const override { return rule->toString(); }
  void replaceReferences(const srchilite::ReplacementList &list) override { rule->replaceReferences(list); }
  HighlightRule *clone() override { return new Remembering(srchilite::HighlightRulePtr(rule->clone()), is_first); }

 private:
  srchilite::HighlightRulePtr rule;
  bool is_first;
  unsigned long searched_line = 0;
  bool is_found = false;
  srchilite::HighlightToken match;
  // Bytes of the line from the match on; and from the best one of the rules that were asked so far, -1 without one.
  std::ptrdiff_t left_at_match = 0;
  static std::ptrdiff_t left_at_best;
};

std::ptrdiff_t Remembering::left_at_best = -1;

// States lead to one another in circles.
void remember_matches(const srchilite::HighlightStatePtr &state, std::set<unsigned> &seen) {
  if (!state || !seen.insert(state->getId()).second) return;
  bool is_first = true;
  for (size_t i = 0; i < state->getRuleList().size(); i++) {
    const auto rule = state->getRuleList()[i];
    remember_matches(rule->getNextState(), seen);
    // What a rule with references matches depends on what was matched before.
    if (rule->getNeedsReferenceReplacement()) continue;
    state->replaceRule(i, srchilite::HighlightRulePtr(new Remembering(rule, is_first)));
    is_first = false;
  }
}

srchilite::HighlightStatePtr rules(const std::string &file) {
  // Never taken apart: at the end of the process that would cost as much as to show some pages of code.
  static auto &factory = *new srchilite::RegexRuleFactory();
  static auto &definitions = *new srchilite::LangDefManager(&factory);
  static auto &known = *new std::map<std::string, srchilite::HighlightStatePtr>();
  auto &state = known[file];
  if (!state) {
    state = definitions.getHighlightState(folder, file);
    std::set<unsigned> seen;
    remember_matches(state, seen);
  }
  return state;
}

}  // namespace

struct highlight {
  srchilite::SourceHighlighter source;
  bool isGivenUp = false;

  explicit highlight(const srchilite::HighlightStatePtr &rules) : source(rules) {
    source.setFormatterManager(formatters());
    source.setOptimize(false);
  }
};

highlight *highlight_new(const char *language) try {
  std::string name(language);
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  // It becomes the name of a file.
  bool isPlain = !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '+' || c == '#' || c == '_' || c == '-';
  });
  if (!isPlain || name.size() > 30 || slow_lines >= most_slow_lines) return nullptr;
  auto alias = aliases.find(name);
  std::lock_guard<std::mutex> guard(lock);
  return new highlight(rules((alias == aliases.end() ? name : alias->second) + ".lang"));
} catch (...) {
  return nullptr;
}

void highlight_free(highlight *code) {
  std::lock_guard<std::mutex> guard(lock);
  delete code;
}

bool highlight_line(
    highlight *code, const char *bytes, size_t count, void *context,
    void (*take)(void *context, highlight_part part, size_t count)) try {
  std::lock_guard<std::mutex> guard(lock);
  if (code->isGivenUp) return false;
  receiver = {context, take};
  line++;
  const bool is_watched = count >= shortest_watched;
  const double began = is_watched ? processor_seconds() : 0;
  code->isGivenUp = true;
  code->source.highlightParagraph(std::string(bytes, count));
  code->isGivenUp = is_watched && processor_seconds() - began > longest;
  if (code->isGivenUp) slow_lines++;
  return true;
} catch (...) {
  // A pattern gave up on this line, after a long time.
  slow_lines++;
  return false;
}
