package dev.helixbg.llm.backend;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.Callable;

/** A backend whose calls a test receives first. The test may return other results. */
public final class InterceptedBackend {

  @FunctionalInterface
  public interface Interceptor {
    /**
     * Returns the result of a call of a method.
     *
     * @param usual calls the method of the intercepted backend
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
