"""`airhop view`: a local page on which sliders move and the figures follow."""
