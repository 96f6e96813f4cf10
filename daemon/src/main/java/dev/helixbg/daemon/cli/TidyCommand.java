package dev.helixbg.daemon.cli;

import dev.helixbg.config.Settings;
import dev.helixbg.daemon.cli.flags.Declaration;
import dev.helixbg.daemon.cli.flags.GlobalOptions;
import dev.helixbg.daemon.cli.flags.KbOption;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbStores;
import dev.helixbg.daemon.tidy.ActRun;
import dev.helixbg.daemon.tidy.TidyTerminal;
import dev.helixbg.embed.EmbeddingModel;
import java.io.IOException;

public final class TidyCommand extends ConsoleCommand {
  private final KbOption kb = KbOption.withArgument();

  @Override
  protected void declare(Declaration to) {
    to.description(
        "Go through the findings one by one, at a terminal, and decide on each.",
        "The program helix (the setting helix.command, else helix on PATH) makes the edits of a"
            + " knowledge base. With --notes, helix-bg itself edits memory files, and moves exact"
            + " copies to the trash; you make all other edits in your own editor. helix-bg changes"
            + " nothing before you press Enter on a page that lists the changes.");
    to.add(options, kb);
  }

  @Override
  protected void run() throws IOException, InterruptedException {
    interruption.waitAtMost(ActRun.LONGEST);
    Settings settings = options.load().settings();
    Kb chosen = kb.find(settings);
    TidyTerminal.Summary summary;
    try (KbStores stores = stores(settings)) {
      ActRun acts = new ActRun(stores.of(chosen), settings, EmbeddingModel.locate(settings).id());
      summary =
          TidyTerminal.run(
              acts,
              new TidyTerminal.World(
                  System.getenv(),
                  GlobalOptions.locations(),
                  GlobalOptions.daemon(),
                  console.colour(),
                  console.coloured()));
    }
    summary.halfDone().forEach(part -> part.lines().forEach(line -> console.note("%s", line)));
    console.say(
        "%d done, %d dismissed, %d left%s",
        summary.done(),
        summary.dismissed(),
        summary.left(),
        summary.left() == 0 ? "" : "; go on with: helix-bg tidy" + kb.again());
    if (summary.isInterrupted()) {
      throw new InterruptedException();
    }
  }
}
