package dev.helixbg.daemon.watch;

import dev.helixbg.config.files.PrivateFiles;
import dev.helixbg.daemon.kb.Kb;
import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports possible changes of KBs (hints), by inotify. A thread sleeps in the kernel, at no cost,
 * until a file changes in the folder of a KB.
 *
 * <p>Used on Linux only. On other systems, the JDK would read each folder repeatedly, which costs
 * more than checking one file.
 */
public final class InotifyWatcher implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(InotifyWatcher.class);

  /** Time after an event during which all further events become part of the same hint. */
  static final Duration TOGETHER = Duration.ofMillis(100);

  private static final WatchEvent.Kind<?>[] KINDS = {
    StandardWatchEventKinds.ENTRY_CREATE,
    StandardWatchEventKinds.ENTRY_MODIFY,
    StandardWatchEventKinds.ENTRY_DELETE
  };

  /** Called when the log of any KB may have changed. It must return soon. */
  private final Runnable changed;

  /**
   * Source of events; null until a folder is watched. The watcher's monitor guards this field and
   * the fields {@link #closed} and {@link #complained}.
   */
  private WatchService service;

  private boolean closed;
  private boolean complained;

  public InotifyWatcher(Runnable changed) {
    this.changed = changed;
  }

  /** Returns whether this system can report changes of folders. */
  public static boolean areThere() {
    return System.getProperty("os.name").equals("Linux");
  }

  /**
   * Watches the folder of a KB, and returns whether changes of the folder will be reported. If
   * another folder has since replaced this one, a further call watches the new folder.
   */
  public synchronized boolean follow(Kb kb) {
    // If the log is a link, the link's target is in another folder.
    if (closed || !areThere() || Files.isSymbolicLink(kb.dataLog())) {
      return false;
    }
    try {
      kb.folder().register(service(), KINDS); // does nothing if the folder is registered already
      return true;
    } catch (IOException e) { // the folder is missing, or the user's limit of watches is reached
      if (!complained && Files.isDirectory(kb.folder())) {
        complained = true;
        LOG.info(
            "the system cannot report changes of files, so the daemon checks the logs itself: {}",
            PrivateFiles.reason(e));
      }
    }
    return false;
  }

  private WatchService service() throws IOException {
    if (service == null) {
      WatchService opened = FileSystems.getDefault().newWatchService();
      Thread.ofVirtual().name("hints").start(() -> listen(opened));
      service = opened;
    }
    return service;
  }

  private void listen(WatchService from) {
    try {
      while (true) {
        WatchKey first = from.take();
        Thread.sleep(TOGETHER);
        boolean hint = false;
        for (WatchKey key = first; key != null; key = from.poll()) {
          hint |= isHint(key);
        }
        if (hint) {
          changed.run();
        }
      }
    } catch (ClosedWatchServiceException | InterruptedException e) {
      LOG.debug("no more reports of changes: {}", e.toString());
    } catch (Throwable e) {
      LOG.warn("changes are no longer reported until the daemon registers the folders again", e);
      forget(from);
    }
  }

  /** Closes a service; the next {@link #follow} opens a new service. */
  private synchronized void forget(WatchService broken) {
    service = null;
    try {
      broken.close();
    } catch (IOException e) {
      LOG.debug("the watch was not closed", e);
    }
  }

  /**
   * Returns whether a log may have changed, or a folder has gone. Also makes the key ready for more
   * events.
   */
  private static boolean isHint(WatchKey key) {
    boolean log = false;
    for (WatchEvent<?> event : key.pollEvents()) {
      log |=
          event.kind() == StandardWatchEventKinds.OVERFLOW
              || event.context() instanceof Path name && name.endsWith(Kb.DATA_LOG);
    }
    return !key.reset() || log;
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (service != null) {
      forget(service);
    }
  }
}
