package dev.helixbg.daemon;

import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystems;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.StandardOpenOption;
import java.nio.file.WatchService;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.spi.FileSystemProvider;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/**
 * The real disk, which counts file operations and makes the Nth operation fail. All operations on a
 * path from {@link #of} pass through this class, so that tested classes need no hooks. Data is not
 * synced, because the tests simulate no power failure.
 */
final class FaultyDisk extends FileSystemProvider {
  /** The fault at the Nth operation. */
  enum Fault {
    NONE,
    /** Only this operation fails. */
    ONE,
    /** A write writes only half of the bytes, and the next write finds the disk full. */
    SHORT,
    /** The disk is full from this operation on: nothing can be written or created. */
    FULL,
    /** The process dies during this operation; a write has written half of its bytes. */
    DEATH
  }

  /** Thrown by all operations after the simulated process has died. */
  static final class Dead extends Error {}

  private final FileSystemProvider real = FileSystems.getDefault().provider();
  private final FileSystem system = new Entrance();
  private final AtomicInteger done = new AtomicInteger();
  private final Set<FaultyChannel> open = ConcurrentHashMap.newKeySet();
  private volatile Fault fault = Fault.NONE;
  private volatile int at;
  private volatile boolean dead;
  private volatile boolean fullNext;
  private volatile boolean kept;

  /** Returns a path to the same file whose operations pass through this disk. */
  Path of(Path path) {
    return FaultyPath.of(path, this);
  }

  void failAt(int operation, Fault kind) {
    done.set(0);
    kept = false;
    at = operation;
    fault = kind;
  }

  /** Returns the number of operations since {@link #failAt}. */
  int operations() {
    return done.get();
  }

  /** Ends all faults, also the death of the process. Returns the number of files left open. */
  int mend() {
    fault = Fault.NONE;
    dead = false;
    fullNext = false;
    return open.size();
  }

  /** Counts an operation other than a write, and fails if its turn has come. */
  void step(Path path, boolean makes) throws IOException {
    writeStep(path, 0, makes);
  }

  /**
   * Counts a write of {@code bytes} bytes, and fails if its turn has come.
   *
   * @return number of bytes that are really written
   */
  int writeStep(Path path, int bytes, boolean writes) throws IOException {
    if (dead) {
      throw new Dead();
    }
    int now = done.getAndIncrement();
    boolean full = writes && (fullNext || (fault == Fault.FULL && now >= at));
    if (full) {
      fullNext = false;
      throw new FileSystemException(path.toString(), null, "No space left on device");
    }
    if (now != at || fault == Fault.NONE || fault == Fault.FULL) {
      return bytes;
    }
    if (fault == Fault.DEATH) {
      dead = true;
      if (bytes == 0) {
        throw new Dead();
      }
      return bytes / 2;
    }
    if (fault == Fault.SHORT && bytes > 1) {
      fullNext = true;
      return bytes / 2;
    }
    throw new FileSystemException(path.toString(), null, "Input/output error");
  }

  /** Whether a deletion since {@link #failAt} has failed, so that a file is still there. */
  boolean kept() {
    return kept;
  }

  boolean isDead() {
    return dead;
  }

  void closed(FaultyChannel channel) {
    open.remove(channel);
  }

  FileSystem system() {
    return system;
  }

  private static Path real(Path path) {
    return (Path) FaultyPath.real(path);
  }

