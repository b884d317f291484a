#!/bin/sh
# Runs a command of the image. Without SVC_LICENSE it uses the image's evaluation licence: 10,000 pages a month, for a
# year from the day the image was built.
if [ -z "${SVC_LICENSE:-}" ]; then
    SVC_LICENSE=$(cat "$(dirname "$0")/evaluation.license")
    export SVC_LICENSE
fi
exec "$@"
