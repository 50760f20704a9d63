"""Settings of all Python tests."""

from hypothesis import settings

# No deadline: a busy machine is no failure. The same examples every time: a failure is everybody's.
settings.register_profile("airhop", deadline=None, derandomize=True)
settings.load_profile("airhop")
