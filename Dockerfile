# The explorer in one container: one port, one writable folder, a user without rights.
#   docker build -t explorer . && docker run -p 127.0.0.1:8501:8501 -v explorer:/data explorer
# What it is built from is named by digest and by hash, so that tomorrow's is today's; the Python is that of the tests.
ARG PYTHON=python:3.11.15-slim@sha256:90744cff8f32887f075c47d747a173ff333e9e98801667af93c357fa9f5e28ff
FROM ${PYTHON} AS packages
# A build of torch for CPUs, whose hash its index says; the registry's own brings CUDA along, and ten times the bytes.
ARG TORCH_INDEX=https://download.pytorch.org/whl/cpu
RUN python -m venv /opt/venv
COPY requirements.txt .hosting/packages.txt ./
RUN /opt/venv/bin/pip install --no-cache-dir --no-deps --index-url "$TORCH_INDEX" "$(grep '^torch==' requirements.txt)" \
    && /opt/venv/bin/pip install --no-cache-dir --require-hashes -r packages.txt \
    && /opt/venv/bin/pip check

FROM ${PYTHON}
RUN useradd --uid 1000 --create-home explorer && install -d -o explorer -g explorer /data
COPY --from=packages /opt/venv /opt/venv
WORKDIR /opt/explorer
COPY .streamlit .streamlit
COPY app.py requirements.txt ./
COPY assets assets
COPY pages pages
COPY explorer explorer
RUN /opt/venv/bin/python -m compileall -q explorer pages app.py
ENV PATH=/opt/venv/bin:$PATH PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 HOME=/data
ENV EXPLORER_HOME=/data EXPLORER_ADDRESS=0.0.0.0 EXPLORER_PORT=8501 EXPLORER_LOG=json
USER explorer
VOLUME /data
EXPOSE 8501
# `serve` becomes the server: SIGTERM ends it, and what trains keeps a checkpoint and goes on at the next start.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s CMD ["python", "-m", "explorer.hosting.healthy"]
CMD ["python", "-m", "explorer", "serve"]
