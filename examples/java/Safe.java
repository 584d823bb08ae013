/** Two clerks and a safe. One at a time, the rule says. */
public class Safe {
    static boolean first;
    static boolean second;

    static void open(boolean isFirst) {
        if (isFirst) {
            first = true;
        } else {
            second = true;
        }
    }

    static void close() {
        first = false;
        second = false;
    }

    public static void main(String[] args) {
        open(true);
        close();
        open(false);
        open(true);
        close();
        System.out.println("closed for today");
    }
}
