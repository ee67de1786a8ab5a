"""Names that the measuring and the reporting modules share, so that a report needs none of what measures."""

BASELINE = "in_process"
NUMBA = "numba"
UNIX = "unix"
EMPTY_AFTER_COMPUTE = "empty_echo_after_compute"
SERIES_AFTER_COMPUTE = "series_echo_after_compute"
