"""Cost of the simulator beside ns-2 and ns-3: the courses that all three run, and their speed."""
