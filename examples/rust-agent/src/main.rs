mod agent;
mod conformance;

fn main() {
    if std::env::args().any(|argument| argument == "--conformance") {
        return conformance::conformance();
    }
    eprintln!("a real agent would start here; run it with --conformance");
}
