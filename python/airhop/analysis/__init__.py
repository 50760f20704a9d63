"""What the tables of a run tell: places, delays, notices, and causes of losses; and what fits a link."""
