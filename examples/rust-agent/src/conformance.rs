//! The lines between the suite and the agent, one JSON object each; all on one thread.
use crate::agent::Agent;
use serde_json::{json, Value};
use std::io::{stdin, stdout, Lines, StdinLock, Write};

/// Speak agent conformance's protocol until the suite ends it.
pub fn conformance() {
    let mut wire = Wire {
        lines: stdin().lines(),
        calls: 0,
    };
    let mut agent = Agent::new(Value::Null);
    while let Some(message) = wire.read() {
        match message["type"].as_str() {
            Some("hello") => wire.say(
                json!({"type": "hello", "protocol": 1, "wires": ["openai-chat"], "reuse": true,
                "features": ["conversation", "native-tools", "tool-filter", "request-limit"]}),
            ),
            Some("open") => agent = Agent::new(message),
            Some("send") => {
                let enabled: Vec<String> =
                    serde_json::from_value(message["enabled"].clone()).expect("names");
                let text = message["message"].as_str().unwrap_or_default();
                let session = message["session"].clone();
                let answer = match agent.turn(&mut wire, text, &enabled) {
                    Ok(reply) => json!({"type": "reply", "session": session, "text": reply}),
                    Err(error) => json!({"type": "error", "session": session, "message": error}),
                };
                wire.say(answer);
            }
            _ => {} // later versions of the suite may send more
        }
    }
}

/// The messages between the suite and the agent: one JSON object per line.
pub struct Wire {
    lines: Lines<StdinLock<'static>>,
    calls: u64,
}

impl Wire {
    fn read(&mut self) -> Option<Value> {
        let line = self.lines.next()?.expect("standard input can be read");
        Some(serde_json::from_str(&line).expect("the suite writes JSON"))
    }

    fn say(&mut self, message: Value) {
        let mut out = stdout().lock();
        writeln!(out, "{message}")
            .and_then(|()| out.flush())
            .expect("standard output can be written");
    }

    /// Let the suite run a tool: returns its result as text, or its error message.
    pub fn call(
        &mut self,
        session: &Value,
        tool: &str,
        arguments: Value,
    ) -> Result<String, String> {
        self.calls += 1;
        self.say(json!({"type": "call", "session": session, "id": self.calls, "tool": tool, "arguments": arguments}));
        let result = self.read().expect("a result");
        match result["error"].as_str() {
            Some(error) => Err(error.to_string()),
            None => Ok(result["text"].as_str().unwrap_or_default().to_string()),
        }
    }
}
