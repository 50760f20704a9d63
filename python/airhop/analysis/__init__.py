"""Post-processing of traces: places, delays, notices, causes of losses, and ELN filters for a link."""
