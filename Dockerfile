# The gateway as an image: docker build -t skills-gateway .
#
# It runs as a user without a name, needs no writable file but in /tmp, and has no compiler and no pip. Its default
# command listens on all addresses, so GATEWAY_AUTH must say who may call, and GATEWAY_PUBLIC_URL or
# GATEWAY_ALLOWED_HOSTS under which name. Other commands work too: docker run --rm IMAGE check s3://bucket/prefix

ARG PYTHON=3.13-slim-trixie

FROM python:${PYTHON} AS build

WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY gateway gateway
COPY examples/skills examples/skills
# The environment has no pip of its own; the one outside installs into it.
RUN python -m venv --without-pip /opt/gateway \
    && python -m pip --python /opt/gateway/bin/python install --no-cache-dir '.[otel]'


FROM python:${PYTHON}

ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="skills-gateway" \
      org.opencontainers.image.description="Serves the Agent Skills of an S3 prefix to agent hosts over MCP (SEP-2640)." \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"

RUN python -m pip uninstall --yes --quiet pip

COPY --from=build /opt/gateway /opt/gateway

ENV PATH=/opt/gateway/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    HOME=/tmp

# A gateway.toml that is mounted here is read.
WORKDIR /etc/skills-gateway
# A volume keeps the rights of the directory (everybody may write) where the root file system is read-only.
VOLUME /tmp
USER 10001:10001
EXPOSE 8000
STOPSIGNAL SIGTERM

# Alive, and not ready: a store that is down is no reason to kill who serves what it still knows.
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=3 \
    CMD ["python", "-c", "import http.client, os, sys; c = http.client.HTTPConnection('127.0.0.1', int(os.environ.get('GATEWAY_PORT') or 8000), timeout=3); c.request('GET', '/livez'); sys.exit(c.getresponse().status != 200)"]

ENTRYPOINT ["skills-gateway"]
# A flag and not GATEWAY_HOST: as a variable it would make check and publish ask for GATEWAY_AUTH as well.
CMD ["serve", "--host", "0.0.0.0"]
