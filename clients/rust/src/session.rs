//! What the parts of one conversation share, and the lines between the suite and this process. Knows no agent.

use crate::{Failure, Json};
use std::cell::{Cell, RefCell};
use std::io::{self, Write};
use std::rc::Rc;
use std::sync::mpsc::{channel, Receiver};

/// What the parts of one conversation share.
pub struct Session {
    name: String,
    lines: Rc<Receiver<Json>>,
    pub enabled: RefCell<Vec<String>>,
    asked: Cell<usize>,
    pub steered: RefCell<Vec<String>>,
    pub is_heard: Cell<bool>,
    pub cancelled: Cell<bool>,
}

impl Session {
    pub fn new(name: &str, lines: &Rc<Receiver<Json>>) -> Session {
        Session {
            name: name.to_string(),
            lines: lines.clone(),
            enabled: RefCell::default(),
            asked: Cell::new(0),
            steered: RefCell::default(),
            is_heard: Cell::new(false),
            cancelled: Cell::new(false),
        }
    }

    pub fn say(&self, message: Json) {
        write(&message.with("session", self.name.as_str()));
    }

    pub fn enable(&self, names: &Json) {
        if let Json::List(names) = names {
            *self.enabled.borrow_mut() = names.iter().filter_map(Json::as_str).map(str::to_string).collect();
        }
    }

    /// What arrives while a turn runs, and is no answer.
    pub fn hear(&self, got: &Json) {
        match got.get("type").as_str() {
            Some("cancel") => self.cancelled.set(true),
            Some("steer") => self.steered.borrow_mut().extend(got.get("message").as_str().map(str::to_string)),
            _ => {} // a later version of the suite may send other messages
        }
    }

    pub fn listen(&self) {
        self.lines.try_iter().for_each(|got| self.hear(&got));
    }

    /// Sends a call or a question, and reads until its answer.
    pub fn ask(&self, asked: Json) -> Result<Json, Failure> {
        self.listen();
        let id = self.asked.get() + 1;
        self.asked.set(id);
        if !self.cancelled.get() {
            self.say(asked.with("id", id));
        }
        while !self.cancelled.get() {
            let Ok(got) = self.lines.recv() else { std::process::exit(0) };
            if matches!(got.get("type").as_str(), Some("result" | "approval")) && got.get("id").as_usize() == Some(id) {
                self.enable(got.get("enabled"));
                return Ok(got);
            }
            self.hear(&got);
        }
        Err(Failure::Cancelled)
    }
}

pub fn message(kind: &str) -> Json {
    Json::object([("type", kind.into())])
}

/// What the suite sends, line by line, until it ends. A thread reads it, so that a turn can look for a message.
pub fn lines() -> Receiver<Json> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for line in io::stdin().lines().map_while(Result::ok) {
            if sender.send(Json::parse(&line).expect("a line of the suite is JSON")).is_err() {
                break;
            }
        }
    });
    receiver
}

pub fn write(message: &Json) {
    let mut out = io::stdout().lock();
    if writeln!(out, "{message}").and_then(|()| out.flush()).is_err() {
        std::process::exit(0); // the suite is gone
    }
}
