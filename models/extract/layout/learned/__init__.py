"""Shared parts of learned decisions: boosted trees and their evaluation."""
