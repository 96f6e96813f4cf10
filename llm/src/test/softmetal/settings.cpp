// Keeps the settings and the list of findings.
#include "settings.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <vector>

namespace softmetal {

// Nothing of this library is ever destroyed: worker threads outlive main.
static Settings& ofEnvironment() {
  Settings& made = *new Settings;
  int healthy, failing;
  const char* text = getenv("SOFTMETAL_FAIL");  // HEALTHY:FAILING, for a process that no test is in
  if (text && sscanf(text, "%d:%d", &healthy, &failing) == 2) {
    made.healthy = healthy;
    made.failing = failing;
  }
  if (getenv("SOFTMETAL_UNCHECKED")) made.checks = false;  // as SoftMetalSettings.FAST
  return made;
}
Settings& settings = ofEnvironment();
static std::mutex& findingsLock = *new std::mutex;
static std::vector<std::string>& findings = *new std::vector<std::string>;

static std::string formatList(const char* pattern, va_list arguments) {
  char text[2048];
  vsnprintf(text, sizeof text, pattern, arguments);
  return text;
}

std::string format(const char* pattern, ...) {
  va_list arguments;
  va_start(arguments, pattern);
  std::string text = formatList(pattern, arguments);
  va_end(arguments);
  return text;
}

void finding(const char* pattern, ...) {
  va_list arguments;
  va_start(arguments, pattern);
  std::string text = formatList(pattern, arguments);
  va_end(arguments);
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  std::lock_guard<std::mutex> guard(findingsLock);
  if (findings.size() < 1000) findings.push_back(std::move(text));
}

std::string takeFindings() {
  std::lock_guard<std::mutex> guard(findingsLock);
  std::string all;
  for (const std::string& one : findings) all += one + "\n";
  findings.clear();
  return all;
}

}  // namespace softmetal
