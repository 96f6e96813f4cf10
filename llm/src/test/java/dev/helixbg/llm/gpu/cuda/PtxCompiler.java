package dev.helixbg.llm.gpu.cuda;

import dev.helixbg.llm.gpu.driver.KernelLibrary;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;

/**
 * Compiles a library's Metal sources to PTX with clang 19. Compiles them as C++ for OpenCL to LLVM
 * IR, adapts the IR to NVIDIA's driver, and compiles the IR to PTX. No part of CUDA is needed.
 */
public final class PtxCompiler {
  /** Name of the compiler. */
  public static final String CLANG = "clang++-19";

  private static final String HEADER = "ptx/msl_on_ptx.h";
  private static final String TYPES = "softmetal/include";
  private static final List<String> TARGET =
      List.of("--target=nvptx64-nvidia-cuda", "-march=sm_80", "-nogpulib", "--cuda-feature=+ptx70");
  private static final List<String> FRONT_END =
      List.of(
          "-x",
          "clcpp",
          "-cl-std=clc++2021",
          "-cl-no-stdinc",
          "-Xclang",
          "-cl-ext=+cl_khr_fp16,+__opencl_c_generic_address_space",
          "-ffp-contract=fast",
          "-fno-math-errno",
          "-Wno-unknown-attributes",
          "-Wno-ignored-attributes",
          "-O3",
          "-Xclang",
          "-disable-llvm-passes",
          "-S",
          "-emit-llvm");

  /** Options of the back end. Arrays stay in registers only if the loops over them are unrolled. */
  private static final List<String> BACK_END =
      List.of(
          "-x",
          "ir",
          "-ffp-contract=fast",
          "-fno-math-errno",
          "-mllvm",
          "-nvptx-prec-divf32=1",
          "-mllvm",
          "-nvptx-prec-sqrtf32=0",
          "-mllvm",
          "-unroll-threshold=6000",
          "-O3",
          "-S");

  private static final Pattern KERNEL =
      Pattern.compile(
          "^kernel void (\\w+)\\(\\s*(.*?)\\)\\s*\\{", Pattern.DOTALL | Pattern.MULTILINE);
  private static final Pattern PARAMETER = Pattern.compile("(.*?) ?(\\w+) ?\\[\\[(.*)]]");
  private static final Pattern INDEX = Pattern.compile("buffer\\((\\d+)\\)");

  private final Path tests;

  private PtxCompiler(Path tests) {
    this.tests = tests;
  }

