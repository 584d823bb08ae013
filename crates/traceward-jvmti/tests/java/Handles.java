import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** A field that is written by an assignment, and one that is written by a handle. */
public class Handles {
    static int seen;
    static int unseen;

    public static void main(String[] args) throws Exception {
        seen = 1;
        VarHandle handle = MethodHandles.lookup().findStaticVarHandle(Handles.class, "unseen", int.class);
        handle.set(2);
    }
}
