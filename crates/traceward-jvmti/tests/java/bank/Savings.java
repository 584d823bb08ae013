package bank;

/** A subclass: what it inherits is watched, too. */
public class Savings extends Account implements Rates {
    double rate = 0.5;

    Savings(int balance) {
        super(balance);
        rate = 1.5;
    }

    static class Nested {
        static int depth;
    }

    public static void main(String[] args) {
        Account plain = new Account(1);
        Savings savings = new Savings(7);
        plain.withdraw(100);
        savings.withdraw(3);
        Nested.depth = 2;
    }
}
