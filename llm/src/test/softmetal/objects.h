// A small Objective-C runtime: classes, selectors, reference counts, autorelease pools and zombies.
#pragma once
#include <atomic>
#include <initializer_list>
#include <string>
#include <unordered_map>
#include <utility>

#include "settings.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace softmetal {

using Selector = const char*;  // interned: equal names are equal pointers
using Method = void (*)();

struct Class {
  const char* name;
  Class* meta = nullptr;  // where class methods are
  std::unordered_map<Selector, Method> methods;
};

struct Object {
  Class* isa = nullptr;
  std::atomic<long> references{1};
  std::string label;
  virtual ~Object() = default;
};

Class* newClass(const char* name);
Selector selector(const char* name);
void define(Class* in, std::initializer_list<std::pair<const char*, Method>> methods);

void adopt(Object* object, Class* isa);
template <class T> T* make() {
  T* object = new T();
  adopt(object, T::type());
  return object;
}

template <class T> T* retain(T* object) {
  if (object) object->references++;
  return object;
}
void release(Object* object);
Object* autorelease(Object* object);
// Notes a call in which the real Metal autoreleases objects of its own, if no pool is there to take them.
void needsPool(const char* call);
template <class T> T* autoreleased(T* object) { return static_cast<T*>(autorelease(object)); }

// The object at an address; a finding, and null, if there is none or it was deallocated.
Object* living(const void* address, const char* use);
bool isAlive(const void* address);

// An argument that must be an object of this type; a finding, and null, if it is nil, dead or something else.
Object* argumentOf(const void* address, Class* type, Selector message);
template <class T> T* argument(const void* address, Selector message) {
  return static_cast<T*>(argumentOf(address, T::type(), message));
}

std::string liveObjects();  // "class count" a line
bool responds(Object* object, Selector message);

}  // namespace softmetal

// Casts a typed method to what the tables hold.
template <class F> softmetal::Method method(F* function) { return reinterpret_cast<softmetal::Method>(function); }
