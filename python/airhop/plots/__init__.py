"""Figures for print (matplotlib) and for the terminal, in one look."""
