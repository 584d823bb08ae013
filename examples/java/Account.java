/** Accounts, each with a life of its own. */
public class Account {
    static int limit = 50;

    private final String owner;
    private int balance;

    Account(String owner, int balance) {
        this.owner = owner;
        this.balance = balance;
    }

    void withdraw(int amount) {
        balance -= amount;
    }

    public static void main(String[] args) {
        Account ada = new Account("Ada", 100);
        Account bob = new Account("Bob", 20);
        ada.withdraw(70);
        bob.withdraw(60);
        limit = 30;
    }
}
