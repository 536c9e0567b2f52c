//! An agent without a model, for the tests: each message of the user names what it does.

use agent_conformance::{serve, Agent, Failure, Json, Setup, Steering, Turn};

struct Deeds {
    setup: Setup,
    steering: Option<Steering>,
    model: String,
    left: &'static str,
}

/// The same without the methods that features need.
struct Plain(Deeds);

fn none() -> Json {
    Json::Object(vec![])
}

impl Agent for Deeds {
    const SWITCH: Option<fn(&mut Self, &Json) -> Result<(), Failure>> = Some(Self::switch);
    const COMPACT: Option<fn(&mut Self, &Turn) -> Result<(), Failure>> = Some(Self::compact);

    fn send(&mut self, message: &str, turn: &Turn) -> Result<Option<String>, Failure> {
        let tool = &self.setup.tools[0];
        let reply = match message {
            "reply" => "Hello.".to_string(),
            "nothing" => return Ok(None),
            "stream" => {
                ["a", "", "b"].iter().for_each(|text| turn.delta(text));
                return Ok(None);
            }
            "withdraw" => {
                turn.delta("wrong");
                turn.withdraw_all();
                turn.delta("right");
                turn.withdraw(2);
                return Ok(None);
            }
            "call" => tool.call(Json::object([("city", "Oslo".into())]))?.map_err(Failure::GaveUp)?,
            "result" => {
                let Json::Object(members) = tool.result(none())? else { panic!("a result is an object") };
                let said = |key: &str| ["text", "value", "error"].contains(&key);
                Json::Object(members.into_iter().filter(|(key, _)| said(key)).collect()).to_string()
            }
            "catch" => tool.call(none())?.map_or_else(|error| format!("true: {error}"), |text| text),
            "enabled" => {
                let offered = self.setup.tools.iter().filter(|tool| tool.enabled());
                offered.map(|tool| tool.name.clone()).collect::<Vec<_>>().join(",")
            }
            "deferred" => format!("{},{}", tool.deferred, self.setup.tools[1].deferred),
            "approve" => {
                let asks = if tool.needs_approval { "ask " } else { "" };
                format!("{asks}{}", tool.approve(none(), Some("c1"))?)
            }
            "wait" => {
                while !turn.cancelled() {
                    std::thread::yield_now();
                }
                "too late".to_string()
            }
            "parts" => turn.parts.to_string(),
            "observe" => {
                self.setup.observe(Json::object([("tool", "get_weather".into())]));
                "observed".to_string()
            }
            "give up" => return Err(Failure::GaveUp("no more".to_string())),
            "forget" => return Err(Failure::CannotRestore("no place for it".to_string())),
            "call, and say what was said" => {
                tool.call(none())?.map_err(Failure::GaveUp)?;
                self.steering.as_ref().map_or(vec![], Steering::take).join(",")
            }
            "name the model" => self.model.clone(),
            "say what is left" => self.left.to_string(),
            _ => panic!("{message}"),
        };
        Ok(Some(reply))
    }

    fn tool_names(&self) -> Vec<(String, String)> {
        match self.setup.text("system") {
            "rename" => vec![("get_weather".to_string(), "weather".to_string())],
            _ => vec![],
        }
    }
}

impl Deeds {
    fn switch(&mut self, to: &Json) -> Result<(), Failure> {
        match to.get("model").as_str().unwrap_or("") {
            "unknown" => return Err(Failure::GaveUp("no such model".to_string())),
            model => self.model = model.to_string(),
        }
        Ok(())
    }

    fn compact(&mut self, _: &Turn) -> Result<(), Failure> {
        self.left = "a summary";
        Ok(())
    }
}

impl Drop for Deeds {
    fn drop(&mut self) {
        eprintln!("closed");
    }
}

impl Agent for Plain {
    fn send(&mut self, message: &str, turn: &Turn) -> Result<Option<String>, Failure> {
        self.0.send(message, turn)
    }
}

fn main() {
    let list = |words: &[&str]| Json::List(words.iter().map(|word| Json::from(*word)).collect());
    let without = std::env::args().nth(1);
    let features = match &without {
        Some(feature) => list(&["conversation", feature]),
        None => list(&["conversation", "cancel", "steering", "model-switch", "compaction"]),
    };
    let hello = Json::object([
        ("wires", list(&["openai-chat"])),
        ("features", features),
        ("side_request", Json::object([("required", list(&["title"]))])),
        ("reply_tool", Json::object([("tool", "answer".into()), ("argument", "text".into())])),
        ("instructions_as_message", true.into()),
        ("scrub", list(&["[0-9]+ ms"])),
    ]);
    let hears = without.is_none();
    let open = move |setup: Setup| match setup.text("system") {
        "fail" => Err(Failure::GaveUp("cannot be made".to_string())),
        _ => Ok(Deeds {
            model: setup.text("model").to_string(),
            steering: hears.then(|| setup.steering()),
            left: "all",
            setup,
        }),
    };
    match without {
        None => serve(hello, open),
        Some(_) => serve(hello, move |setup| open(setup).map(Plain)),
    }
}
