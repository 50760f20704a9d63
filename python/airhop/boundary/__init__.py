"""What comes in from outside and is not to be trusted: arguments, kinds of files, words of a shell."""
