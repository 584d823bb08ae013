/** Threads that write to objects and statics without any lock, make objects and throw. */
public class Racing {
    static volatile int shared;
    int own;

    void set(int value) {
        own = value;
        if (value % 100 == 99) {
            throw new IllegalStateException();
        }
    }

    public static void main(String[] args) throws Exception {
        Thread[] threads = new Thread[4];
        for (int index = 0; index < threads.length; index++) {
            threads[index] = new Thread(() -> {
                Racing racing = new Racing();
                for (int round = 0; round < 2000; round++) {
                    try {
                        racing.set(round % 1000);
                    } catch (IllegalStateException expected) {
                        racing = new Racing();
                    }
                    if (round % 100 == 0) {
                        shared = round;
                    }
                    if (round % 500 == 0) {
                        System.gc();
                    }
                }
            });
            threads[index].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println("over");
    }
}
