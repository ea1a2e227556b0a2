# isospin with all that it can use: a C compiler, a debugger, decision diagrams.
#
#   docker build -t isospin .
#   docker run --rm -v "$PWD:/work" isospin check model.pml
FROM python:3.12-slim
RUN apt-get update -qq \
 && apt-get install -y -qq --no-install-recommends gcc g++ binutils libc6-dev gdb graphviz \
 && rm -rf /var/lib/apt/lists/*
COPY pyproject.toml README.md LICENSE /source/
COPY src /source/src
COPY examples /source/examples
RUN pip install --no-cache-dir '/source[symbolic,paper]' && rm -rf /source
WORKDIR /work
ENTRYPOINT ["isospin"]
