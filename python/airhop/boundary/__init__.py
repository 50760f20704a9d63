"""Checks of untrusted input: arguments, kinds of files, words of a shell."""
