package dev.helixbg.llm.backend;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.Callable;

/** A backend whose calls a test sees, and may answer otherwise. */
public final class InterceptedBackend {

  @FunctionalInterface
  public interface Interceptor {
    /**
     * The answer to the method of that name.
     *
     * @param usual asks the backend itself
     */
    Object answer(String method, Object[] arguments, Callable<Object> usual) throws Exception;
  }

  private InterceptedBackend() {}

  public static Backend of(Backend backend, Interceptor interceptor) {
    return (Backend)
        Proxy.newProxyInstance(
            Backend.class.getClassLoader(),
            new Class<?>[] {Backend.class},
            (proxy, method, arguments) -> {
              try {
                return interceptor.answer(
                    method.getName(), arguments, () -> method.invoke(backend, arguments));
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
