package dev.helixbg.daemon;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The packages of all modules in reading order. A class may use only its own package, earlier
 * packages of its module, and other modules that its module may use.
 */
final class ReadingOrder extends ArchCondition<JavaClass> {
  private static final String PROGRAM = "dev.helixbg";

  /**
   * @param uses names of the modules that this module may use
   * @param packages packages in reading order, without the module's name; {@code "."} is the
   *     package with the module's name alone
   */
  record Module(String name, List<String> uses, List<String> packages) {
    private List<String> fullNames() {
      String base = PROGRAM + "." + name;
      return packages.stream().map(p -> p.equals(".") ? base : base + "." + p).toList();
    }
  }

  private final List<Module> modules;

  ReadingOrder(List<Module> modules) {
    super("only use packages before their own");
    this.modules = modules;
  }

  /** Returns packages that are in no list, and listed packages without classes. */
  Set<String> mistakes(Iterable<JavaClass> classes) {
    Set<String> there = new TreeSet<>();
    classes.forEach(c -> there.add(c.getPackageName()));
    Set<String> listed = new LinkedHashSet<>();
    modules.forEach(module -> listed.addAll(module.fullNames()));
    Set<String> mistakes = new TreeSet<>();
    there.stream()
        .filter(p -> !listed.contains(p))
        .forEach(p -> mistakes.add(p + " is not listed"));
    listed.stream().filter(p -> !there.contains(p)).forEach(p -> mistakes.add(p + " is not there"));
    return mistakes;
  }

  @Override
  public void check(JavaClass user, ConditionEvents events) {
    for (Dependency dependency : user.getDirectDependenciesFromSelf()) {
      String used = dependency.getTargetClass().getBaseComponentType().getPackageName();
      if (used.startsWith(PROGRAM + ".") && !mayUse(user.getPackageName(), used)) {
        events.add(SimpleConditionEvent.violated(user, dependency.getDescription()));
      }
    }
  }

  private boolean mayUse(String user, String used) {
    for (Module module : modules) {
      List<String> packages = module.fullNames();
      if (packages.contains(user)) {
        int place = packages.indexOf(used);
        return place >= 0
            ? place <= packages.indexOf(user)
            : modules.stream()
                .filter(other -> module.uses().contains(other.name()))
                .anyMatch(other -> other.fullNames().contains(used));
      }
    }
    return false;
  }
}
