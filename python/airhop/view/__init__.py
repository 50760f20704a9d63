"""`airhop view`: a local web page with sliders, and figures that show the results after each change."""
