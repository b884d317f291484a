"""One machine under Ray and HAProxy: environment, ports, readiness, the end of a session."""
