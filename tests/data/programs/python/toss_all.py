# expect: violated assertion
import isospin

coins = [isospin.toss(2) for _ in range(3)]
assert coins != [1, 0, 1]
