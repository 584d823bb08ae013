/** Threads that write under a lock, and count. */
public class Threads {
    static int inside;
    static int total;

    public static void main(String[] args) throws Exception {
        Thread[] threads = new Thread[4];
        for (int index = 0; index < threads.length; index++) {
            threads[index] = new Thread(() -> {
                for (int round = 0; round < 500; round++) {
                    synchronized (Threads.class) {
                        inside++;
                        total++;
                        inside--;
                    }
                }
            });
            threads[index].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println(total);
    }
}
