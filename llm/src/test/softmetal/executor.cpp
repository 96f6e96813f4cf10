// Runs dispatches: one threadgroup after another, so that "earlier" has a meaning.
#include "executor.h"

#include <algorithm>
#include <random>
#include <stdexcept>
#include <vector>

#include "machine.h"

namespace softmetal {

static std::string dispatch(Machine& machine, const Command& command, const std::set<Buffer*>& written,
                            const std::map<Buffer*, Snapshot>& snapshots) {
  Launch launch{command.pipeline, &command, settings.checks, &written, &snapshots};
  std::vector<u32> order(command.grid.width * command.grid.height * command.grid.depth);
  for (u32 i = 0; i < order.size(); i++) order[i] = settings.order == Order::Backward ? order.size() - 1 - i : i;
  if (settings.order == Order::Shuffled) std::shuffle(order.begin(), order.end(), std::mt19937(settings.seed));
  try {
    machine.begin(launch);
    for (u32 each : order) {
      if (!machine.runGroup(each)) return machine.error();
    }
    return "";
  } catch (const std::runtime_error& wrong) {
    return wrong.what();
  }
}

// The buffers that dispatches may write until the next barrier. Others need no record of who reads them.
static std::set<Buffer*> writtenFrom(const std::vector<Command>& commands, size_t at) {
  std::set<Buffer*> written;
  for (; at < commands.size() && commands[at].kind != Command::Barrier; at++) {
    for (const Parameter& p : commands[at].pipeline->kernel->parameters) {
      if (p.kind == Parameter::Buffer && !p.readOnly && commands[at].bindings[p.index].buffer) {
        written.insert(commands[at].bindings[p.index].buffer);
      }
    }
  }
  return written;
}

std::string execute(CommandBuffer* buffer) {
  static Machine& machine = *new Machine();
  if (!buffer->error.empty()) return buffer->error;  // it was refused when it was encoded
  std::string error;
  std::set<Buffer*> written;
  for (size_t i = 0; i < buffer->commands.size() && error.empty(); i++) {
    const Command& command = buffer->commands[i];
    if (command.kind == Command::Dispatch) {
      error = dispatch(machine, command, written, buffer->snapshots);
    } else {
      machine.newEpoch();
      written = writtenFrom(buffer->commands, i + 1);
    }
  }
  if (!error.empty()) finding("%s", error.c_str());
  return error;
}

}  // namespace softmetal
