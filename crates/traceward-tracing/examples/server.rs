//! A small server whose answers are watched: every request that is received is answered before its
//! span closes, and no request is answered twice.
//!
//! One request in this example is forgotten on purpose. Run it with
//! `cargo run -p traceward-tracing --example server`.

use std::io;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use traceward_tracing::{Builder, Outcome};
use tracing::Instrument;
use tracing_subscriber::prelude::*;

const SPEC: &str = r#"
    property answered = G("received" -> F "answered")
    property single = G("answered" -> X G !"answered")
"#;

/// Serves one line of one client. What begins with `lose` is forgotten.
async fn serve(stream: TcpStream) -> io::Result<()> {
    let (reader, mut writer) = stream.into_split();
    let mut line = String::new();
    BufReader::new(reader).read_line(&mut line).await?;
    tracing::info!(bytes = line.len(), "received");
    tokio::task::yield_now().await;
    if !line.starts_with("lose") {
        writer.write_all(line.to_uppercase().as_bytes()).await?;
        tracing::info!("answered");
    }
    Ok(())
}

/// Asks the server, and returns what it answers.
async fn ask(address: std::net::SocketAddr, line: &str) -> io::Result<String> {
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(line.as_bytes()).await?;
    let mut answer = String::new();
    BufReader::new(stream).read_line(&mut answer).await?;
    Ok(answer)
}

/// Serves so many clients at a time, as they ask these lines.
async fn serve_all(lines: &[&str]) -> io::Result<Vec<String>> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let address = listener.local_addr()?;
    let clients: Vec<_> = lines
        .iter()
        .map(|line| {
            tokio::spawn({
                let line = format!("{line}\n");
                async move { ask(address, &line).await }
            })
        })
        .collect();
    let mut served = Vec::new();
    for id in 0..lines.len() {
        let (stream, _) = listener.accept().await?;
        served.push(tokio::spawn(serve(stream).instrument(tracing::info_span!("request", id))));
    }
    for one in served {
        one.await??;
    }
    let mut answers = Vec::new();
    for client in clients {
        answers.push(client.await??);
    }
    Ok(answers)
}

/// What comes of serving these lines, and what was answered.
pub fn watched(lines: &[&str]) -> Result<(Outcome, Vec<String>), Box<dyn std::error::Error>> {
    let (layer, watch) = Builder::new(SPEC)?.each_span("request").build()?;
    let subscriber = tracing_subscriber::registry().with(layer);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let answers = tracing::subscriber::with_default(subscriber, || runtime.block_on(serve_all(lines)))?;
    Ok((watch.end(), answers))
}

#[allow(clippy::print_stdout, reason = "an example shows something")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (outcome, _) = watched(&["hello", "lose this", "good morning"])?;
    for property in &outcome.properties {
        println!("{}: violated in {} of {} requests", property.name, property.violated, outcome.traces);
    }
    Ok(())
}
