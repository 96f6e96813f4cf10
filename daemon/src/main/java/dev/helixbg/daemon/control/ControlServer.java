package dev.helixbg.daemon.control;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.files.PrivateFiles;
import dev.helixbg.daemon.terminal.ErrorReporter;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Json;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import jdk.net.ExtendedSocketOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers clients of the same user on a Unix domain socket, each on its own virtual thread. A
 * request is a JSON object on one line. The answer is any number of lines; the last has {@code
 * "end":true}, or {@code "error"} and an exit code.
 */
public final class ControlServer implements AutoCloseable {
  /** Maximum length of a socket's path on macOS, in bytes; Linux allows 4 bytes more. */
  private static final int LONGEST_PATH = 103;

  private static final Logger LOG = LoggerFactory.getLogger(ControlServer.class);
  private static final Set<PosixFilePermission> FOLDER =
      PosixFilePermissions.fromString("rwx------");
  private static final Set<PosixFilePermission> SOCKET =
      PosixFilePermissions.fromString("rw-------");

  private static final Duration LAST_ANSWERS = Duration.ofSeconds(5);

  public interface Handler {
    /** Returns the lines that answer the request; a closing server interrupts the call. */
    List<ObjectNode> handle(ObjectNode request) throws InterruptedException;
  }

  private final Set<String> refused = ConcurrentHashMap.newKeySet();
  private final Path path;
  private final ServerSocketChannel server;
  private final Handler handler;
  private final ControlLimits limits;
  private final Predicate<UserPrincipal> welcome;
  private final AtomicInteger clients = new AtomicInteger();
  private final Set<SocketChannel> open = ConcurrentHashMap.newKeySet();

  private final Set<Thread> answering = ConcurrentHashMap.newKeySet();

  private ControlServer(
      Path path,
      ServerSocketChannel server,
      Handler handler,
      ControlLimits limits,
      Predicate<UserPrincipal> welcome) {
    this.path = path;
    this.server = server;
    this.handler = handler;
    this.limits = limits;
    this.welcome = welcome;
  }

  /**
   * Starts a server. A socket that is already there belongs to a dead daemon, because the caller
   * holds the daemon's lock.
   */
  public static ControlServer start(Path path, Handler handler, ControlLimits limits)
      throws IOException {
    UserPrincipal self = prepareFolder(path.getParent());
    return start(path, handler, limits, self::equals);
  }

