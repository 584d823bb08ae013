/** Many objects, most of which are garbage at once. */
public class Garbage {
    int used;
    boolean isClosed;

    void use() {
        used = 1;
        isClosed = true;
    }

    public static void main(String[] args) throws Exception {
        int count = Integer.parseInt(args[0]);
        for (int index = 1; index <= count; index++) {
            new Garbage().use();
            if (index % 5000 == 0) {
                System.gc();
                Thread.sleep(20);
            }
        }
    }
}
