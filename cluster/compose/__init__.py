"""The only reader of settings: turns a runtime into the objects that do the work, handing values down.

In comes a `Runtime`; out come the web application, a reader, a janitor: a module for each kind of replica. The
`build_*` functions are what replicas call by name: they find the runtime file through their environment. Nothing here
starts Ray, and each replica imports only what it is made of.
"""