  static ControlServer start(
      Path path, Handler handler, ControlLimits limits, Predicate<UserPrincipal> welcome)
      throws IOException {
    removeStale(path);
    ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      server.bind(address(path), limits.clients());
      Files.setPosixFilePermissions(path, SOCKET);
    } catch (IOException e) {
      server.close();
      throw e;
    }
    ControlServer control = new ControlServer(path, server, handler, limits, welcome);
    Thread.ofVirtual().name("control").start(control::accept);
    return control;
  }

  public static boolean fits(Path path) {
    return path.toString().getBytes(StandardCharsets.UTF_8).length <= LONGEST_PATH;
  }

  static UnixDomainSocketAddress address(Path path) throws IOException {
    if (!fits(path)) {
      throw new IOException(
          "the path of a socket may have at most "
              + LONGEST_PATH
              + " bytes, and this path is longer: "
              + path
              + ". Set HOME to a shorter path");
    }
    return UnixDomainSocketAddress.of(path);
  }

  /** Makes the socket's folder private, and returns its owner, the user of this process. */
  private static UserPrincipal prepareFolder(Path folder) throws IOException {
    PrivateFiles.makeFolders(folder);
    if (!PrivateFiles.isOwn(folder)) {
      throw new IOException(folder + " belongs to another user");
    }
    if (!Files.getPosixFilePermissions(folder).equals(FOLDER)) {
      LOG.info(
          "{} is now closed to other users, because the control socket is in this folder", folder);
      Files.setPosixFilePermissions(folder, FOLDER);
    }
    return Files.getOwner(folder);
  }

  private static void removeStale(Path path) throws IOException {
    if (Files.notExists(path, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    BasicFileAttributes there =
        Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    if (!there.isOther()) {
      throw new IOException(
          path
              + " is not a socket, but the control socket needs this path. Move the file or folder"
              + " elsewhere");
    }
    Files.delete(path);
  }

  private void accept() {
    while (server.isOpen()) {
      try {
        SocketChannel channel = server.accept();
        try {
          Thread.ofVirtual().name("control-client").start(() -> serve(channel));
        } catch (Throwable e) {
          channel.close();
          throw e;
        }
      } catch (ClosedChannelException e) {
        return;
      } catch (Throwable e) { // for example too many open files, or too little memory
        LOG.warn("a client could not be accepted: {}", e.toString());
        LockSupport.parkNanos(200_000_000);
      }
    }
  }

  private void serve(SocketChannel channel) {
    int number = clients.incrementAndGet();
    open.add(channel);
    try (channel;
        JsonLineChannel lines = new JsonLineChannel(channel, limits.lineBytes())) {
      UserPrincipal peer = channel.getOption(ExtendedSocketOptions.SO_PEERCRED).user();
      if (!welcome.test(peer)) {
        if (refused.add(peer.getName())) { // logged once, so that no client can fill the log
          LOG.warn("connections of user {} are refused", peer.getName());
        }
        return;
      }
      if (number <= limits.clients()) {
        answerAll(lines);
      } else {
        error(lines, new Failure(ExitCode.BUSY, "too many clients at once; try again"));
      }
    } catch (IOException e) {
      LOG.debug("a client left: {}", e.toString());
    } catch (Throwable e) {
      LOG.error("a client could not be answered", e);
    } finally {
      clients.decrementAndGet();
      open.remove(channel);
    }
  }

  /** Answers requests until the client leaves, or sends a line that is not a request. */
  private void answerAll(JsonLineChannel lines) throws IOException {
    try {
      Optional<ObjectNode> request;
      while ((request = lines.read(limits.idle(), limits.line())).isPresent()) {
        answer(request.get(), lines);
      }
    } catch (Failure e) {
      error(lines, e);
    }
  }

  private void answer(ObjectNode request, JsonLineChannel lines) throws IOException {
    Thread mine = Thread.currentThread();
    answering.add(mine);
    try {
      List<ObjectNode> answer = new ArrayList<>(handler.handle(request));
      answer.add(Json.object().put("end", true));
      lines.write(answer, limits.write());
    } catch (IOException e) {
      throw e;
    } catch (InterruptedException e) {
      error(lines, new Failure(ExitCode.BUSY, "the daemon is stopping"));
    } catch (Throwable e) {
      ExitCode code = ErrorReporter.codeOf(e);
      if (code == ExitCode.INTERNAL) {
        LOG.error("a request failed", e);
      }
      String fault = code == ExitCode.INTERNAL ? ErrorReporter.summary(e) : e.getMessage();
      error(lines, new Failure(code, fault));
    } finally {
      answering.remove(mine);
    }
  }

  private void error(JsonLineChannel lines, Failure e) throws IOException {
    ObjectNode told = Json.object().put("error", e.getMessage()).put("code", e.code().number());
    lines.write(List.of(told), limits.write());
  }

  public int clients() {
    return clients.get();
  }

  /** Removes the socket, accepts no more clients, and cancels running requests. */
  public void refuse() throws IOException {
    if (server.isOpen()) {
      server.close();
      Files.deleteIfExists(path);
      // Interrupts each thread only once, because a second interrupt could hit a thread that is
      // writing.
      answering.forEach(Thread::interrupt);
    }
  }

  /** Waits a few seconds for running requests, then closes all connections. */
  @Override
  public void close() throws IOException {
    refuse();
    long deadline = System.nanoTime() + LAST_ANSWERS.toNanos();
    while (!answering.isEmpty() && System.nanoTime() - deadline < 0) {
      LockSupport.parkNanos(1_000_000);
    }
    for (SocketChannel channel : open) {
      channel.close();
    }
  }

  /**
   * Limits of the server: number of clients at the same time, bytes of a request, time between two
   * requests of a client, time from a request's first byte to its last, and time that a client
   * takes to read a reply.
   */
  public record ControlLimits(
      int clients, int lineBytes, Duration idle, Duration line, Duration write) {
    public static final ControlLimits USUAL =
        new ControlLimits(
            256, 1 << 20, Duration.ofMinutes(5), Duration.ofSeconds(10), Duration.ofSeconds(10));
  }
}
