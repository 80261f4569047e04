/* Transfers between accounts, each with a lock. Two of the ten clerks lock in the wrong order. */
#define N 10
byte lock[N], done[N];

proctype clerk(byte me; byte a; byte b)
{
    byte i;
    do
    :: i < 4 ->
       atomic { lock[a] == 0 -> lock[a] = me + 1 };
       done[a] = (done[a] + 1) % 7;
       atomic { lock[b] == 0 -> lock[b] = me + 1 };
       done[b] = (done[b] + 1) % 7;
       lock[b] = 0;
       lock[a] = 0;
       i++
    :: i == 4 -> break
    od
}

init
{
    atomic {
        run clerk(0, 0, 1); run clerk(1, 1, 2); run clerk(2, 2, 3); run clerk(3, 3, 4); run clerk(4, 4, 5);
        run clerk(5, 5, 6); run clerk(6, 6, 7); run clerk(7, 7, 8); run clerk(8, 8, 9); run clerk(9, 5, 4)
    }
}
