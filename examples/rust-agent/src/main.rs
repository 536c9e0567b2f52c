mod agent;
mod conformance;

fn main() {
    if std::env::args().any(|argument| argument == "--conformance") {
        return conformance::conformance();
    }
    eprintln!("here the agent would do what it does");
}
