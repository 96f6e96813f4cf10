package dev.helixbg.daemon.mcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.daemon.mcp.McpResources.TextPages;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Long texts in pages. */
class TextPagesTest {

  @Test
  void togetherTheyAreTheTextAndNoneIsTooLong() {
    Random random = new Random(1);
    for (int i = 0; i < 200; i++) {
      StringBuilder text = new StringBuilder();
      int longest = 1 + random.nextInt(60_000);
      while (text.length() < 150_000) {
        text.append(random.nextInt(5) == 0 ? "# " : "")
            .append("\uD83D\uDE00".repeat(random.nextInt(longest) / 2))
            .append("x\n");
      }
      List<String> pages = TextPages.of(text.toString());
      assertEquals(text.toString(), String.join("", pages));
      for (String page : pages) {
        assertTrue(!page.isEmpty() && page.length() <= TextPages.SIZE);
        assertTrue(!Character.isLowSurrogate(page.charAt(0)), "a torn pair");
      }
    }
  }

  @Test
  void theyBeginWithHeadingsWhereTheyCan() {
    String section = "## A finding\n" + "text\n".repeat(300);
    List<String> pages = TextPages.of(section.repeat(30));
    assertTrue(pages.size() > 2);
    assertTrue(pages.stream().allMatch(page -> page.startsWith("## ")), "begins elsewhere");
    assertEquals(List.of("short"), TextPages.of("short"));
    assertEquals(List.of(""), TextPages.of(""));
  }
}
