package dev.helixbg.daemon;

import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.Arrays;

/** Handles the calls to a path whose file is read and written through a {@link FaultyDisk}. */
record FaultyPath(Path real, FaultyDisk disk) implements InvocationHandler {
  static Path of(Path real, FaultyDisk disk) {
    ClassLoader loader = FaultyPath.class.getClassLoader();
    Class<?>[] types = {Path.class};
    return (Path) Proxy.newProxyInstance(loader, types, new FaultyPath(real, disk));
  }

  /** Returns the path on the real disk; returns anything else as it is. */
  static Object real(Object any) {
    return any instanceof Path && Proxy.isProxyClass(any.getClass())
        ? ((FaultyPath) Proxy.getInvocationHandler(any)).real
        : any;
  }

  @Override
  public Object invoke(Object path, Method method, Object[] arguments) throws Throwable {
    switch (method.getName()) {
      case "getFileSystem":
        return disk.system();
      case "register":
        throw new UnsupportedOperationException();
      case "toRealPath":
        disk.step(real, false);
        break;
      case "toFile": // for code that reads through streams of java.io
        try {
          disk.step(real, false);
          return real.toFile();
        } catch (IOException e) {
          return real.resolve("unreadable").toFile(); // during a fault, it does not exist
        }
      default:
        if (method.isDefault()) { // it calls the other methods
          return InvocationHandler.invokeDefault(path, method, arguments);
        }
    }
    try {
      Object[] own =
          arguments == null ? null : Arrays.stream(arguments).map(FaultyPath::real).toArray();
      Object result = method.invoke(real, own);
      return result instanceof Path found ? of(found, disk) : result;
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
