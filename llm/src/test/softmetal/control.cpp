// What the tests call beside Metal: settings, findings, live objects.
#include <algorithm>
#include <cstring>

#include "objects.h"

using namespace softmetal;

static u64 copyText(const std::string& text, char* into, u64 capacity) {
  u64 bytes = std::min<u64>(text.size(), capacity - 1);
  memcpy(into, text.data(), bytes);
  into[bytes] = 0;
  return text.size();
}

EXPORT void softmetal_configure(int order, u32 seed, int checks, int lazy) {
  settings.order = static_cast<Order>(order);
  settings.seed = seed;
  settings.checks = checks;
  settings.lazy = lazy;
}

EXPORT void softmetal_require_pools(int required) { settings.pools = required; }

EXPORT u64 softmetal_take_findings(char* into, u64 capacity) { return copyText(takeFindings(), into, capacity); }
EXPORT u64 softmetal_live_objects(char* into, u64 capacity) { return copyText(liveObjects(), into, capacity); }
