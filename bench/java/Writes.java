import java.lang.management.ManagementFactory;

/** Writes to a field, or calls a method, so many times; prints the processor's nanoseconds for each. */
public class Writes {
    static int shared;
    int own;

    static void call() {}

    public static void main(String[] args) {
        int count = Integer.parseInt(args[1]);
        Writes writes = new Writes();
        var threads = ManagementFactory.getThreadMXBean();
        long start = threads.getCurrentThreadCpuTime();
        switch (args[0]) {
            case "static" -> {
                for (int i = 0; i < count; i++) {
                    shared = i & 1023;
                }
            }
            case "own" -> {
                for (int i = 0; i < count; i++) {
                    writes.own = i & 1023;
                }
            }
            case "call" -> {
                for (int i = 0; i < count; i++) {
                    call();
                }
            }
            default -> throw new IllegalArgumentException(args[0]);
        }
        long end = threads.getCurrentThreadCpuTime();
        System.out.println((end - start) / (double) count);
    }
}
