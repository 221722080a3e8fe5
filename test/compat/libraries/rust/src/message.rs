use segment::message::{Alias, BatchMessage, Group, Identify, Message, Page, Screen, Track, User};
use serde_json::{json, Map, Value};
use time::format_description::well_known::Rfc3339;
use time::OffsetDateTime;

/// The crate's message for a call in the file.
pub fn message_of(call: &Value) -> BatchMessage {
    let (user, timestamp) = (user(call), timestamp(call));
    let (context, integrations) = (object(call, "context"), object(call, "integrations"));
    let properties = object(call, "properties").unwrap_or(json!({}));
    let traits = object(call, "traits").unwrap_or(json!({}));
    let (name, extra) = (text(call, "name"), Map::new());
    match call["type"].as_str().unwrap() {
        "identify" => Identify { user, traits, timestamp, context, integrations, extra }.into(),
        "track" => {
            let event = text(call, "event");
            Track { user, event, properties, timestamp, context, integrations, extra }.into()
        }
        "page" => {
            let extra = category(call);
            Page { user, name, properties, timestamp, context, integrations, extra }.into()
        }
        "screen" => Screen { user, name, properties, timestamp, context, integrations, extra }.into(),
        "group" => {
            let group_id = text(call, "groupId");
            Group { user, group_id, traits, timestamp, context, integrations, extra }.into()
        }
        _ => {
            let previous_id = text(call, "previousId");
            Alias { user, previous_id, timestamp, context, integrations, extra }.into()
        }
    }
}

/// The message as a separate request.
pub fn single(message: BatchMessage) -> Message {
    match message {
        BatchMessage::Identify(message) => Message::Identify(message),
        BatchMessage::Track(message) => Message::Track(message),
        BatchMessage::Page(message) => Message::Page(message),
        BatchMessage::Screen(message) => Message::Screen(message),
        BatchMessage::Group(message) => Message::Group(message),
        BatchMessage::Alias(message) => Message::Alias(message),
    }
}

fn user(call: &Value) -> User {
    let (user_id, anonymous_id) = (text(call, "userId"), text(call, "anonymousId"));
    match (user_id.is_empty(), anonymous_id.is_empty()) {
        (false, false) => User::Both { user_id, anonymous_id },
        (false, true) => User::UserId { user_id },
        _ => User::AnonymousId { anonymous_id },
    }
}

/// The crate has no field for the category.
fn category(call: &Value) -> Map<String, Value> {
    call.get("category").map(|category| ("category".to_owned(), category.clone())).into_iter().collect()
}

fn timestamp(call: &Value) -> Option<OffsetDateTime> {
    call["timestamp"].as_str().map(|text| OffsetDateTime::parse(text, &Rfc3339).unwrap())
}

fn object(call: &Value, key: &str) -> Option<Value> {
    call.get(key).cloned()
}

fn text(call: &Value, key: &str) -> String {
    call[key].as_str().unwrap_or_default().to_owned()
}
