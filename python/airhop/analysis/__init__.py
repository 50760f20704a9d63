"""Post-processing of traces: positions, delays, notices, causes of losses, and ELN filters for a link."""
