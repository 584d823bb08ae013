/** A class that only a loader of its own finds. */
public class Plugin {
    static int loaded = 7;

    public static void run() {
        loaded = 8;
    }
}
