//! The agent's side of agent conformance's protocol: lines of JSON on standard input and output. It has no dependency,
//! and knows no agent and no model. `docs/protocol.md` has the messages.

mod json;
mod session;

pub use json::Json;
use session::{lines, message, write, Session};
use std::collections::HashMap;
use std::rc::Rc;

/// Why a turn has no reply. A panic ends the process, and is a crash with its stack.
#[derive(Debug)]
pub enum Failure {
    /// A controlled failure: the agent gave up.
    GaveUp(String),
    /// The agent cannot hold the history; the case is not verified then.
    CannotRestore(String),
    /// The user has not answered yet, as `Tool::approve` says.
    Pending,
    /// The user has cancelled the turn, as `Tool::call` says.
    Cancelled,
}

/// One conversation. It is dropped when it is over.
pub trait Agent {
    /// For the feature `model-switch`: `Some(Self::switch)`, which goes on with the wire, the provider and the model of
    /// these fields. A failure is that of the next turn.
    const SWITCH: Option<fn(&mut Self, &Json) -> Result<(), Failure>> = None;
    /// For the feature `compaction`: `Some(Self::compact)`, which makes the conversation shorter before a turn.
    const COMPACT: Option<fn(&mut Self, &Turn) -> Result<(), Failure>> = None;

    /// One turn. `None` as the reply means that the deltas were it.
    fn send(&mut self, message: &str, turn: &Turn) -> Result<Option<String>, Failure>;

    /// The name that the agent offers a tool under, for each tool that it renames.
    fn tool_names(&self) -> Vec<(String, String)> {
        vec![]
    }
}

/// What an agent is made of: the fields of the protocol's `open`, and the tools with their methods.
pub struct Setup {
    pub fields: Json,
    pub tools: Vec<Tool>,
    session: Rc<Session>,
}

impl Setup {
    /// A field that is a text; empty where it is none.
    pub fn text(&self, name: &str) -> &str {
        self.fields.get(name).as_str().unwrap_or("")
    }

    /// For the feature `steering`: what the user says while a turn runs.
    pub fn steering(&self) -> Steering {
        self.session.is_heard.set(true);
        Steering { session: self.session.clone() }
    }

    /// For the feature `observer`: reports an event, which may be any JSON, to whom the agent tells what it does.
    pub fn observe(&self, event: impl Into<Json>) {
        if self.fields.get("observe").as_bool() == Some(true) {
            self.session.say(message("event").with("event", event));
        }
    }
}

/// What the user says while a turn runs.
pub struct Steering {
    session: Rc<Session>,
}

impl Steering {
    /// What the user has said since the last time: take it before each request.
    pub fn take(&self) -> Vec<String> {
        self.session.listen();
        self.session.steered.take()
    }
}

/// What an agent says and hears while it works.
pub struct Turn {
    /// The user's message where it has pictures, else `Null`.
    pub parts: Json,
    session: Rc<Session>,
}

impl Turn {
    /// A piece of text that the user sees.
    pub fn delta(&self, text: &str) {
        if !text.is_empty() {
            self.session.say(message("delta").with("text", text));
        }
    }

    /// Takes the last characters, counted in code points, off the user's screen again.
    pub fn withdraw(&self, characters: usize) {
        self.session.say(message("withdraw").with("characters", characters));
    }

    /// Takes all text of this turn off the user's screen again.
    pub fn withdraw_all(&self) {
        self.session.say(message("withdraw"));
    }

    /// Whether the user has cancelled this turn. However it then ends, it counts as cancelled.
    pub fn cancelled(&self) -> bool {
        self.session.listen();
        self.session.cancelled.get()
    }
}

/// One tool of a case, as it is offered.
pub struct Tool {
    pub name: String,
    pub description: String,
    pub parameters: Json,
    pub needs_approval: bool,
    /// Whether it is offered only once a search has found it.
    pub deferred: bool,
    session: Rc<Session>,
}

impl Tool {
    /// Whether it may be offered now: read it before each request.
    pub fn enabled(&self) -> bool {
        self.session.enabled.borrow().contains(&self.name)
    }

    /// Runs it. The inner error is for the model to read.
    pub fn call(&self, arguments: Json) -> Result<Result<String, String>, Failure> {
        let result = self.result(arguments)?;
        let text = |name| result.get(name).as_str().map(str::to_string);
        Ok(text("error").map_or(Ok(text("text").unwrap_or_default()), Err))
    }

    /// The same as the suite sends it: `text`, and `value` if it is more than a text; or `error`.
    pub fn result(&self, arguments: Json) -> Result<Json, Failure> {
        self.session.ask(message("call").with("tool", self.name.as_str()).with("arguments", arguments))
    }

    /// Whether the user allows this call of the model, which may have an id.
    pub fn approve(&self, arguments: Json, call_id: Option<&str>) -> Result<bool, Failure> {
        let asked = message("approve").with("tool", self.name.as_str()).with("arguments", arguments);
        let asked = call_id.map_or(asked.clone(), |id| asked.with("call_id", id));
        self.session.ask(asked)?.get("allowed").as_bool().ok_or(Failure::Pending)
    }
}

