package dev.helixbg.daemon.cli.engine;

import dev.helixbg.daemon.terminal.Console;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.llm.BackendAgreement;

/** Prints how far two backends agree. */
final class AgreementLines {
  private AgreementLines() {}

  static void print(Console console, BackendAgreement agreement) {
    console.note(
        "check     differences as shares of the largest value at each place; %s",
        agreement.sameToken() ? "same next token" : "ANOTHER NEXT TOKEN");
    for (BackendAgreement.Parting place : agreement.places()) {
      console.note(
          "          layer %3d  %-16s off by %.1e",
          place.layer(), Json.word(place.tap()), place.difference());
    }
    agreement
        .firstParting()
        .ifPresent(
            parting ->
                console.note(
                    "          layer %d is the first to part, in its %s: off by %.1e of the largest"
                        + " (value %d of token %d: %.6g here, %.6g there)",
                    parting.layer(),
                    Json.word(parting.tap()),
                    parting.difference(),
                    parting.column(),
                    parting.row(),
                    parting.actual(),
                    parting.expected()));
  }
}
