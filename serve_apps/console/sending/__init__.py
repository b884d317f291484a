"""From a tenant's upload to the engine's job and back."""
