"""Yun 2009: cross-layer explicit link status notification (EURASIP JWCN 2009, 617818)."""
