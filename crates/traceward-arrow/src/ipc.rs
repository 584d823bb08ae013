//! Tables in Arrow's own format: files and streams.
//!
//! Both are messages, and a file has a list of them at its end. Messages are found here, so that
//! nothing is reserved for bytes that are not there, and decoded by the library, each by itself.

use crate::columns::Place;
use crate::decode::{Decoder, Take, damaged, guarded, in_parts};
use crate::input::Input;
use arrow_array::ArrayRef;
use arrow_buffer::Buffer;
use arrow_ipc::reader::{RecordBatchDecoder, read_dictionary, read_footer_length};
use arrow_ipc::{
    Block, CompressionType, Message, MessageHeader, RecordBatch, convert, root_as_footer, root_as_message,
};
use arrow_schema::{Schema, SchemaRef};
use bytes::Bytes;
use parquet::file::reader::Length;
use std::collections::HashMap;
use std::sync::Arc;
use traceward_trace::TraceError;

const FORMAT: &str = "Arrow";

/// What a file begins and ends with.
const MAGIC: &[u8] = b"ARROW1";

/// What a message begins with.
const CONTINUATION: [u8; 4] = [0xFF; 4];

/// The largest batch, decompressed.
const LARGEST_BATCH: u64 = 4 << 30;

/// What can be held by a byte of compressed data, at the most.
const DENSEST: u64 = 1 << 15;

/// The texts and other values that batches name by their numbers.
type Dictionaries = HashMap<i64, ArrayRef>;

/// A table whose schema has been read.
pub(crate) struct IpcTable {
    input: Input,
    schema: SchemaRef,
    messages: Messages,
}

/// Where the messages are.
enum Messages {
    /// In a file, at these places; its dictionaries are known.
    Listed { blocks: std::vec::IntoIter<Block>, dictionaries: Arc<Dictionaries> },
    /// One behind the other from a place on.
    InOrder { next: u64, dictionaries: Arc<Dictionaries> },
    /// There are no more.
    Ended,
}

/// A batch that has not been decoded, with the dictionaries of its time.
pub(crate) struct Encoded {
    message: Bytes,
    body: Buffer,
    dictionaries: Arc<Dictionaries>,
}

impl IpcTable {
    pub(crate) fn open(input: Input) -> Result<Self, TraceError> {
        guarded(FORMAT, || {
            let first = input.bytes(0, input.len().min(MAGIC.len() as u64)).map_err(|error| damaged(FORMAT, error))?;
            if first == MAGIC { Self::open_file(input) } else { Self::open_stream(input) }
        })
    }

    fn open_file(input: Input) -> Result<Self, TraceError> {
        let last = input.last(10).map_err(|error| damaged(FORMAT, error))?;
        let last = *last.first_chunk().ok_or_else(|| damaged(FORMAT, "it has no end"))?;
        let len = read_footer_length(last).map_err(|error| damaged(FORMAT, error))? as u64;
        let start = input.len().checked_sub(len + 10).ok_or_else(|| damaged(FORMAT, "its list is too long"))?;
        let footer = input.bytes(start, len).map_err(|error| damaged(FORMAT, error))?;
        let footer = root_as_footer(&footer).map_err(|error| damaged(FORMAT, error))?;
        let schema = footer.schema().ok_or_else(|| damaged(FORMAT, "it has no schema"))?;
        let schema = read_schema(schema)?;
        let mut dictionaries = Dictionaries::new();
        for block in footer.dictionaries().iter().flatten() {
            let (message, body) = listed(&input, block)?;
            add_dictionary(&parse(&message)?, &body, &schema, &mut dictionaries)?;
        }
        let blocks: Vec<Block> = footer.recordBatches().iter().flatten().copied().collect();
        let messages = Messages::Listed { blocks: blocks.into_iter(), dictionaries: Arc::new(dictionaries) };
        Ok(Self { input, schema, messages })
    }

