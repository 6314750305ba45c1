# docker build -t babelspace .
# docker run --rm -v "$PWD/folder:/srv/babelspace" babelspace key add /srv/babelspace me --rights admin
# docker run -p 127.0.0.1:8080:8080 -v "$PWD/folder:/srv/babelspace" babelspace
FROM python:3.12-slim AS build
WORKDIR /build
COPY pyproject.toml hatch_build.py README.md constraints.txt LICENSE ./
COPY LICENSES ./LICENSES
COPY src ./src
RUN python -m venv /opt/babelspace && /opt/babelspace/bin/pip install --no-cache-dir --constraint constraints.txt '.[serve,table,documents]'

FROM python:3.12-slim
# OpenMP, which the compiled loops and faiss use.
RUN apt-get update && apt-get install -y --no-install-recommends libgomp1 && rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/babelspace /opt/babelspace
RUN useradd --system --uid 10001 --create-home babelspace && mkdir /srv/babelspace && chown babelspace /srv/babelspace
USER babelspace
ENV PATH=/opt/babelspace/bin:$PATH NUMBA_CACHE_DIR=/home/babelspace/.cache/numba
# Loops are compiled for the processor that builds; on another one they are compiled again when first used.
RUN babelspace warm-up
VOLUME /srv/babelspace
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8080/healthz', timeout=4)"]
# Reached from outside the container, it wants a key: make one first.
ENTRYPOINT ["babelspace", "serve"]
CMD ["/srv/babelspace", "--host", "0.0.0.0", "--port", "8080"]
