"""Is a run accepted: held against thresholds, and against an earlier run by the rule of when two figures differ."""