    fn open_stream(input: Input) -> Result<Self, TraceError> {
        let Some((message, _, next)) = next_message(&input, 0)? else {
            return Err(damaged(FORMAT, "it has no schema"));
        };
        let schema = parse(&message)?.header_as_schema().ok_or_else(|| damaged(FORMAT, "it has no schema"))?;
        let schema = read_schema(schema)?;
        let messages = Messages::InOrder { next, dictionaries: Arc::default() };
        Ok(Self { input, schema, messages })
    }

    pub(crate) fn schema(&self) -> &Schema {
        &self.schema
    }

    /// A decoder of the batch columns that are wanted.
    pub(crate) fn decoder(&self, roots: &[usize]) -> BatchDecoder {
        BatchDecoder { schema: self.schema.clone(), roots: roots.to_vec() }
    }

    fn next_encoded(&mut self) -> Result<Option<Encoded>, TraceError> {
        match &mut self.messages {
            Messages::Ended => Ok(None),
            Messages::Listed { blocks, dictionaries } => {
                let Some(block) = blocks.next() else { return Ok(None) };
                let (message, body) = listed(&self.input, &block)?;
                Ok(Some(Encoded { message, body, dictionaries: dictionaries.clone() }))
            }
            Messages::InOrder { next, dictionaries } => loop {
                let Some((message, body, behind)) = next_message(&self.input, *next)? else { return Ok(None) };
                *next = behind;
                let parsed = parse(&message)?;
                match parsed.header_type() {
                    MessageHeader::RecordBatch => {
                        return Ok(Some(Encoded { message, body, dictionaries: dictionaries.clone() }));
                    }
                    MessageHeader::DictionaryBatch => {
                        // Batches before this one keep theirs.
                        add_dictionary(&parsed, &body, &self.schema, Arc::make_mut(dictionaries))?;
                    }
                    MessageHeader::NONE => {}
                    _ => return Err(damaged(FORMAT, "a message is neither a batch nor a dictionary")),
                }
            },
        }
    }
}

/// The batches, in order; none behind an error.
impl Iterator for IpcTable {
    type Item = Result<Encoded, TraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = guarded(FORMAT, || self.next_encoded());
        if !matches!(next, Ok(Some(_))) {
            self.messages = Messages::Ended;
        }
        next.transpose()
    }
}

/// Decodes batches.
pub(crate) struct BatchDecoder {
    schema: SchemaRef,
    /// The columns of a batch that are wanted, ascending.
    roots: Vec<usize>,
}

impl Decoder for BatchDecoder {
    type Piece = Encoded;

    fn decode(&self, piece: &Encoded, take: Take<'_>) -> Result<(), TraceError> {
        guarded(FORMAT, || {
            let message = parse(&piece.message)?;
            let batch = message.header_as_record_batch();
            let batch = batch.ok_or_else(|| damaged(FORMAT, "a message of the list is no batch"))?;
            check_claims(&batch, &piece.body)?;
            let version = message.version();
            let decoder =
                RecordBatchDecoder::try_new(&piece.body, batch, self.schema.clone(), &piece.dictionaries, &version);
            let decoder = decoder.map_err(|error| damaged(FORMAT, error))?.with_projection(Some(&self.roots));
            let batch = decoder.read_record_batch().map_err(|error| damaged(FORMAT, error))?;
            let _ = in_parts(&batch, take);
            Ok(())
        })
    }
}

/// The columns of a batch that some columns are made of, ascending.
pub(crate) fn roots(places: &[Option<Place>]) -> Vec<usize> {
    let mut roots: Vec<usize> = places.iter().flatten().map(|place| place.root).collect();
    roots.sort_unstable();
    roots.dedup();
    roots
}

fn read_schema(schema: arrow_ipc::Schema<'_>) -> Result<SchemaRef, TraceError> {
    if !schema.endianness().equals_to_target_endianness() {
        return Err(damaged(FORMAT, "its numbers have the byte order of another kind of machine"));
    }
    let schema = convert::try_fb_to_schema(schema).map_err(|error| damaged(FORMAT, error))?;
    Ok(Arc::new(schema))
}

