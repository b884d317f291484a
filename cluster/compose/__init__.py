"""The only reader of settings: turns a runtime into the objects that do the work, handing values down.

A `Runtime` becomes the web application, a reader or a janitor: a module for each kind of replica. Replicas call the
`build_*` functions by name, which find the runtime file through the environment. Nothing here starts Ray, and each
replica imports only its own parts.
"""
