package bank;

/** Accounts, of which some are overdrawn. */
public class Account {
    static int limit = 100;
    protected int balance = 10;
    private boolean isOpen;

    Account(int balance) {
        this.balance = -1;
        this.isOpen = true;
        set(balance);
    }

    private void set(int balance) {
        this.balance = balance;
    }

    void withdraw(int amount) {
        balance -= amount;
    }

    void close() {
        isOpen = false;
    }

    public static void main(String[] args) {
        Account[] accounts = new Account[5];
        for (int index = 0; index < accounts.length; index++) {
            accounts[index] = new Account(index);
        }
        for (Account account : accounts) {
            account.withdraw(2);
        }
        limit = 2;
        accounts[4].withdraw(0);
        accounts[3].close();
    }
}
