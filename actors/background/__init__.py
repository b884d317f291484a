"""Background work: housekeeping chores, the webhook dispatcher, and several loops as one worker."""
