"""One machine as Ray and HAProxy meet it: environment, ports, readiness, the end of a session."""
