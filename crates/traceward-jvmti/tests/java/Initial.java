/** Static initialisers, of a class that is used late, too. */
public class Initial {
    static int low = 5;
    static int high = 10;
    static int touched;

    static class Late {
        static int value = 1;

        static {
            value = 2;
            value = 3;
        }

        static void use() {
            value = 4;
        }
    }

    public static void main(String[] args) {
        touched = 1;
        if (args.length > 0) {
            Late.use();
        }
    }
}
