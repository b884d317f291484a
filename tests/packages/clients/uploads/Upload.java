import java.io.BufferedReader;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Uploads with java.net.http.HttpClient, one per line of the input. */
public class Upload {
    private static final int PATIENCE_S = 20;

    public static void main(String[] arguments) throws Exception {
        HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] words = line.split("\t");
            long cut = Long.parseLong(words[5]);
            HttpRequest request = HttpRequest.newBuilder(URI.create(words[0]))
                .header("X-API-Key", words[1])
                .header("Content-Type", words[2])
                .expectContinue(words[4].contains("expect"))
                .POST(body(Path.of(words[3]), words[4].contains("chunked"), cut))
                .build();
            try {
                System.out.println(
                    client.sendAsync(request, BodyHandlers.discarding()).get(PATIENCE_S, TimeUnit.SECONDS).statusCode());
            } catch (TimeoutException error) {
                System.out.println("hangs");
            } catch (ExecutionException error) {
                System.out.println(cut > 0 ? "cut" : error.getCause().toString());
            }
        }
        System.exit(0);
    }

    static BodyPublisher body(Path file, boolean chunked, long cut) throws IOException {
        long size = Files.size(file);
        if (!chunked && cut == 0) {
            return BodyPublishers.ofFile(file);
        }
        BodyPublisher parts = BodyPublishers.ofInputStream(() -> open(file, cut));
        return chunked ? parts : BodyPublishers.fromPublisher(parts, size);
    }

    static InputStream open(Path file, long cut) {
        try {
            return new FilterInputStream(Files.newInputStream(file)) {
                long taken = 0;

                @Override
                public int read(byte[] target, int start, int length) throws IOException {
                    if (cut > 0 && taken >= cut) {
                        throw new IOException("cut");
                    }
                    int count = super.read(target, start, length);
                    taken += Math.max(0, count);
                    return count;
                }
            };
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }
}
