"""Parts that the commands share: the application, the output, and the restart in namespaces."""
