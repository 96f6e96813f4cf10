package dev.helixbg.insight.judge;

import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.label.Label;
import dev.helixbg.insight.label.LabelGuess;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * What is known of a knowledge base beyond its vectors. Nothing here depends on how much was asked
 * just now and how much was remembered.
 *
 * @param model what was asked, by its file's name; empty without a model
 * @param guesses by the key of an entry; in a report every live entry has one
 * @param verdicts by the id of a pair
 * @param overlaps whether two topics are about the same, by the id of their overlap
 * @param summaries a sentence, by topic
 * @param merges proposed texts for entries that say the same, in the order of the pairs
 * @param left how much was not asked yet, by job; only jobs of which something is left
 * @param cut how many answers are about the beginning of a text only
 * @param trust how far the model can be trusted, once that was measured
 * @param agents what coding agents said
 */
public record Judgements(
    Optional<String> model,
    Map<String, LabelGuess> guesses,
    Map<String, PairVerdict> verdicts,
    Map<String, Verdict> overlaps,
    Map<String, String> summaries,
    List<Merge> merges,
    Map<QuestionKind, Integer> left,
    int cut,
    Optional<JudgeTrust> trust,
    AgentSayings agents) {

  /** Nothing is known. */
  public static final Judgements NONE =
      new Judgements(
          Optional.empty(),
          Map.of(),
          Map.of(),
          Map.of(),
          Map.of(),
          List.of(),
          Map.of(),
          0,
          Optional.empty(),
          AgentSayings.NONE);

  /**
   * A text that could stand for several entries. A proposal: no human has read it.
   *
   * @param id stable name, of content
   */
  public record Merge(String id, List<NamedEntry> entries, String text) {}

  /** The same without the merges that the user has settled. */
  public Judgements withoutMerges(Predicate<String> settled) {
    List<Merge> open = merges.stream().filter(merge -> !settled.test(merge.id())).toList();
    return new Judgements(
        model, guesses, verdicts, overlaps, summaries, open, left, cut, trust, agents);
  }

  /** The same, with other guesses where there is none. */
  public Judgements orElse(Map<String, LabelGuess> others) {
    Map<String, LabelGuess> all = new HashMap<>(others);
    all.putAll(guesses);
    return new Judgements(
        model, all, verdicts, overlaps, summaries, merges, left, cut, trust, agents);
  }

  /** The same by a model that was measured, if it was. */
  public Judgements trusted(Optional<JudgeTrust> measured) {
    return new Judgements(
        model, guesses, verdicts, overlaps, summaries, merges, left, cut, measured, agents);
  }

  /** The same with what coding agents said. */
  public Judgements with(AgentSayings said) {
    return new Judgements(
        model, guesses, verdicts, overlaps, summaries, merges, left, cut, trust, said);
  }

  /** Whether the model was measured, and its verdicts are worth little more than a coin. */
  public boolean areGuesses() {
    return trust.filter(JudgeTrust::isGuessing).isPresent();
  }

  /** The verdict on a pair, whatever kind of finding it was asked for. */
  public Optional<PairVerdict> verdict(Finding.OfTwo pair) {
    PairVerdict own = verdicts.get(pair.id());
    return own != null || verdicts.isEmpty()
        ? Optional.ofNullable(own)
        : pair.aliases().stream().map(verdicts::get).filter(Objects::nonNull).findFirst();
  }

  /**
   * What to act on: the verdict of an agent that counts, else that of the language model, else what
   * the pair judge calls likely; of a model that guesses, nothing.
   */
  public Optional<Verdict> actingOn(Finding.OfTwo pair) {
    Optional<PairVerdict> own = areGuesses() ? Optional.empty() : verdict(pair);
    return agents
        .verdict(pair)
        .or(() -> own.map(PairVerdict::verdict))
        .or(
            () ->
                pair instanceof Finding.Relation relation
                    ? relation.assessment().flatMap(said -> Verdict.of(said.tier()))
                    : Optional.empty());
  }

  /** The label that an entry has: its own tag before any guess, and none rather than a poor one. */
  public Optional<Label> label(NamedEntry entry) {
    List<Label> tagged = Label.among(entry.entry().text().tags());
    return tagged.isEmpty()
        ? Optional.ofNullable(guesses.get(entry.key()))
            .filter(LabelGuess::sure)
            .map(LabelGuess::label)
        : Optional.of(tagged.getFirst());
  }
}
