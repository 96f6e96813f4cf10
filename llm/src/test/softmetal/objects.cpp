// The Objective-C runtime that a shim sees: message lookup, reference counts, pools, and what became of dead objects.
#include "objects.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <unordered_set>
#include <vector>

#include "classes.h"

namespace softmetal {

struct Runtime {
  std::mutex lock;
  std::unordered_map<std::string, Selector> selectors;
  std::unordered_set<const void*> selectorAddresses;
  std::unordered_map<std::string, Class*> classes;
  std::unordered_map<const void*, Class*> classAddresses;
  std::unordered_map<const void*, Object*> living;
  std::unordered_map<const void*, const char*> dead;  // address -> class; addresses are never used again
};
static Runtime& runtime = *new Runtime;
static thread_local std::vector<std::vector<Object*>>* pools;

Selector selector(const char* name) {
  std::lock_guard<std::mutex> guard(runtime.lock);
  Selector& interned = runtime.selectors[name];
  if (!interned) {
    interned = strdup(name);
    runtime.selectorAddresses.insert(interned);
  }
  return interned;
}

Class* newClass(const char* name) {
  Class* made = new Class{name, new Class{name, nullptr, {}}, {}};
  std::lock_guard<std::mutex> guard(runtime.lock);
  runtime.classes[name] = made;
  runtime.classAddresses[made] = made;
  return made;
}

void define(Class* in, std::initializer_list<std::pair<const char*, Method>> methods) {
  for (auto& [name, implementation] : methods) in->methods[selector(name)] = implementation;
}

void adopt(Object* object, Class* isa) {
  object->isa = isa;
  std::lock_guard<std::mutex> guard(runtime.lock);
  runtime.living[object] = object;
}

void release(Object* object) {
  if (!object || --object->references > 0) return;
  {
    std::lock_guard<std::mutex> guard(runtime.lock);
    runtime.living.erase(object);
    runtime.dead[object] = object->isa->name;
  }
  object->~Object();  // the memory stays, so that the address still tells what lived there
}

Object* autorelease(Object* object) {
  if (!object) return object;
  if (!pools || pools->empty()) {
    finding("%s autoreleased with no pool in place: it leaks", object->isa->name);
  } else {
    pools->back().push_back(object);
  }
  return object;
}

void needsPool(const char* call) {
  if (settings.pools && (!pools || pools->empty())) finding("%s with no pool in place: what Metal autoreleases inside leaks", call);
}

Object* living(const void* address, const char* use) {
  std::lock_guard<std::mutex> guard(runtime.lock);
  auto alive = runtime.living.find(address);
  if (alive != runtime.living.end()) return alive->second;
  auto dead = runtime.dead.find(address);
  if (dead != runtime.dead.end()) {
    finding("%s: sent to a deallocated %s", use, dead->second);
  } else {
    finding("%s: sent to %p, which is not an object", use, address);
  }
  return nullptr;
}

bool isAlive(const void* address) {
  std::lock_guard<std::mutex> guard(runtime.lock);
  return runtime.living.count(address) > 0;
}

Object* argumentOf(const void* address, Class* type, Selector message) {
  if (!address) {
    finding("%s: nil where a %s is needed", message, type->name);
    return nullptr;
  }
  Object* object = living(address, (std::string("argument of ") + message).c_str());
  if (object && object->isa != type) {
    finding("%s: a %s where a %s is needed", message, object->isa->name, type->name);
    return nullptr;
  }
  return object;
}

std::string liveObjects() {
  std::map<std::string, int> counts;
  std::lock_guard<std::mutex> guard(runtime.lock);
  for (auto& entry : runtime.living) {
    Object* object = entry.second;
    if (object->isa == Device::type() && object->references == 1) continue;  // the library's own reference
    counts[object->isa->name + (object->label.empty() ? "" : " '" + object->label + "'")]++;
  }
  std::string all;
  for (auto& [what, count] : counts) all += std::to_string(count) + " " + what + "\n";
  return all;
}

bool responds(Object* object, Selector message) { return object->isa->methods.count(message) > 0; }

static u64 answerNil() { return 0; }

// The method for a message.
extern "C" __attribute__((visibility("hidden"), used)) Method softmetal_lookup(void* self, void* name) {
  Class* isa = nullptr;
  {
    std::lock_guard<std::mutex> guard(runtime.lock);
    if (!runtime.selectorAddresses.count(name)) {
      finding("objc_msgSend: the second argument is no selector");
      return method(answerNil);
    }
    auto classObject = runtime.classAddresses.find(self);
    if (classObject != runtime.classAddresses.end()) isa = classObject->second->meta;
  }
  Selector message = static_cast<Selector>(name);
  if (!self) {
    finding("%s: sent to nil", message);
    return method(answerNil);
  }
  if (!isa) {
    Object* object = living(self, message);
    if (!object) return method(answerNil);
    isa = object->isa;
  }
  auto found = isa->methods.find(message);
  if (found != isa->methods.end()) return found->second;
  finding("%s: unrecognized selector sent to %s", message, isa->name);
  return method(answerNil);
}

}  // namespace softmetal

using namespace softmetal;

EXPORT void* objc_getClass(const char* name) {
  defineClasses();
  std::lock_guard<std::mutex> guard(runtime.lock);
  auto found = runtime.classes.find(name);
  return found == runtime.classes.end() ? nullptr : found->second;
}

EXPORT const char* sel_registerName(const char* name) { return selector(name); }

EXPORT void* objc_retain(void* object) { return object ? retain(living(object, "retain")) : nullptr; }

EXPORT void objc_release(void* object) {
  Object* alive = object ? living(object, "release") : nullptr;
  if (alive && strncmp(alive->isa->name, "MTL", 3) == 0) needsPool("release");
  release(alive);
}

EXPORT void* objc_autoreleasePoolPush() {
  if (!pools) pools = new std::vector<std::vector<Object*>>;
  pools->emplace_back();
  return reinterpret_cast<void*>(pools->size() * 16);
}

EXPORT void objc_autoreleasePoolPop(void* token) {
  size_t depth = reinterpret_cast<size_t>(token) / 16, open = pools ? pools->size() : 0;
  if (depth == 0 || depth > open) {
    finding("autoreleasePoolPop: pool %zu is not on this thread's stack of %zu", depth, open);
    return;
  }
  if (depth < open) finding("autoreleasePoolPop: %zu inner pools are still open", open - depth);
  while (pools->size() >= depth) {
    std::vector<Object*> drained = std::move(pools->back());
    pools->pop_back();
    for (Object* object : drained) {
      if (isAlive(object)) {
        release(object);
      } else {
        finding("autoreleasePoolPop: an autoreleased object was released once too often");
      }
    }
  }
}
