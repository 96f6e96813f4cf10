// Runs the commands of a command buffer, one dispatch after another.
#pragma once
#include <string>

#include "classes.h"

namespace softmetal {

// "" if all went well, else what a kernel did wrong. Only ever called by the queue's thread.
std::string execute(CommandBuffer* buffer);

}  // namespace softmetal
