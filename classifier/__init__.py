"""Optional opinions: question packs, transport, System One, chat, local encoder."""
