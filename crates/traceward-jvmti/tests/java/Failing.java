/** Exceptions: in a method, and in a constructor. */
public class Failing {
    static int depth;
    int size;

    Failing(int size) {
        this.size = -1;
        if (size < 0) {
            throw new IllegalArgumentException();
        }
        this.size = size;
    }

    static void work(int n) {
        while (n > 0) {
            depth = n;
            n--;
            if (n == 5) {
                throw new IllegalStateException();
            }
        }
    }

    static int recurse(int n) {
        return n == 0 ? 0 : 1 + recurse(n - 1);
    }

    public static void main(String[] args) {
        work(3);
        try {
            work(7);
        } catch (IllegalStateException expected) {
            depth = -1;
        }
        recurse(2);
        try {
            new Failing(-1);
        } catch (IllegalArgumentException expected) {
            depth = -2;
        }
        new Failing(3).size = 4;
    }
}
