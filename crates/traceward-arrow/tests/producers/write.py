"""Writes one table as CSV, and as Parquet and Arrow by the programs that others use for it."""

import datetime
import pathlib
import sys

import duckdb
import fastparquet
import pandas
import polars
import pyarrow
import pyarrow.feather
import pyarrow.parquet

ROWS = 1000
folder = pathlib.Path(sys.argv[1])
start = datetime.datetime(2024, 1, 1)
missing = lambda row, value: None if row % 11 == 10 else value

frame = polars.DataFrame(
    {
        "t": [start + datetime.timedelta(milliseconds=40 * row) for row in range(ROWS)],
        "k": [f"key {row * 7 % 5}" for row in range(ROWS)],
        "request": [row % 3 == 0 for row in range(ROWS)],
        "grant": [missing(row, row % 5 == 1) for row in range(ROWS)],
        "n": [missing(row, (row * 37) % 101) for row in range(ROWS)],
        "f": [missing(row, (row % 16) / 4) for row in range(ROWS)],
        "s": [missing(row, ["up", "down", "somewhere between"][row % 3]) for row in range(ROWS)],
    }
)
frame.write_csv(folder / "table.csv", datetime_format="%Y-%m-%dT%H:%M:%S%.3f")

for codec in ["uncompressed", "snappy", "zstd", "lz4", "gzip", "brotli"]:
    frame.write_parquet(folder / f"polars-{codec}.parquet", compression=codec, row_group_size=300)
for codec in ["uncompressed", "lz4", "zstd"]:
    frame.write_ipc(folder / f"polars-{codec}.arrow", compression=codec)
frame.with_columns(polars.col("s").cast(polars.Categorical)).write_ipc(folder / "polars-categorical.arrow")
frame.write_ipc_stream(folder / "polars.arrows")

table = frame.to_arrow()
plain = table.cast(
    pyarrow.schema([f.with_type(pyarrow.string()) if pyarrow.types.is_large_string(f.type) else f for f in table.schema])
)
coded = plain.set_column(6, "s", plain["s"].dictionary_encode())
for codec in ["none", "snappy", "zstd", "lz4", "gzip", "brotli"]:
    pyarrow.parquet.write_table(plain, folder / f"pyarrow-{codec}.parquet", compression=codec, row_group_size=170)
pyarrow.parquet.write_table(plain, folder / "pyarrow-v2.parquet", version="2.6", data_page_version="2.0", use_dictionary=False)
pyarrow.parquet.write_table(plain, folder / "pyarrow-delta.parquet", use_dictionary=False, column_encoding={"s": "DELTA_BYTE_ARRAY", "n": "DELTA_BINARY_PACKED"})
pyarrow.parquet.write_table(plain, folder / "pyarrow-int96.parquet", use_deprecated_int96_timestamps=True)
pyarrow.parquet.write_table(coded, folder / "pyarrow-dictionary.parquet")
pyarrow.feather.write_feather(coded, folder / "pyarrow.feather", chunksize=130)
with pyarrow.ipc.new_stream(folder / "pyarrow.arrows", coded.schema) as stream:
    stream.write_table(coded, max_chunksize=90)

for codec in ["uncompressed", "snappy", "zstd", "lz4", "gzip", "brotli"]:
    target = folder / f"duckdb-{codec}.parquet"
    duckdb.sql(f"COPY (FROM frame) TO '{target}' (FORMAT parquet, COMPRESSION {codec}, ROW_GROUP_SIZE 2048)")

# Its pages have eight bytes more than their values. Its writer takes moments for nanoseconds.
rows = frame.to_dict(as_series=False)
rows["t"] = pandas.Series(rows["t"]).astype("datetime64[ns]")
rows["grant"] = pandas.array(rows["grant"], dtype="boolean")
rows["n"] = pandas.array(rows["n"], dtype="Int64")
rows["s"] = pandas.Series(rows["s"], dtype=object)
for times in ["int64", "int96"]:
    for codec in ["UNCOMPRESSED", "SNAPPY"]:
        target = str(folder / f"fastparquet-{times}-{codec.lower()}.parquet")
        encoding = {"k": "utf8", "s": "utf8"}
        fastparquet.write(target, pandas.DataFrame(rows), compression=codec, times=times, object_encoding=encoding)
