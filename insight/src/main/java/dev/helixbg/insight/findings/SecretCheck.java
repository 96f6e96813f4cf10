package dev.helixbg.insight.findings;

import dev.helixbg.insight.findings.Finding.Secret;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.SecretMask;
import java.util.List;

/** Finds entries that contain a secret, recognised by its form, and masks secrets. */
public final class SecretCheck {
  private SecretCheck() {}

  /** Returns the entries that contain a secret, in order. The secrets are masked. */
  public static List<Secret> of(List<NamedEntry> entries) {
    FindingIds ids = new FindingIds();
    return entries.stream()
        .flatMap(
            named ->
                SecretMask.kindIn(named.entry().body()).stream()
                    .map(kind -> new Secret(ids.of("secret", named.key()), masked(named), kind)))
        .toList();
  }

  /** Returns the entry with its secrets masked; its key and all positions in it stay the same. */
  static NamedEntry masked(NamedEntry named) {
    Entry entry = named.entry();
    String body = SecretMask.masked(entry.body());
    return body.equals(entry.body()) ? named : named.with(entry.withBody(body));
  }
}
