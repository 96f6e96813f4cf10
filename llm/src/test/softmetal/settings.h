// What the tests can ask of the software Metal, and where it writes down what it found wrong.
#pragma once
#include <atomic>
#include <cstdint>
#include <string>

namespace softmetal {

using u8 = uint8_t;
using u32 = uint32_t;
using u64 = uint64_t;

enum class Order { Forward, Backward, Shuffled };

struct Settings {
  std::atomic<Order> order{Order::Forward};
  std::atomic<u32> seed{1};
  std::atomic<bool> checks{true};            // of every access to memory
  std::atomic<bool> lazy{false};             // run a command buffer only when somebody waits for it
  std::atomic<bool> pools{false};            // whether every call that may autorelease needs a pool
  std::atomic<int> healthy{0}, failing{0};   // so many command buffers run, then so many fail, as of a GPU that takes too long
};
extern Settings& settings;

constexpr u64 MAX_THREADS = 1024;            // of a threadgroup
constexpr u64 SIMD_WIDTH = 32;
constexpr u64 MAX_THREADGROUP_BYTES = 32768;
constexpr int BINDINGS = 31;                 // buffer indices 0 to 30

std::string format(const char* pattern, ...) __attribute__((format(printf, 1, 2)));
// Notes a mistake of the caller or of a kernel, on which the real Metal stops, misbehaves, or says nothing.
void finding(const char* pattern, ...) __attribute__((format(printf, 1, 2)));
std::string takeFindings();                  // one a line; forgets them

}  // namespace softmetal
