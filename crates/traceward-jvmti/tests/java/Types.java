/** A field of each type. */
public class Types {
    enum Mode {
        IDLE,
        BUSY {
            @Override
            public String toString() {
                return "not the name";
            }
        }
    }

    static boolean z;
    static byte b;
    static short s;
    static char c;
    static int i;
    static long l;
    static float f;
    static double d;
    static String text;
    static Mode mode;
    static Object any;
    static int[] array = {1};

    public static void main(String[] args) {
        z = true;
        b = -128;
        s = -32768;
        c = '\u00e9';
        i = Integer.MIN_VALUE;
        l = 9007199254740993L;
        f = 0.5f;
        d = Double.NaN;
        d = 0.1;
        text = "Gr\u00fc\u00dfe \ud83d\ude00";
        mode = Mode.BUSY;
        any = "a string";
        any = Mode.IDLE;
        text = null;
        mode = null;
        if (args.length > 0) {
            any = new java.util.ArrayList<String>();
        }
        l = Long.MIN_VALUE;
    }
}
