package bank;

/** Constants that compilers copy, so that this class is never initialised. */
public interface Rates {
    int LIMIT = 40;
    String NAME = "rates";
    int NONE = 0;
}
