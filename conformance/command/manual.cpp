// SPDX-License-Identifier: Apache-2.0
// The man page and the completion of the shell, from the same tree of commands as --help.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "conformance/command/command.h"

namespace concord::conformance {
namespace {

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  auto commands = app.get_subcommands(nullptr);
  std::erase_if(commands, [](const CLI::App* each) { return each->get_group().empty(); });
  return commands;
}

std::vector<const CLI::Option*> options_of(const CLI::App& app) {
  auto options = app.get_options(nullptr);
  std::erase_if(options, [](const CLI::Option* each) { return each->get_group().empty(); });
  return options;
}

// As roff wants it: a hyphen that can be copied, no request at the begin of a line.
std::string roff(std::string_view text) {
  std::string escaped;
  bool begins = true;
  for (const char c : text) {
    if (begins && (c == '.' || c == '\'')) escaped += "\\&";
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else {
      escaped += c;
    }
    begins = c == '\n';
  }
  return escaped;
}

std::string value_of(const CLI::Option& option) {
  if (option.get_items_expected_max() == 0) return "";  // a flag
  return " " + (option.get_type_name().empty() ? "VALUE" : option.get_type_name());
}

void add_options(const CLI::App& app, std::string& page) {
  for (const CLI::Option* option : options_of(app)) {
    page += fmt::format(".TP\n.B {}{}\n{}{}\n", roff(option->get_name(true, true)),
                        roff(value_of(*option)), roff(option->get_description()),
                        option->get_default_str().empty()
                            ? ""
                            : roff(fmt::format(" (default: {})", option->get_default_str())));
  }
}

void add_command(const CLI::App& command, const std::string& name, std::string& page) {
  page += fmt::format(".SS {}\n{}\n", roff(name), roff(command.get_description()));
  add_options(command, page);
  if (const std::string footer = command.get_footer(); !footer.empty()) {
    page += fmt::format(".PP\n.nf\n{}\n.fi\n", roff(footer));
  }
  for (const CLI::App* each : commands_of(command)) {
    add_command(*each, name + " " + each->get_name(), page);
  }
}

std::string man_page(const CLI::App& app) {
  std::string page = fmt::format(
      ".TH CONCORD 1 \"\" \"Concord {}\" \"User Commands\"\n"
      ".SH NAME\nconcord \\- judge convolution libraries by their specifications\n"
      ".SH SYNOPSIS\n.B concord\n.I COMMAND\n[\\fIOPTION\\fR...]\n"
      ".SH DESCRIPTION\n{}\n.SH OPTIONS\n",
      CONCORD_VERSION, roff(app.get_description()));
  add_options(app, page);
  page += ".SH COMMANDS\n";
  for (const CLI::App* each : commands_of(app)) add_command(*each, each->get_name(), page);
  page += fmt::format(".SH EXIT STATUS\n{}\n", roff(app.get_footer()));
  return page;
}

// All names of an option, such as --help and -h.
std::vector<std::string> words_of(const CLI::App& app) {
  std::vector<std::string> words;
  for (const CLI::App* each : commands_of(app)) words.push_back(each->get_name());
  for (const CLI::Option* option : options_of(app)) {
    std::istringstream names(option->get_name(false, true));
    for (std::string name; std::getline(names, name, ',');) {
      if (name.starts_with('-')) words.push_back(name);
    }
  }
  return words;
}

void add_case(const CLI::App& app, const std::string& path, std::string& script) {
  script += fmt::format("    '{}') words='{}' ;;\n", path, fmt::join(words_of(app), " "));
  for (const CLI::App* each : commands_of(app)) {
    add_case(*each, path.empty() ? each->get_name() : path + " " + each->get_name(), script);
  }
}

std::string bash_completion(const CLI::App& app) {
  std::string script =
      "# Completion of bash for concord.\n"
      "_concord() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} path= each words=\n"
      "  for each in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
      "    [[ $each == -* ]] && break\n"
      "    path+=\"${path:+ }$each\"\n"
      "  done\n"
      "  case $path in\n";
  add_case(app, "", script);
  script +=
      "  esac\n"
      "  COMPREPLY=()\n"
      "  if [[ -n $words ]]; then mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\"); "
      "fi\n"
      "  if [[ ${#COMPREPLY[@]} -eq 0 ]]; then\n"
      "    mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
      "  fi\n"
      "}\n"
      "complete -o filenames -F _concord concord\n";
  return script;
}

}  // namespace

void add_manual_command(CLI::App& app) {
  auto* sub = app.add_subcommand("manual", "Print the man page, or the completion of bash");
  auto form = std::make_shared<std::string>("man");
  sub->add_option("form", *form, "man or bash")
      ->check(CLI::IsMember({"man", "bash"}))
      ->capture_default_str();
  sub->footer(
      "Examples:\n"
      "  concord manual | man -l -\n"
      "  source <(concord manual bash)");
  sub->callback(
      [&app, form] { fmt::print("{}", *form == "man" ? man_page(app) : bash_completion(app)); });
}

}  // namespace concord::conformance
