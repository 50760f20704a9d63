"""Laws of 802.11n, ac and ax: MPDUs and A-MPDUs, Block Ack, and the slots of EDCA."""
