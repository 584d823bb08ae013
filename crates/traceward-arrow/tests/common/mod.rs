//! Tables in every form in which they are read.
#![allow(dead_code, reason = "each test uses a part of it")]

use arrow_array::{RecordBatch, RecordBatchIterator};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use parquet::arrow::ArrowWriter;
use parquet::basic::{BrotliLevel, Compression, GzipLevel, ZstdLevel};
use parquet::file::properties::{WriterProperties, WriterVersion};
use traceward_arrow::{Table, read, read_table};
use traceward_trace::{Format, ReadFailure, ReadOptions, ReadTrace};

/// Batches of one schema.
pub type Batches = [RecordBatch];

/// A table in one of its forms.
#[derive(Clone, Debug)]
pub enum Form {
    Bytes { name: String, format: Format, bytes: Vec<u8> },
    Batches(Vec<RecordBatch>),
}

pub fn parquet(batches: &Batches, properties: WriterProperties) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batches[0].schema(), Some(properties)).expect("a writer");
    batches.iter().for_each(|batch| writer.write(batch).expect("a batch is written"));
    writer.close().expect("the table is written");
    bytes
}

pub fn arrow_file(batches: &Batches, compression: Option<CompressionType>) -> Vec<u8> {
    let options = IpcWriteOptions::default().try_with_compression(compression).expect("a codec");
    let mut bytes = Vec::new();
    let mut writer = FileWriter::try_new_with_options(&mut bytes, &batches[0].schema(), options).expect("a writer");
    batches.iter().for_each(|batch| writer.write(batch).expect("a batch is written"));
    writer.finish().expect("the table is written");
    drop(writer);
    bytes
}

pub fn arrow_stream(batches: &Batches) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = StreamWriter::try_new(&mut bytes, &batches[0].schema()).expect("a writer");
    batches.iter().for_each(|batch| writer.write(batch).expect("a batch is written"));
    writer.finish().expect("the table is written");
    drop(writer);
    bytes
}

/// The same table in Parquet, by every codec and both versions, in row groups of so many rows.
pub fn all_parquet(batches: &Batches, group: usize) -> Vec<Form> {
    let codecs = [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::ZSTD(ZstdLevel::default()),
        Compression::LZ4_RAW,
        Compression::GZIP(GzipLevel::default()),
        Compression::BROTLI(BrotliLevel::default()),
    ];
    let versions = [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0];
    let mut forms = Vec::new();
    for (nth, codec) in codecs.into_iter().enumerate() {
        let properties = WriterProperties::builder()
            .set_compression(codec)
            .set_writer_version(versions[nth % 2])
            .set_dictionary_enabled(nth % 3 != 0)
            .set_max_row_group_row_count(Some(group))
            .build();
        let bytes = parquet(batches, properties);
        forms.push(Form::Bytes { name: format!("Parquet, {codec}"), format: Format::PARQUET, bytes });
    }
    forms
}

/// The same table in every form but Parquet.
pub fn all_arrow(batches: &Batches) -> Vec<Form> {
    let bytes = |name: &str, bytes| Form::Bytes { name: name.to_owned(), format: Format::ARROW, bytes };
    vec![
        Form::Batches(batches.to_vec()),
        bytes("Arrow file", arrow_file(batches, None)),
        bytes("Arrow file, lz4", arrow_file(batches, Some(CompressionType::LZ4_FRAME))),
        bytes("Arrow file, zstd", arrow_file(batches, Some(CompressionType::ZSTD))),
        bytes("Arrow stream", arrow_stream(batches)),
    ]
}

pub fn read_form(form: &Form, options: &ReadOptions) -> Result<ReadTrace, ReadFailure> {
    match form {
        Form::Bytes { format, bytes, .. } => read_table(Table::from_bytes(bytes.clone()), *format, options),
        Form::Batches(batches) => {
            let schema = batches[0].schema();
            read(RecordBatchIterator::new(batches.clone().into_iter().map(Ok), schema), options)
        }
    }
}