/// An agent, and what it shares with its tools.
struct Conversation<A> {
    agent: A,
    session: Rc<Session>,
    switched: Vec<Json>, // what the next turn begins with
}

/// Serve an agent until standard input ends. `open` makes the agent of each conversation. `hello` has the fields of the
/// protocol's hello: `wires`, and perhaps others.
pub fn serve<A: Agent>(hello: Json, mut open: impl FnMut(Setup) -> Result<A, Failure>) {
    let lines = Rc::new(lines());
    let mut conversations: HashMap<String, Conversation<A>> = HashMap::new();
    for got in lines.iter() {
        let name = got.get("session").as_str().unwrap_or("").to_string();
        match got.get("type").as_str().unwrap_or("") {
            "hello" => {
                let first = message("hello").with("protocol", 1usize).with("reuse", true).with("opened", true);
                let Json::Object(members) = &hello else { panic!("hello is an object") };
                write(&members.iter().fold(first, |all, (key, value)| all.with(key, value.clone())));
            }
            "open" => {
                let session = Rc::new(Session::new(&name, &lines));
                match opened(got, &session, hello.get("features"), &mut open) {
                    Ok(agent) => {
                        let names: Vec<_> = agent.tool_names().into_iter().map(|(own, other)| (own, other.into())).collect();
                        let first = message("opened");
                        session.say(if names.is_empty() { first } else { first.with("tool_names", Json::Object(names)) });
                        conversations.insert(name, Conversation { agent, session, switched: vec![] });
                    }
                    Err(why) => session.say(why),
                }
            }
            "close" => drop(conversations.remove(&name)),
            kind => match (kind, conversations.get_mut(&name)) {
                ("send", Some(conversation)) => conversation.turn(&got),
                ("switch", Some(conversation)) => conversation.switched.push(got),
                (_, Some(conversation)) => conversation.session.hear(&got),
                _ => {}
            },
        }
    }
}

/// The agent of a conversation, or the message that says why there is none.
fn opened<A: Agent>(
    fields: Json, session: &Rc<Session>, features: &Json, open: &mut impl FnMut(Setup) -> Result<A, Failure>,
) -> Result<A, Json> {
    let tools: Vec<Tool> = fields.get("tools").items().iter().map(|one| tool_of(one, session)).collect();
    let agent = open(Setup { fields, tools, session: session.clone() }).map_err(failed)?;
    // What the suite says is for these methods, and nobody else would hear it.
    let needed = [
        ("steering", session.is_heard.get(), "open has not taken setup.steering()"),
        ("model-switch", A::SWITCH.is_some(), "the agent has no SWITCH"),
        ("compaction", A::COMPACT.is_some(), "the agent has no COMPACT"),
    ];
    match needed.iter().find(|(feature, has, _)| !has && features.items().contains(&Json::from(*feature))) {
        Some((feature, _, why)) => {
            let why = format!("the feature {feature} is declared, and {why}");
            Err(message("error").with("message", why).with("controlled", false))
        }
        None => Ok(agent),
    }
}

impl<A: Agent> Conversation<A> {
    fn turn(&mut self, got: &Json) {
        self.session.enable(got.get("enabled"));
        self.session.cancelled.set(false);
        let ended = self.answer(got);
        self.session.listen(); // for a cancel that came during the last request
        self.session.say(match ended {
            _ if self.session.cancelled.get() => message("cancelled"),
            Ok(text) => message("reply").with("text", text.map_or(Json::Null, Json::from)),
            Err(failure) => failed(failure),
        });
    }

    fn answer(&mut self, got: &Json) -> Result<Option<String>, Failure> {
        let turn = Turn { parts: got.get("parts").clone(), session: self.session.clone() };
        for to in std::mem::take(&mut self.switched) {
            A::SWITCH.map_or(Ok(()), |switch| switch(&mut self.agent, &to))?;
        }
        if got.get("compact").as_bool() == Some(true) {
            A::COMPACT.map_or(Ok(()), |compact| compact(&mut self.agent, &turn))?;
        }
        self.agent.send(got.get("message").as_str().unwrap_or(""), &turn)
    }
}

fn tool_of(declared: &Json, session: &Rc<Session>) -> Tool {
    let text = |name| declared.get(name).as_str().unwrap_or("").to_string();
    if declared.get("enabled").as_bool() == Some(true) {
        session.enabled.borrow_mut().push(text("name"));
    }
    Tool {
        name: text("name"),
        description: text("description"),
        parameters: declared.get("parameters").clone(),
        needs_approval: text("approval") == "ask",
        deferred: declared.get("deferred").as_bool() == Some(true),
        session: session.clone(),
    }
}

fn failed(failure: Failure) -> Json {
    match failure {
        Failure::GaveUp(why) => message("error").with("message", why),
        Failure::CannotRestore(why) => message("cannot-restore").with("reason", why),
        Failure::Pending => message("parked"),
        Failure::Cancelled => message("cancelled"),
    }
}
