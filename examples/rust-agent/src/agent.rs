//! The agent: it calls a model over chat completions, and leaves running the tools to its caller.
use crate::conformance::Wire;
use serde_json::{json, Value};

pub struct Agent {
    setup: Value,
    messages: Vec<Value>,
}

impl Agent {
    pub fn new(setup: Value) -> Self {
        let system = setup["system"].as_str().filter(|text| !text.is_empty());
        let messages = system
            .map(|text| json!({"role": "system", "content": text}))
            .into_iter()
            .collect();
        Agent { setup, messages }
    }

    /// Answer one message of the user's. An error is a controlled failure; a panic is a crash.
    pub fn turn(
        &mut self,
        wire: &mut Wire,
        text: &str,
        enabled: &[String],
    ) -> Result<String, String> {
        self.messages.push(json!({"role": "user", "content": text}));
        for _ in 0..self.setup["limits"]["requests"].as_u64().unwrap_or(20) {
            let answer = self.ask(enabled)?;
            let content = answer["content"].as_str().unwrap_or_default().to_string();
            let Some(calls) = answer["tool_calls"].as_array().cloned() else {
                if content.trim().is_empty() {
                    return Err("the model gave no answer".into());
                }
                self.messages
                    .push(json!({"role": "assistant", "content": content}));
                return Ok(content);
            };
            self.messages.push(
                json!({"role": "assistant", "content": answer["content"], "tool_calls": calls}),
            );
            for call in calls {
                let result = self.result(wire, &call["function"], enabled);
                self.messages
                    .push(json!({"role": "tool", "tool_call_id": call["id"], "content": result}));
            }
        }
        Err("no answer within the limit".into())
    }

    /// What the model gets back for its call. Mistakes in the call are for the model to correct.
    fn result(&self, wire: &mut Wire, called: &Value, enabled: &[String]) -> String {
        let name = called["name"].as_str().unwrap_or_default();
        if !enabled.iter().any(|tool| tool == name) {
            return format!(
                "Error: there is no tool {name}. There is: {}.",
                enabled.join(", ")
            );
        }
        let text = called["arguments"]
            .as_str()
            .filter(|text| !text.is_empty())
            .unwrap_or("{}");
        match serde_json::from_str::<Value>(text) {
            Ok(arguments) if arguments.is_object() => wire
                .call(&self.setup["session"], name, arguments)
                .unwrap_or_else(|error| format!("Error: {error}")),
            _ => "Error: the arguments are no JSON object.".into(),
        }
    }

    fn ask(&self, enabled: &[String]) -> Result<Value, String> {
        let is_enabled = |tool: &&Value| enabled.iter().any(|name| tool["name"] == name.as_str());
        let offered: Vec<Value> = self.setup["tools"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(is_enabled)
            .map(offer)
            .collect();
        let mut request = json!({"model": self.setup["model"], "messages": self.messages});
        if !offered.is_empty() {
            request["tools"] = offered.into();
        }
        let url = format!(
            "{}/chat/completions",
            self.setup["base_url"].as_str().unwrap_or_default()
        );
        let key = format!(
            "Bearer {}",
            self.setup["api_key"].as_str().unwrap_or_default()
        );
        match ureq::post(&url)
            .set("authorization", &key)
            .send_json(request)
        {
            Ok(response) => {
                let completion: Value = response.into_json().map_err(|error| error.to_string())?;
                Ok(completion["choices"][0]["message"].clone())
            }
            Err(ureq::Error::Status(status, response)) => Err(format!(
                "the provider answered {status}: {}",
                response.into_string().unwrap_or_default()
            )),
            Err(error) => Err(error.to_string()),
        }
    }
}

fn offer(tool: &Value) -> Value {
    json!({"type": "function", "function": {
        "name": tool["name"], "description": tool["description"], "parameters": tool["parameters"]}})
}
