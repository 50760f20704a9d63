"""Speed of the simulator compared with ns-2 and ns-3, on courses that all three simulate."""
