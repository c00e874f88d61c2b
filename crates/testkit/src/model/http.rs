//! As much of HTTP as the clients of models use.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use serde_json::Value;

/// A request: its path with the query, and its body.
pub(super) struct Asked {
    pub(super) path: String,
    pub(super) body: Vec<u8>,
}

/// A body and what it is.
pub(super) struct Answer {
    kind: &'static str,
    body: String,
}

impl Answer {
    /// A document.
    pub(super) fn json(value: &Value) -> Self {
        Self { kind: "application/json", body: value.to_string() }
    }

    /// A stream of events; `named` ones also say their type in front.
    pub(super) fn events(events: &[Value], named: bool, end: &str) -> Self {
        let mut body = String::new();
        for event in events {
            if let Some(name) = event["type"].as_str().filter(|_| named) {
                body += &format!("event: {name}\n");
            }
            body += &format!("data: {event}\n\n");
        }
        Self { kind: "text/event-stream", body: body + end }
    }
}

/// Answers one request after another until the client has no more.
pub(super) fn serve(stream: &TcpStream, answer: impl Fn(&Asked) -> Answer) -> io::Result<()> {
    let mut input = BufReader::new(stream);
    let mut output = stream;
    loop {
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
        let headless = line.starts_with("HEAD ");
        let headers = headers(&mut input)?;
        if headers.iter().any(|(name, value)| name == "expect" && value.contains("100")) {
            output.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
        }
        let body = body(&mut input, &headers)?;
        let Answer { kind, body } = answer(&Asked { path, body });
        let body = if headless { String::new() } else { body };
        let head = format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n", body.len());
        output.write_all((head + &body).as_bytes())?;
        if headers.iter().any(|(name, value)| name == "connection" && value == "close") {
            return stream.shutdown(std::net::Shutdown::Both);
        }
    }
}

/// Names and values, in lower case.
fn headers(input: &mut impl BufRead) -> io::Result<Vec<(String, String)>> {
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 || line.trim().is_empty() {
            return Ok(headers);
        }
        let (name, value) = line.split_once(':').unwrap_or((&line, ""));
        headers.push((name.trim().to_lowercase(), value.trim().to_lowercase()));
    }
}

fn body(input: &mut impl BufRead, headers: &[(String, String)]) -> io::Result<Vec<u8>> {
    let header = |wanted: &str| headers.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str());
    let mut body = Vec::new();
    if header("transfer-encoding") == Some("chunked") {
        loop {
            let mut line = String::new();
            input.read_line(&mut line)?;
            let size = line.trim().split(';').next().and_then(|size| u64::from_str_radix(size, 16).ok());
            let size = size.ok_or(io::ErrorKind::InvalidData)?;
            input.by_ref().take(size).read_to_end(&mut body)?;
            input.read_line(&mut String::new())?;
            if size == 0 {
                return Ok(body);
            }
        }
    }
    let size = header("content-length").and_then(|size| size.parse().ok()).unwrap_or(0);
    input.take(size).read_to_end(&mut body)?;
    Ok(body)
}