  public static PtxCompiler ofProject() {
    for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
      Path tests = at.resolve("llm/src/test");
      if (Files.exists(tests.resolve(HEADER))) {
        return new PtxCompiler(tests);
      }
    }
    throw new IllegalStateException(HEADER + " is not in or above " + Path.of("").toAbsolutePath());
  }

  public static boolean isHere() {
    return Stream.of(System.getenv("PATH").split(":"))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, CLANG)));
  }

  public Path resources() {
    return tests.resolveSibling("main").resolve("resources");
  }

  /** Returns whether a library's resource was made from its current sources. */
  public boolean isCurrent(KernelLibrary library) {
    return PtxLibrary.has(library.name())
        && PtxLibrary.read(library.name(), false).startsWith(head(library));
  }

  public boolean isSame(KernelLibrary library) {
    return PtxLibrary.read(library.name(), false).equals(compile(library));
  }

  public void write(KernelLibrary library, Path root) throws IOException {
    write(compile(library), library, root);
  }

  private static void write(String text, KernelLibrary library, Path root) throws IOException {
    Path target = root.resolve(PtxLibrary.resource(library.name()).substring(1));
    Files.createDirectories(target.getParent());
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(target))) {
      out.write(text.getBytes(StandardCharsets.ISO_8859_1));
    }
  }

  /**
   * Writes a resource for a library that has none, with the comments and names that the stand-in
   * for the driver reads, but without code.
   */
  void pretend(KernelLibrary library) {
    String resource = PtxLibrary.resource(library.name()).substring(1);
    if (Files.exists(resources().resolve(resource)) || isCurrent(library)) {
      return;
    }
    StringBuilder text = new StringBuilder(head(library)).append(PtxLibrary.VERSION).append('\n');
    Matcher kernels = KERNEL.matcher(library.source());
    while (kernels.find()) {
      text.append(".entry ").append(PtxLibrary.entry(kernels.group(1))).append("()\n");
    }
    try {
      Path root = Path.of(PtxCompiler.class.getResource("/").toURI());
      write(text.toString(), library, root);
    } catch (IOException | URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  public Set<String> written() throws IOException {
    try (Stream<Path> files = Files.list(folder())) {
      return files
          .map(file -> file.getFileName().toString().replace(".ptx.gz", ""))
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  public void removeOthers(Set<String> names) throws IOException {
    for (String name : written()) {
      if (!names.contains(name)) {
        Files.delete(folder().resolve(name + ".ptx.gz"));
      }
    }
  }

  private Path folder() {
    return resources().resolve(PtxLibrary.resource("x").substring(1)).getParent();
  }

  /**
   * Returns a library's PTX. The first lines are comments: the sources, and data that the tests'
   * stand-in for the driver needs to run the library.
   */
  private String compile(KernelLibrary library) {
    String source = library.source();
    String ir = clang(frontEnd(), source + entryPoints(source));
    List<String> backEnd = new ArrayList<>(TARGET);
    backEnd.addAll(BACK_END);
    String ptx = clang(backEnd, fit(ir));
    return head(library) + ptx.replaceAll("(?m)^//.*\n", "").strip() + "\n";
  }

  /**
   * Returns the comments before a library's PTX. They have a hash of the sources, which shows
   * whether a resource is current.
   */
  private String head(KernelLibrary library) {
    StringBuilder head = new StringBuilder("// made by scripts/make-ptx of ");
    head.append(hash(library)).append("\n// files ").append(String.join(" ", library.files()));
    library.defines().lines().forEach(line -> head.append("\n// ").append(line));
    return head.append('\n').toString();
  }

  private String hash(KernelLibrary library) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(
          List.of(TARGET, FRONT_END, BACK_END).toString().getBytes(StandardCharsets.UTF_8));
      digest.update(library.source().getBytes(StandardCharsets.UTF_8));
      digest.update(entryPoints(library.source()).getBytes(StandardCharsets.UTF_8));
      for (String file : List.of(HEADER, TYPES + "/msl_types.h", TYPES + "/msl_math.h")) {
        digest.update(Files.readAllBytes(tests.resolve(file)));
      }
      return HexFormat.of().formatHex(digest.digest(), 0, 12);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private List<String> frontEnd() {
    List<String> arguments = new ArrayList<>(TARGET);
    arguments.addAll(FRONT_END);
    arguments.addAll(List.of("-I", tests.resolve(TYPES).toString()));
    arguments.addAll(List.of("-include", tests.resolve(HEADER).toString()));
    return arguments;
  }

  /**
   * Returns the source of an entry point for each kernel. Its parameters are the kernel's buffers
   * and structs in the order of their indices; structs are passed by value. Positions come from
   * registers, and threadgroup memory from the launch. An entry point waits for earlier launches,
   * unless the kernel calls {@code AWAIT()} itself.
   */
  private static String entryPoints(String source) {
    StringBuilder out = new StringBuilder();
    Matcher kernels = KERNEL.matcher(source);
    while (kernels.find()) {
      TreeMap<Integer, String> taken = new TreeMap<>();
      List<String> passed = new ArrayList<>();
      for (String parameter : kernels.group(2).replaceAll("\\s+", " ").split(", ")) {
        Matcher parts = PARAMETER.matcher(parameter.strip());
        if (!parts.matches()) {
          throw new IllegalStateException(kernels.group(1) + ": " + parameter);
        }
        String type = parts.group(1);
        String name = parts.group(2);
        String attribute = parts.group(3);
        Matcher index = INDEX.matcher(attribute);
        if (attribute.startsWith("threadgroup(")) {
          passed.add("(%s)msl_dynamic_memory()".formatted(type));
        } else if (!index.matches()) {
          passed.add("msl_%s<%s>()".formatted(attribute, type));
        } else if (type.startsWith("constant")) {
          String struct = type.split(" ")[1].replace("&", "");
          taken.put(Integer.parseInt(index.group(1)), struct + " " + name);
          passed.add("*(constant %s*)(ulong)&%s".formatted(struct, name));
        } else {
          taken.put(Integer.parseInt(index.group(1)), type + " " + name);
          passed.add(name);
        }
      }
      int end = source.indexOf("\n}", kernels.end());
      boolean waits = source.substring(kernels.end(), end).contains("AWAIT();");
      out.append(
          "extern \"C\" kernel void %s(%s) { msl_next_may_start(); %s%s(%s); }\n"
              .formatted(
                  PtxLibrary.entry(kernels.group(1)),
                  String.join(", ", taken.values()),
                  waits ? "" : "msl_await_those_before(); ",
                  kernels.group(1),
                  String.join(", ", passed)));
    }
    return out.toString();
  }

  /**
   * Adapts IR to NVIDIA's driver. Constant memory becomes generic memory. Kernels become ordinary
   * functions, inlined into their entry points. Threadgroup arrays are aligned to 16 bytes, because
   * kernels read them as float4.
   */
  private static String fit(String ir) {
    String fit = ir.replace(" addrspace(4)", "").replace(".p4", ".p0");
    fit = fit.replaceAll("define dso_local spir_kernel void @(?!ptx_)", "define internal void @");
    fit = fit.replaceAll("call spir_kernel void @(?!ptx_)", "call void @");
    List<String> dropped = new ArrayList<>();
    Matcher annotation =
        Pattern.compile("(?m)^(!\\d+) = !\\{ptr @(?!ptx_)\\w+, !\"kernel\", i32 1}\n").matcher(fit);
    while (annotation.find()) {
      dropped.add(annotation.group(1));
    }
    fit = annotation.replaceAll("");
    Matcher list = Pattern.compile("(?m)^!nvvm.annotations = !\\{(.*)}$").matcher(fit);
    if (list.find()) {
      List<String> kept = new ArrayList<>(List.of(list.group(1).split(", ")));
      kept.removeAll(dropped);
      fit = list.replaceFirst("!nvvm.annotations = !{" + String.join(", ", kept) + "}");
    }
    fit = fit.replaceAll("(addrspace\\(3\\) global .*), align \\d+", "$1, align 16");
    fit = fit.replace("inlinehint ", "");
    fit = fit.replaceAll("mustprogress (noinline )?", "mustprogress alwaysinline ");
    return fit.replaceAll(
        "declare .*@msl_dynamic_memory\\(\\).*",
        """
        @msl_dynamic = external addrspace(3) global [0 x float], align 16
        define internal ptr addrspace(3) @msl_dynamic_memory() alwaysinline { ret ptr addrspace(3) @msl_dynamic }\
        """);
  }

  private static String clang(List<String> arguments, String text) {
    try {
      Path in = Files.createTempFile("ptx", ".in");
      Path errors = Files.createTempFile("ptx", ".errors");
      Files.writeString(in, text);
      List<String> command = new ArrayList<>(List.of(CLANG));
      command.addAll(arguments);
      command.addAll(List.of("-o", "-", "-"));
      Process clang =
          new ProcessBuilder(command)
              .redirectInput(in.toFile())
              .redirectError(errors.toFile())
              .start();
      String out = new String(clang.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      int code = clang.waitFor();
      String said = Files.readString(errors);
      Files.delete(in);
      Files.delete(errors);
      if (code != 0) {
        throw new IllegalStateException("clang says:\n" + said);
      }
      return out;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
