#!/usr/bin/env bash
# Generate libs/meldhall from the contracts. Output is committed; `make protos-check` fails when it is not fresh.
set -euo pipefail
cd "$(dirname "$0")"
out=${1:-../libs}
python=${PYTHON:-../.venv/bin/python}
bin=$(dirname "$python")

rm -rf "$out/meldhall"
mkdir -p "$out/meldhall"
mapfile -t files < <(find meldhall -name '*.proto' | LC_ALL=C sort)
"$python" -m grpc_tools.protoc -I. \
  --python_out="$out" --pyi_out="$out" --grpc_python_out="$out" \
  --plugin="protoc-gen-mypy_grpc=$bin/protoc-gen-mypy_grpc" --mypy_grpc_out="$out" \
  "${files[@]}"
# A contract without a service has nothing to serve.
for stub in $(find "$out/meldhall" -name '*_pb2_grpc.py'); do
  grep -q '^class .*Stub' "$stub" || rm -f "$stub" "${stub}i"
done
find "$out/meldhall" -type d -exec touch '{}/__init__.py' \;
touch "$out/meldhall/py.typed"
