"""Operations that return documents as data: what changed, and answers to SQL."""
