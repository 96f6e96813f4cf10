package dev.helixbg.insight.pairs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.text.Normalizer;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the differences because of which two texts are not called the same. */
class MeaningDifferenceTest {
  private static final String LONG = "The shed has a lamp and a bench. ".repeat(40);

  static Stream<String> languages() throws Exception {
    try (Stream<Path> files = Files.list(Path.of("src/test/resources/related"))) {
      return files.map(Path::toString).sorted().toList().stream();
    }
  }

  @ParameterizedTest
  @MethodSource("languages")
  void everyEditInEightLanguagesDiffersWhereverItStands(String file) throws Exception {
    String note = "";
    int edits = 0;
    for (String line : Files.readAllLines(Path.of(file))) {
      String[] row = line.split("\t");
      if (row[0].equals("note")) {
        note = row[1];
      } else if (row.length == 3) {
        String edited = note.replaceFirst(Pattern.quote(row[1]), row[2]);
        assertTrue(MeaningDifference.of(note, edited).edit(), edited);
        assertTrue(MeaningDifference.of(edited, note).edit(), edited);
        assertTrue(MeaningDifference.of(note + "\n" + LONG, edited + "\n" + LONG).edit(), edited);
        assertFalse(MeaningDifference.isNone(LONG + note, LONG + edited));
        edits++;
      }
    }
    assertTrue(edits >= 20);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "the code is 4711 | the code is 9932 | numbers: 4711, 9932",
        "the code is ٣ | the code is ٤ | numbers: ٣, ٤",
        "it takes 1.5 kg | it takes 15 kg | numbers: 1.5, 15",
        "it is at -5 degrees | it is at 5 degrees | numbers: -5, 5",
        "it lives in /etc/mail.conf | it lives in /etc/main.conf | identifiers: mail.conf,"
            + " main.conf",
        "the guard is on | the guard is not on | words: not",
        "it must not be moved | it may be moved | words: must, may",
        "red is the signal | the signal is red | order: red",
        "二時に開始します | 三時に開始します | words: 二, 三",
        "the price is €5 | the price is $5 | signs: €, $",
        "x < 5 is the bound | x > 5 is the bound | signs: <, >",
        "~~the rule holds~~ | the rule holds | signs: ~~"
      })
  void whatDiffersIsTold(String one, String other, String words) {
    assertEquals(Optional.of(words), MeaningDifference.of(one, other).words());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "five | Five | ",
        "twenty | 20 | ",
        "one thousand | 1,000 | ",
        "five | Six | numbers: 5, 6",
        "twenty | Thirty | numbers: 20, 30",
        "a million | A thousand | numbers: 1000000, 1000",
        "-20 | 20 | numbers: -20, 20",
        "–20 | 20 | numbers: -20, 20",
        "1.5 | 1,5 | numbers: 1.5, 1,5",
        "€20 | $20 | signs: €, $",
        "Monday's | Friday's | words: Monday, Friday",
        "June's | July's | words: June, July"
      })
  void ofTextsWordedOtherwiseTheJudgeTellsWhatPlainWordsMean(
      String count, String otherCount, String words) {
    MeaningDifference difference =
        MeaningDifference.of(
            "Uploads give up after " + count + " failed attempts; a person starts them again.",
            otherCount + " times the worker retries a broken transfer, then someone restarts it.");
    assertEquals(Optional.ofNullable(words), difference.words());
    assertEquals(words != null && !words.startsWith("words"), difference.certain());
  }

  /** The texts are in Danish, Dutch and German, which share many words with English. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Vi har to servere for hver kunde, by for by. | Vi har servere for hver kunde, by for by.",
        "Systemet må have to servere i Aarhus for kunder. | For kunder i Aarhus må systemet have"
            + " servere.",
        "Het wachtwoord van de server is bekend. | Bekend is het wachtwoord van de server, soms.",
        "Die IT prüft den Server in der Nacht. | In der Nacht prüft IT nie den Server."
      })
  void otherLanguagesThatShareWordsWithEnglishAreNotReadAsEnglish(String one, String other) {
    assertTrue(MeaningDifference.of(one, other).certain());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "# The guard **is on**.\n\n- It isn't moved.",
        "the guard is on. It is not moved",
        "> The guard is on.\r\n> It is not moved.",
        "Ｔｈｅ guard\u00A0is on. It is\u200B not moved."
      })
  void formIsNoDifference(String form) {
    assertTrue(MeaningDifference.isNone("The guard is on. It is not moved.", form));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "the default is `-1` | the default is `1`",
        "set max_retries=-1 | set max_retries=1",
        "within [-5, 5] | within [5, 5]",
        "it is below 10^-6 | it is below 10^6",
        "it is below 10^6 | it is below 106",
        "`*/15 * * * *` | `15 * * * *`",
        "`0 * * * *` | `0 0 * * *`",
        "wait `base * attempt` | wait `base / attempt`",
        "wait `base * attempt` | wait `base - attempt`",
        "wait `base / attempt` | wait `base - attempt`",
        "logs are in ~/app/logs | logs are in /app/logs",
        "logs are in `/app/logs` | logs are in `app/logs`",
        "call ../tools | call ./tools",
        "call ../../tools | call ../tools",
        "react is ^18.2.0 | react is ~18.2.0",
        "react is ^18.2.0 | react is 18.2.0",
        "react is ~18.2.0 | react is 18.2.0",
        "lint src/**/*.ts | lint src/*/*.ts",
        "lint **/*.ts | lint */*.ts",
        "copy with `cp -R` | copy with `cp -r`",
        "ports 8000-8010 are open | ports 8000, 8010 are open",
        "ports 8000 – 8010 are open | ports 8000, 8010 are open",
        "it is open 9:00-12:00 | it is open 9:00, 12:00",
        "it is open 9am-12am | it is open 9am, 12am",
        "5〜10分かかる | 5、10分かかる",
        "it takes 3/4 hours | it takes 3-4 hours",
        "the timeout is .5 s | the timeout is 5 s",
        "it is –5 degrees | it is 5 degrees",
        "it is ‑5 degrees | it is 5 degrees",
        "call `_flush()` then | call `flush()` then",
        "override `__init__` | override `init`",
        "a `class_` is | a `class` is",
        "call `save!` then | call `save` then",
        "call save!(x) then | call save(x) then",
        "pass `*args` on | pass `args` on",
        "pass `**kwargs` on | pass `*kwargs` on",
        "'run `make || true`' | 'run `make | true`'",
        "the grade is A- | the grade is A",
        "the link has 10 Gb | the link has 10 GB",
        "the link has 10Gbps | the link has 10GBps",
        "die Maße im Plan | die Masse im Plan",
        "Sınır 5 | Sinir 5",
        "run `npm run test:unit` | run `npm run test-unit`",
        "branch off `release/2.4` | branch off `release-2.4`",
        "pull `r.example.com/shop/web` | pull `r.example.com:shop.web`",
        "it returns `[]` | it returns `{}`",
        "read the table `Users` | read the table `users`"
      })
  void aSignOfCodeIsNoForm(String one, String other) {
    assertFalse(MeaningDifference.isNone(one, other));
    assertTrue(MeaningDifference.of(one, other).words().isPresent());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '#',
      value = {
        "it is in **/etc/hosts** | it is in /etc/hosts",
        "it is in */etc/hosts*, really | it is in `/etc/hosts`, really",
        "the **GPT**-4 and `x`-1 | the GPT-4 and x-1",
        "**read**/`write` and \"a\"/b | read/write and a/b",
        "5%-10% of <br/> | 5% - 10% of <br />",
        "wait `base * -1` and _-5_ | wait base * -1 and -5",
        "it is on - not off | it is on — not off",
        "run `cp -R`, **now** | run cp -R, now",
        "see https://a.b/c/ | see https://a.b/c",
        "8000-8010 and 5%-10% | **8000** – `8010` and 5% - 10%",
        "use _flush_, *args* and **save!** | use flush, args and save!",
        "on Monday-Friday, A-Z | on Monday - Friday, A - Z",
        "CAFÉ ΟΔΟΣ MAẞE İzin | café οδος Maße izin",
        "10 GB in 5 Min | 10 gb in 5 min"
      })
  void markupAroundASignIsForm(String one, String other) {
    assertTrue(MeaningDifference.isNone(one, other));
  }

  @Test
  void markersOfListsAreForm() {
    assertTrue(MeaningDifference.isNone("from 8000 -\r\n8010", "from\n8000 - 8010"));
    String list = "Rules:\n\n* on\n  * -5 off\n\n* * *\n";
    assertTrue(MeaningDifference.isNone(list, list.replace('*', '-')));
    assertTrue(MeaningDifference.isNone(list, "Rules: on, -5 off"));
  }

  @Test
  void composedAndDecomposedFormsAreOne() {
    String text = "Der Müller prüft die Schlösser.";
    assertTrue(MeaningDifference.isNone(text, Normalizer.normalize(text, Normalizer.Form.NFD)));
    assertFalse(MeaningDifference.isNone("...", "!!"));
    assertEquals(
        Optional.of("large parts of both texts"),
        MeaningDifference.of("a ".repeat(3_000), "b ".repeat(3_000)).words());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Rebase feature branches before merging. | Rebase feature branches after merging.",
        "Prefer composition over inheritance. | Prefer inheritance over composition.",
        "Copy the secrets from vault to the cluster. | Copy the secrets from the cluster to vault.",
        "The queue drops messages when it is full. | The queue keeps messages when it is full.",
        "The guard is on. | The guard is not on.",
        "The flag for checkout is enabled in production. | In production, checkout's flag is"
            + " disabled."
      })
  void aWordThatReversesAFactForbidsToCallTheFactsTheSame(String one, String other) {
    assertTrue(MeaningDifference.of(one, other).objection().isPresent());
    assertTrue(MeaningDifference.of(other, one).objection().isPresent());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Use mvnd for local builds. | Use mvnd for the local build.",
        "Run the tests with `make test`. | Run the tests with `make test` on each push.",
        "Die Tests laufen nachts auf dem Server. | Jede Nacht prüft der Server alles.",
        "Uploads give up after five attempts. | Five times the worker tries a broken upload again."
      })
  void aDetailOrOtherWordingDoesNot(String one, String other) {
    assertEquals(Optional.empty(), MeaningDifference.of(one, other).objection());
    assertEquals(Optional.empty(), MeaningDifference.of(other, one).objection());
  }
}
