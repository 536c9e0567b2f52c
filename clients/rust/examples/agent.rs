//! A small agent on chat completions, with nothing but the standard library and the client.

use agent_conformance::{serve, Agent, Failure, Json, Setup, Steering, Turn};
use std::io::{Read, Write};
use std::net::TcpStream;

struct Small {
    setup: Setup,
    model: Json, // the object with `base_url`, `api_key` and `model`
    steering: Steering,
    messages: Vec<Json>,
}

fn main() {
    let list = |words: &[&str]| Json::List(words.iter().map(|word| Json::from(*word)).collect());
    let hello = Json::object([
        ("wires", list(&["openai-chat"])),
        ("features", list(&["conversation", "native-tools", "tool-filter", "request-limit", "approval", "cancel", "steering", "model-switch", "observer"])),
        ("name", "rust-example".into()),
    ]);
    serve(hello, |setup| {
        let system = Some(setup.text("system")).filter(|text| !text.is_empty());
        let messages = system.map(|text| said("system", text)).into_iter().collect();
        Ok(Small { model: setup.fields.clone(), steering: setup.steering(), setup, messages })
    });
}

fn said(role: &str, text: &str) -> Json {
    Json::object([("role", role.into()), ("content", text.into())])
}

fn gave_up(why: impl ToString) -> Failure {
    Failure::GaveUp(why.to_string())
}

impl Agent for Small {
    const SWITCH: Option<fn(&mut Self, &Json) -> Result<(), Failure>> = Some(Self::switch);

    /// What a turn has added is kept only where no call of it is open.
    fn send(&mut self, text: &str, turn: &Turn) -> Result<Option<String>, Failure> {
        let mut messages = self.messages.clone();
        messages.push(said("user", text));
        for _ in 0..self.setup.fields.get("limits").get("requests").as_usize().unwrap_or(20) {
            messages.extend(self.steering.take().iter().map(|text| said("user", text)));
            if turn.cancelled() {
                return Err(Failure::Cancelled);
            }
            let reply = self.ask(&messages)?;
            let calls = reply.get("tool_calls").items().to_vec();
            let content = reply.get("content").as_str().unwrap_or("").to_string();
            if calls.is_empty() && content.trim().is_empty() {
                return Err(gave_up("the model gave no answer"));
            }
            let mut kept = Json::object([("role", "assistant".into()), ("content", reply.get("content").clone())]);
            if !calls.is_empty() {
                kept = kept.with("tool_calls", calls.clone());
            }
            messages.push(kept);
            for call in &calls {
                let result = self.result(call)?;
                messages.push(said("tool", &result).with("tool_call_id", call.get("id").clone()));
            }
            self.messages = messages.clone();
            if calls.is_empty() {
                return Ok(Some(content));
            }
        }
        Err(gave_up("no answer within the limit"))
    }
}

impl Small {
    fn switch(&mut self, to: &Json) -> Result<(), Failure> {
        self.model = to.clone();
        Ok(())
    }

    /// What the model gets back for its call. Mistakes in the call are for the model to correct.
    fn result(&self, call: &Json) -> Result<String, Failure> {
        let name = call.get("function").get("name").as_str().unwrap_or("");
        let text = call.get("function").get("arguments").as_str().unwrap_or("").trim();
        let offered: Vec<_> = self.setup.tools.iter().filter(|tool| tool.enabled()).collect();
        let Some(tool) = offered.iter().find(|tool| tool.name == name) else {
            let names: Vec<_> = offered.iter().map(|tool| tool.name.as_str()).collect();
            return Ok(format!("Error: there is no tool {name}. There is: {}.", names.join(", ")));
        };
        match Json::parse(if text.is_empty() { "{}" } else { text }) {
            Some(arguments @ Json::Object(_)) => {
                let id = call.get("id").as_str();
                if tool.needs_approval && !tool.approve(arguments.clone(), id)? {
                    return Ok("Error: the user did not allow this call.".to_string());
                }
                self.setup.observe(Json::object([("tool", name.into())]));
                Ok(tool.call(arguments)?.unwrap_or_else(|error| format!("Error: {error}")))
            }
            _ => Ok("Error: the arguments are no JSON object.".to_string()),
        }
    }

    fn ask(&self, messages: &[Json]) -> Result<Json, Failure> {
        let mut body = Json::object([("model", self.model.get("model").clone()), ("messages", messages.to_vec().into())]);
        let offered: Vec<Json> = self.setup.tools.iter().filter(|tool| tool.enabled()).map(|tool| {
            let function = Json::object([
                ("name", tool.name.as_str().into()),
                ("description", tool.description.as_str().into()),
                ("parameters", tool.parameters.clone()),
            ]);
            Json::object([("type", "function".into()), ("function", function)])
        }).collect();
        if !offered.is_empty() {
            body = body.with("tools", offered);
        }
        let (status, answer) = post(&self.model, &body.to_string()).map_err(gave_up)?;
        let completion = Json::parse(&answer).unwrap_or(Json::Null);
        match completion.get("choices").items().first() {
            Some(choice) if status == "200" => Ok(choice.get("message").clone()),
            _ => Err(gave_up(format!("the provider answered {status}: {answer}"))),
        }
    }
}

/// The status and the body of an answer, over HTTP/1.0 so that it ends with the connection.
fn post(model: &Json, body: &str) -> std::io::Result<(String, String)> {
    let text = |name| model.get(name).as_str().unwrap_or("");
    let url = text("base_url").trim_start_matches("http://");
    let (host, path) = url.split_once('/').unwrap_or((url, ""));
    let mut stream = TcpStream::connect(host)?;
    write!(
        stream,
        "POST /{path}/chat/completions HTTP/1.0\r\nhost: {host}\r\nauthorization: Bearer {}\r\n\
         content-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        text("api_key"),
        body.len(),
    )?;
    let mut answer = vec![];
    stream.read_to_end(&mut answer)?;
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let (head, content) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    Ok((head.split(' ').nth(1).unwrap_or("nothing").to_string(), content.to_string()))
}
