//! Makes the calls in a file with the crate `segment`.

mod message;

use message::{message_of, single};
use segment::{AutoBatcher, Batcher, Client, HttpClient};
use serde_json::{json, Value};
use std::env::var;
use std::time::Duration;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let (endpoint, key) = (setting("ENDPOINT"), setting("WRITE_KEY"));
    let batch: usize = setting("BATCH").parse().unwrap();
    let pause = Duration::from_millis(setting("PAUSE_MS").parse().unwrap());
    let client = HttpClient::new(reqwest::Client::new(), endpoint);
    let mut batcher = AutoBatcher::new(client.clone(), Batcher::new(None), key.clone());
    let mut queued = 0;

    for line in std::fs::read_to_string(setting("CALLS")).unwrap().lines() {
        let call: Value = serde_json::from_str(line).unwrap();
        say(json!({ "made": call["id"] }));
        let result = if batch == 1 {
            client.send(key.clone(), single(message_of(&call))).await
        } else {
            queued += 1;
            batcher.push(message_of(&call)).await
        };
        report(result, &call["id"]);
        // The crate itself sends only when a batch reaches 500 KiB.
        if queued == batch {
            report(batcher.flush().await, &Value::Null);
            queued = 0;
        }
        tokio::time::sleep(pause).await;
    }
    if queued > 0 {
        report(batcher.flush().await, &Value::Null);
    }
    say(json!({ "done": true }));
}

fn setting(name: &str) -> String {
    var(format!("COMPAT_{name}")).unwrap()
}

fn report(result: segment::Result<()>, id: &Value) {
    if let Err(error) = result {
        let text = format!("{error}: {error:?}");
        say(if id.is_null() { json!({ "error": text }) } else { json!({ "error": text, "id": id }) });
    }
}

fn say(line: Value) {
    println!("{line}");
}
