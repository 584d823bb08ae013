/** Two processes and a critical section, which both enter in the end. */
public class Mutex {
    static boolean first;
    static boolean second;
    static int rounds;

    static void enter(boolean isFirst) {
        if (isFirst) {
            first = true;
        } else {
            second = true;
        }
    }

    static void leave() {
        first = false;
        second = false;
    }

    public static void main(String[] args) {
        for (int round = 0; round < 3; round++) {
            rounds = round + 1;
            enter(round % 2 == 0);
            leave();
        }
        enter(true);
        if (args.length == 0) {
            enter(false);
        }
        System.out.println("after");
    }
}
