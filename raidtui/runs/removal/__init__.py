"""Whether another worker's result may be removed, and the consent for it."""
