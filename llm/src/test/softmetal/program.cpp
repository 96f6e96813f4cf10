// Loads compiled kernels, finds their threadgroup arrays, and maps addresses back to lines of the source.
#include "program.h"

#include <dlfcn.h>
#include <link.h>

#include <cstring>
#include <stdexcept>

#include "compiler.h"

namespace softmetal {

Program::Program(std::string text, bool fast) : source(std::move(text)), fastMath(fast), kernels(kernelsOf(preprocess(source))) {
  image(settings.checks);
}

Program::~Program() {
  for (Image& each : images) {
    if (each.handle) dlclose(each.handle);
  }
}

const Kernel* Program::kernel(const std::string& name) const {
  auto found = kernels.find(name);
  return found == kernels.end() ? nullptr : &found->second;
}

static u64 symbolBytes(void* address) {
  Dl_info info;
  ElfW(Sym)* symbol = nullptr;
  return dladdr1(address, &info, reinterpret_cast<void**>(&symbol), RTLD_DL_SYMENT) && symbol ? symbol->st_size : 0;
}

// Names of data symbols are not to be had from the loader: read the dynamic symbol table.
static std::vector<std::string> dataSymbols(link_map* map) {
  const ElfW(Sym)* symbols = nullptr;
  const char* strings = nullptr;
  const u32* hash = nullptr;
  for (const ElfW(Dyn)* entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
    if (entry->d_tag == DT_SYMTAB) symbols = reinterpret_cast<const ElfW(Sym)*>(entry->d_un.d_ptr);
    if (entry->d_tag == DT_STRTAB) strings = reinterpret_cast<const char*>(entry->d_un.d_ptr);
    if (entry->d_tag == DT_HASH) hash = reinterpret_cast<const u32*>(entry->d_un.d_ptr);
  }
  std::vector<std::string> names;
  for (u32 i = 0; symbols && strings && hash && i < hash[1]; i++) {
    if (ELF64_ST_TYPE(symbols[i].st_info) == STT_OBJECT) names.push_back(strings + symbols[i].st_name);
  }
  return names;
}

struct ReadOnlyMemory { ElfW(Addr) base; const char* begin; u64 bytes; };

static int findReadOnly(dl_phdr_info* info, size_t, void* into) {
  ReadOnlyMemory* memory = static_cast<ReadOnlyMemory*>(into);
  if (info->dlpi_addr != memory->base) return 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr)& part = info->dlpi_phdr[i];
    if (part.p_type == PT_LOAD && !(part.p_flags & (PF_W | PF_X))) {
      memory->begin = reinterpret_cast<const char*>(info->dlpi_addr + part.p_vaddr);
      memory->bytes = part.p_memsz;
    }
  }
  return 1;
}

Program::Image& Program::image(bool checked) {
  std::lock_guard<std::mutex> guard(lock);
  Image& image = images[checked];
  if (image.handle) return image;
  std::string path = compileToSharedObject({source, wrappersOf(kernels), fastMath, checked});
  image.handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!image.handle) throw std::runtime_error(dlerror());
  link_map* map;
  dlinfo(image.handle, RTLD_DI_LINKMAP, &map);
  ReadOnlyMemory constants{map->l_addr, nullptr, 0};
  dl_iterate_phdr(findReadOnly, &constants);
  std::vector<std::string> data = dataSymbols(map);
  for (auto& [name, kernel] : kernels) {
    Code& code = image.codes[name];
    code.run = reinterpret_cast<decltype(code.run)>(dlsym(image.handle, ("msl_run_" + name).c_str()));
    if (!code.run) throw std::runtime_error("kernel " + name + ": no code for it was found");
    std::vector<u32> sizes(kernel.parameters.size() * 2 + 1);
    reinterpret_cast<void (*)(u32*)>(dlsym(image.handle, ("msl_sizes_" + name).c_str()))(sizes.data());
    for (size_t i = 0; i < kernel.parameters.size(); i++) {
      kernel.parameters[i].size = sizes[2 * i];
      kernel.parameters[i].align = sizes[2 * i + 1];
    }
    code.constants = constants.begin;
    code.constantBytes = constants.bytes;
    kernel.threadgroupBytes = 0;
    // threadgroup float part[32] in kernel norm is _ZZ4normE4part or norm.part
    std::string mangled = "_ZZ" + std::to_string(name.size()) + name + "E", plain = name + ".";
    for (const std::string& symbol : data) {
      if (symbol.compare(0, mangled.size(), mangled) != 0 && symbol.compare(0, plain.size(), plain) != 0) continue;
      char* address = static_cast<char*>(dlsym(image.handle, symbol.c_str()));
      std::string shortName = symbol.substr(symbol[0] == '_' ? mangled.size() : plain.size());
      shortName.erase(0, shortName.find_first_not_of("0123456789"));
      code.arrays.push_back({address, symbolBytes(address), shortName});
      kernel.threadgroupBytes += code.arrays.back().bytes;
    }
  }
  return image;
}

const Code& Program::code(const Kernel& kernel, bool checked) { return image(checked).codes.at(kernel.name); }

std::string Program::lineOf(const void* address) {
  Dl_info info;
  if (!address || !dladdr(address, &info)) return "";
  u64 offset = static_cast<const char*>(address) - static_cast<const char*>(info.dli_fbase) - 1;
  int status;
  std::string output = runCommand(format("addr2line -i -e '%s' 0x%lx", info.dli_fname, offset), status);
  // Inlined frames come innermost first; those in our headers are not what the author of a kernel looks for.
  size_t at = output.find(".metal:");
  if (status || at == std::string::npos) return "";
  at += strlen(".metal:");
  return "program_source:" + output.substr(at, output.find_first_not_of("0123456789", at) - at);
}

}  // namespace softmetal