fn parse(message: &[u8]) -> Result<Message<'_>, TraceError> {
    root_as_message(message).map_err(|error| damaged(FORMAT, error))
}

/// A message that the list of a file names: its description and its body.
fn listed(input: &Input, block: &Block) -> Result<(Bytes, Buffer), TraceError> {
    let place = u64::try_from(block.offset()).map_err(|error| damaged(FORMAT, error))?;
    let (message, body, _) =
        next_message(input, place)?.ok_or_else(|| damaged(FORMAT, "its list names what is not there"))?;
    Ok((message, body))
}

/// The message at a place, and the place behind it; none where the messages end.
fn next_message(input: &Input, place: u64) -> Result<Option<(Bytes, Buffer, u64)>, TraceError> {
    let bytes = |start, len| input.bytes(start, len).map_err(|error| damaged(FORMAT, error));
    if place >= input.len() {
        // A stream may just be closed, but then nobody can tell whether all of it has come.
        return Err(damaged(FORMAT, "there is no mark of its end"));
    }
    let head = bytes(place, 4)?;
    // Long ago messages began with their length.
    let start = if head == CONTINUATION[..] { place + 4 } else { place };
    let length = bytes(start, 4)?;
    let length = length.first_chunk().map_or(0, |length| u64::from(u32::from_le_bytes(*length)));
    if length == 0 {
        return Ok(None);
    }
    let message = bytes(start + 4, length)?;
    let body = u64::try_from(parse(&message)?.bodyLength()).map_err(|error| damaged(FORMAT, error))?;
    let behind = start + 4 + length;
    Ok(Some((message, Buffer::from(bytes(behind, body)?), behind + body)))
}

fn add_dictionary(
    message: &Message<'_>,
    body: &Buffer,
    schema: &Schema,
    dictionaries: &mut Dictionaries,
) -> Result<(), TraceError> {
    let dictionary = message.header_as_dictionary_batch();
    let dictionary = dictionary.ok_or_else(|| damaged(FORMAT, "a message of the list is no dictionary"))?;
    let data = dictionary.data().ok_or_else(|| damaged(FORMAT, "a dictionary has no values"))?;
    check_claims(&data, body)?;
    read_dictionary(body, dictionary, schema, dictionaries, &message.version()).map_err(|error| damaged(FORMAT, error))
}

/// Checks that what a batch says of its parts is what its bytes can hold: the library reserves as
/// much memory as is asked for.
fn check_claims(batch: &RecordBatch<'_>, body: &Buffer) -> Result<(), TraceError> {
    let is_compressed = batch.compression().is_some();
    let mut total = 0_u64;
    for buffer in batch.buffers().iter().flatten() {
        let (start, len) = (u64::try_from(buffer.offset()), u64::try_from(buffer.length()));
        let end = start.ok().zip(len.ok()).and_then(|(start, len)| Some((start, start.checked_add(len)?)));
        let part = end.and_then(|(start, end)| body.get(usize::try_from(start).ok()?..usize::try_from(end).ok()?));
        let part = part.ok_or_else(|| damaged(FORMAT, "a batch names bytes that are not there"))?;
        let claimed = part.first_chunk().map(|length| i64::from_le_bytes(*length));
        if let Some(claimed) = claimed.filter(|_| is_compressed).and_then(|claimed| u64::try_from(claimed).ok()) {
            total = total.saturating_add(claimed);
            if claimed > (part.len() as u64).saturating_mul(DENSEST) || total > LARGEST_BATCH {
                return Err(damaged(FORMAT, "a batch claims more than its bytes can hold"));
            }
        }
    }
    let codec = batch.compression().map(|compression| compression.codec());
    match codec {
        None | Some(CompressionType::LZ4_FRAME | CompressionType::ZSTD) => Ok(()),
        Some(_) => Err(damaged(FORMAT, "its compression is not known")),
    }
}
