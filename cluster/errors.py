"""Errors that stop a command of the cluster; each message is fit for a terminal."""


class ClusterError(Exception):
    """A start or stop failed; the text says why and what to do."""

    code = "cluster"


class NoFreePorts(ClusterError):
    """No block of loopback ports was free."""

    code = "no-free-ports"


class ClusterBusy(ClusterError):
    """Another `up` or `down` of this workdir is at work."""

    code = "busy"


class StartRefused(ClusterError):
    """The settings and this machine do not go together."""

    code = "start-refused"


class StartFailed(ClusterError):
    """The service ended before it was ready; the log says more."""

    code = "start-failed"


class HeadFailed(StartFailed):
    """Ray's head did not start; the supervisor tries again."""

    code = "head-failed"
