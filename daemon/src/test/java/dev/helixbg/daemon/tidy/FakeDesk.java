package dev.helixbg.daemon.tidy;

import dev.helixbg.daemon.terminal.Failure;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

final class FakeDesk implements Desk {
  final List<String> copied = new ArrayList<>();
  final List<List<Path>> edited = new ArrayList<>();
  private final Trash trash;

  Editor editor = files -> {};

  Supplier<Helix> helix;

  interface Editor {
    void edit(List<Path> files) throws IOException;
  }

  FakeDesk(Supplier<Helix> helix, Path trash) {
    this.helix = helix;
    this.trash = new Trash(trash, false);
  }

  @Override
  public Optional<Path> helix() {
    return Optional.ofNullable(helix).map(_ -> Path.of("/usr/bin/helix"));
  }

  @Override
  public Helix startHelix() {
    return Optional.ofNullable(helix).orElseThrow(() -> Failure.usage("no helix")).get();
  }

  @Override
  public void working(String words) {}

  @Override
  public void decided() {}

  @Override
  public void copy(String text) {
    copied.add(text);
  }

  @Override
  public Optional<String> edit(List<Path> files) throws IOException {
    edited.add(files);
    editor.edit(files);
    return Optional.empty();
  }

  @Override
  public Trash trash() {
    return trash;
  }
}
