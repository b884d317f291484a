"""Outlook messages (.msg) and the attachments of Exchange (winmail.dat)."""
