"""`airhop view`: a local page with sliders, and figures that show the result of each change."""
