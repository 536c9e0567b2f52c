//! The agent's side of agent conformance's protocol: lines of JSON on standard input and output. It has no dependency,
//! and knows no agent and no model. `docs/protocol.md` has the messages.

mod json;

pub use json::Json;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::io::{self, BufRead, Write};
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

/// One conversation.
pub trait Agent {
    /// One turn. `None` as the reply means that the deltas were it.
    fn send(&mut self, message: &str, turn: &Turn) -> Result<Option<String>, Failure>;
    /// What the user says while a turn runs; for the feature `steering`.
    fn steer(&mut self, _message: &str) {
        panic!("the feature steering is declared, and the agent has no method steer")
    }
    /// The conversation goes on with this model; for the feature `model-switch`.
    fn switch(&mut self, _to: &Json) {
        panic!("the feature model-switch is declared, and the agent has no method switch")
    }
    /// The user asks for a shorter conversation, before a message; for the feature `compaction`.
    fn compact(&mut self) -> Result<(), Failure> {
        panic!("the feature compaction is declared, and the agent has no method compact")
    }
    /// The tools' names on the wire, as an object by their own names, where they differ.
    fn tool_names(&self) -> Option<Json> {
        None
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

    /// Reports an event, any JSON, where the case has an observer; for the feature `observer`.
    pub fn observe(&self, event: Json) {
        if self.fields.get("observe").as_bool() == Some(true) {
            self.session.say(message("event").with("event", event));
        }
    }
}

/// What an agent says while it works.
pub struct Turn {
    /// The parts of the user's message, where it has pictures; else null.
    pub parts: Json,
    session: Rc<Session>,
}

impl Turn {
    /// A piece of text that the user sees.
    pub fn delta(&self, text: &str) {
        self.session.say(message("delta").with("text", text));
    }

    /// Takes text off the user's screen again, as before a visible retry: the last characters, or all.
    pub fn withdraw(&self, characters: Option<usize>) {
        let all = message("withdraw");
        self.session.say(characters.map_or(all.clone(), |count| all.with("characters", count)));
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
        Ok(result.map(|result| result.get("text").as_str().unwrap_or_default().to_string()))
    }

    /// The same with `text` and `value`, which for pictures is a list of parts.
    pub fn result(&self, arguments: Json) -> Result<Result<Json, String>, Failure> {
        let result = self.session.ask(message("call").with("tool", self.name.as_str()).with("arguments", arguments))?;
        let error = result.get("error").as_str().map(str::to_string);
        Ok(error.map_or(Ok(result), Err))
    }

    /// Whether the user allows this call of the model, which may have an id.
    pub fn approve(&self, arguments: Json, call_id: Option<&str>) -> Result<bool, Failure> {
        let asked = message("approve").with("tool", self.name.as_str()).with("arguments", arguments);
        let asked = call_id.map_or(asked.clone(), |id| asked.with("call_id", id));
        self.session.ask(asked)?.get("allowed").as_bool().ok_or(Failure::Pending)
    }
}

struct Session {
    name: String,
    enabled: RefCell<Vec<String>>,
    asked: Cell<usize>,
    steered: RefCell<Vec<String>>,
}

impl Session {
    fn say(&self, message: Json) {
        write(&message.with("session", self.name.as_str()));
    }

    fn enable(&self, names: &Json) {
        if let Json::List(names) = names {
            *self.enabled.borrow_mut() = names.iter().filter_map(Json::as_str).map(str::to_string).collect();
        }
    }

    /// Sends a call or a question, and reads until its answer. One turn runs at a time, so nothing else can come.
    fn ask(&self, asked: Json) -> Result<Json, Failure> {
        self.asked.set(self.asked.get() + 1);
        self.say(asked.with("id", self.asked.get()));
        while let Some(got) = read() {
            match got.get("type").as_str() {
                Some("cancel") => return Err(Failure::Cancelled),
                Some("steer") => self.steered.borrow_mut().extend(got.get("message").as_str().map(str::to_string)),
                _ if got.get("id").as_usize() == Some(self.asked.get()) => {
                    self.enable(got.get("enabled"));
                    return Ok(got);
                }
                _ => {}
            }
        }
        std::process::exit(0)
    }
}

/// Serve an agent until standard input ends. `open` makes the agent of each conversation. `hello` has the fields of the
/// protocol's hello: `wires`, and perhaps `modes`, `features`, `name` and `version`.
pub fn serve(hello: Json, mut open: impl FnMut(Setup) -> Result<Box<dyn Agent>, Failure>) {
    let mut sessions: HashMap<String, (Rc<Session>, Box<dyn Agent>)> = HashMap::new();
    while let Some(got) = read() {
        let name = got.get("session").as_str().unwrap_or("").to_string();
        match got.get("type").as_str().unwrap_or("") {
            "hello" => {
                let first = message("hello").with("protocol", 1usize).with("reuse", true).with("opened", true);
                let Json::Object(members) = &hello else { panic!("hello is an object") };
                write(&members.iter().fold(first, |all, (key, value)| all.with(key, value.clone())));
            }
            "open" => {
                let session = Rc::new(Session {
                    name: name.clone(),
                    enabled: RefCell::default(),
                    asked: Cell::new(0),
                    steered: RefCell::default(),
                });
                let tools: Vec<Tool> = got.get("tools").items().iter().map(|one| tool_of(one, &session)).collect();
                *session.enabled.borrow_mut() = tools.iter().map(|tool| tool.name.clone()).collect();
                match open(Setup { fields: got, tools, session: session.clone() }) {
                    Ok(agent) => {
                        let opened = message("opened");
                        session.say(agent.tool_names().map_or(opened.clone(), |names| opened.with("tool_names", names)));
                        sessions.insert(name, (session, agent));
                    }
                    Err(failure) => session.say(failed(failure)),
                }
            }
            "close" => drop(sessions.remove(&name)),
            kind => {
                let Some((session, agent)) = sessions.get_mut(&name) else { continue };
                match kind {
                    "send" => {
                        session.enable(got.get("enabled"));
                        let turn = Turn { parts: got.get("parts").clone(), session: session.clone() };
                        let compacts = got.get("compact").as_bool() == Some(true);
                        let ready = if compacts { agent.compact() } else { Ok(()) };
                        let ended = ready.and_then(|()| agent.send(got.get("message").as_str().unwrap_or(""), &turn));
                        session.say(match ended {
                            Ok(text) => message("reply").with("text", text.map_or(Json::Null, Json::from)),
                            Err(failure) => failed(failure),
                        });
                        for said in session.steered.take() {
                            agent.steer(&said);
                        }
                    }
                    "steer" => agent.steer(got.get("message").as_str().unwrap_or("")),
                    "switch" => agent.switch(&got),
                    _ => {} // a later version of the suite may send other messages
                }
            }
        }
    }
}

fn tool_of(declared: &Json, session: &Rc<Session>) -> Tool {
    let text = |name| declared.get(name).as_str().unwrap_or("").to_string();
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

fn message(kind: &str) -> Json {
    Json::object([("type", kind.into())])
}

fn read() -> Option<Json> {
    let mut line = String::new();
    match io::stdin().lock().read_line(&mut line) {
        Ok(0) | Err(_) => None,
        Ok(_) => Some(Json::parse(&line).expect("a line of the suite is JSON")),
    }
}

fn write(message: &Json) {
    let mut out = io::stdout().lock();
    if writeln!(out, "{message}").and_then(|()| out.flush()).is_err() {
        std::process::exit(0); // the suite is gone
    }
}
