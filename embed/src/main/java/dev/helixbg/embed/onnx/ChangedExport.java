package dev.helixbg.embed.onnx;

import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Writes a copy of an exported model in which something was added to some weights. */
public final class ChangedExport {
  private static final String WEIGHT = ".weight";

  /**
   * What is added to a weight [rows, columns], or [columns] where there is one row: of each column
   * its scale times its steps.
   *
   * @param name as PyTorch calls it; an export keeps the names of biases only, and a matrix is
   *     known by its bias
   * @param scales by column
   * @param steps row after row
   */
  public record Change(String name, int rows, float[] scales, byte[] steps) {
    public Change {
      if (rows < 1 || steps.length != (long) rows * scales.length) {
        throw new IllegalArgumentException(name + " has other steps than rows and columns");
      }
    }
  }

  /** Where a changed weight lies in the file. */
  private record Place(Span span, Change change) {}

  private ChangedExport() {}

  /**
   * @throws OnnxFormatException when the source has no such weights, or two changes mean the same
   */
  public static void write(OnnxFile source, List<Change> changes, OutputStream out)
      throws IOException {
    List<Place> places = new ArrayList<>();
    Set<Long> starts = new HashSet<>();
    for (Change change : changes) {
      OnnxFile.Tensor tensor = tensor(source, change);
      if (!starts.add(tensor.data().start())) {
        throw new OnnxFormatException("the weight " + change.name() + " is changed twice");
      }
      places.add(new Place(tensor.data(), change));
    }
    places.sort(Comparator.comparingLong(place -> place.span().start()));
    try (RandomAccessFile in = new RandomAccessFile(source.path().toFile(), "r")) {
      long at = 0;
      for (Place place : places) {
        new Span(at, place.span().start()).copy(in, out);
        out.write(changed(in, place));
        at = place.span().end();
      }
      new Span(at, in.length()).copy(in, out);
    }
  }

  private static OnnxFile.Tensor tensor(OnnxFile source, Change change) throws OnnxFormatException {
    String name = change.name();
    if (change.rows() == 1) {
      return source.weight(name, change.scales().length);
    }
    if (!name.endsWith(WEIGHT)) {
      throw new OnnxFormatException("the matrix " + name + " has another name than matrices have");
    }
    String stem = name.substring(0, name.length() - WEIGHT.length());
    return source.weight(
        source.matrixOfBias(stem + ".bias"), change.rows(), change.scales().length);
  }

  private static byte[] changed(RandomAccessFile in, Place place) throws IOException {
    byte[] bytes = new byte[Math.toIntExact(place.span().size())];
    in.seek(place.span().start());
    in.readFully(bytes);
    ByteBuffer values = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    float[] scales = place.change().scales();
    byte[] steps = place.change().steps();
    for (int i = 0; i < steps.length; i++) {
      int offset = i * Float.BYTES;
      values.putFloat(offset, values.getFloat(offset) + scales[i % scales.length] * steps[i]);
    }
    return bytes;
  }
}