  @Override
  public FileChannel newFileChannel(
      Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
      throws IOException {
    step(path, options.contains(StandardOpenOption.WRITE));
    Set<OpenOption> unsynced =
        options.stream()
            .filter(o -> o != StandardOpenOption.DSYNC && o != StandardOpenOption.SYNC)
            .collect(Collectors.toSet());
    FaultyChannel channel =
        new FaultyChannel(this, path, real.newFileChannel(real(path), unsynced, attributes));
    open.add(channel);
    return channel;
  }

  @Override
  public SeekableByteChannel newByteChannel(
      Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
      throws IOException {
    return newFileChannel(path, options, attributes);
  }

  @Override
  public DirectoryStream<Path> newDirectoryStream(
      Path folder, DirectoryStream.Filter<? super Path> filter) throws IOException {
    step(folder, false);
    DirectoryStream<Path> stream =
        real.newDirectoryStream(real(folder), path -> filter.accept(of(path)));
    return new DirectoryStream<>() {
      @Override
      public Iterator<Path> iterator() {
        return StreamSupport.stream(stream.spliterator(), false)
            .map(FaultyDisk.this::of)
            .iterator();
      }

      @Override
      public void close() throws IOException {
        stream.close();
      }
    };
  }

  @Override
  public void createDirectory(Path folder, FileAttribute<?>... attributes) throws IOException {
    step(folder, true);
    real.createDirectory(real(folder), attributes);
  }

  @Override
  public void createSymbolicLink(Path link, Path target, FileAttribute<?>... attributes)
      throws IOException {
    step(link, true);
    real.createSymbolicLink(real(link), real(target), attributes);
  }

  @Override
  public Path readSymbolicLink(Path link) throws IOException {
    step(link, false);
    return of(real.readSymbolicLink(real(link)));
  }

  @Override
  public void delete(Path path) throws IOException {
    try {
      step(path, false);
    } catch (IOException | Dead e) {
      kept = true;
      throw e;
    }
    real.delete(real(path));
  }

  @Override
  public void copy(Path source, Path target, CopyOption... options) throws IOException {
    step(target, true);
    real.copy(real(source), real(target), options);
  }

  @Override
  public void move(Path source, Path target, CopyOption... options) throws IOException {
    step(target, false);
    real.move(real(source), real(target), options);
  }

  @Override
  public boolean isSameFile(Path path, Path other) throws IOException {
    step(path, false);
    return real.isSameFile(real(path), real(other));
  }

  @Override
  public boolean isHidden(Path path) throws IOException {
    return real.isHidden(real(path));
  }

  @Override
  public FileStore getFileStore(Path path) throws IOException {
    step(path, false);
    return real.getFileStore(real(path));
  }

  @Override
  public void checkAccess(Path path, AccessMode... modes) throws IOException {
    step(path, false);
    real.checkAccess(real(path), modes);
  }

  @Override
  public <V extends FileAttributeView> V getFileAttributeView(
      Path path, Class<V> type, LinkOption... options) {
    V view = real.getFileAttributeView(real(path), type, options);
    InvocationHandler steps =
        (proxy, method, arguments) -> {
          step(path, false);
          try {
            return method.invoke(view, arguments);
          } catch (InvocationTargetException e) {
            throw e.getCause();
          }
        };
    return type.cast(
        Proxy.newProxyInstance(FaultyDisk.class.getClassLoader(), new Class<?>[] {type}, steps));
  }

  @Override
  public <A extends BasicFileAttributes> A readAttributes(
      Path path, Class<A> type, LinkOption... options) throws IOException {
    step(path, false);
    return real.readAttributes(real(path), type, options);
  }

  @Override
  public Map<String, Object> readAttributes(Path path, String names, LinkOption... options)
      throws IOException {
    step(path, false);
    return real.readAttributes(real(path), names, options);
  }

  @Override
  public void setAttribute(Path path, String name, Object value, LinkOption... options)
      throws IOException {
    step(path, false);
    real.setAttribute(real(path), name, value, options);
  }

  @Override
  public String getScheme() {
    return "faulty";
  }

  @Override
  public FileSystem newFileSystem(URI uri, Map<String, ?> environment) {
    throw new UnsupportedOperationException();
  }

  @Override
  public FileSystem getFileSystem(URI uri) {
    return system;
  }

  @Override
  public Path getPath(URI uri) {
    return of(Path.of(uri.getPath()));
  }

  /** File system that leads back to this disk, and has no faults itself. */
  private final class Entrance extends FileSystem {
    private final FileSystem usual = FileSystems.getDefault();

    @Override
    public FileSystemProvider provider() {
      return FaultyDisk.this;
    }

    @Override
    public void close() {}

    @Override
    public boolean isOpen() {
      return true;
    }

    @Override
    public boolean isReadOnly() {
      return false;
    }

    @Override
    public String getSeparator() {
      return usual.getSeparator();
    }

    @Override
    public Iterable<Path> getRootDirectories() {
      return usual.getRootDirectories();
    }

    @Override
    public Iterable<FileStore> getFileStores() {
      return usual.getFileStores();
    }

    @Override
    public Set<String> supportedFileAttributeViews() {
      return usual.supportedFileAttributeViews();
    }

    @Override
    public Path getPath(String first, String... more) {
      return of(usual.getPath(first, more));
    }

    @Override
    public PathMatcher getPathMatcher(String pattern) {
      PathMatcher matcher = usual.getPathMatcher(pattern);
      return path -> matcher.matches(real(path));
    }

    @Override
    public UserPrincipalLookupService getUserPrincipalLookupService() {
      return usual.getUserPrincipalLookupService();
    }

    @Override
    public WatchService newWatchService() {
      throw new UnsupportedOperationException();
    }
  }
}
