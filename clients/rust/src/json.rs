//! JSON values, since the standard library has none. Numbers stay as they are written, so that none loses a digit.

use std::fmt;

#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    Number(String),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// The value of a text; `None` if the text is not JSON.
    pub fn parse(text: &str) -> Option<Json> {
        let mut parser = Parser { rest: text.as_bytes() };
        let value = parser.value(0)?;
        parser.space();
        parser.rest.is_empty().then_some(value)
    }

    pub fn object<const N: usize>(members: [(&str, Json); N]) -> Json {
        Json::Object(members.into_iter().map(|(key, value)| (key.to_string(), value)).collect())
    }

    /// The member of an object; `Null` where there is none.
    pub fn get(&self, key: &str) -> &Json {
        match self {
            Json::Object(members) => members.iter().rev().find(|(name, _)| name == key).map_or(&Json::Null, |(_, value)| value),
            _ => &Json::Null,
        }
    }

    /// The same object with this member at its end.
    pub fn with(mut self, key: &str, value: impl Into<Json>) -> Json {
        if let Json::Object(members) = &mut self {
            members.push((key.to_string(), value.into()));
        }
        self
    }

    pub fn as_str(&self) -> Option<&str> {
        match self {
            Json::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn as_usize(&self) -> Option<usize> {
        match self {
            Json::Number(digits) => digits.parse().ok(),
            _ => None,
        }
    }

    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Json::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The items of a list; none of anything else.
    pub fn items(&self) -> &[Json] {
        match self {
            Json::List(items) => items,
            _ => &[],
        }
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Json {
        Json::Text(text.to_string())
    }
}

impl From<String> for Json {
    fn from(text: String) -> Json {
        Json::Text(text)
    }
}

impl From<Vec<Json>> for Json {
    fn from(items: Vec<Json>) -> Json {
        Json::List(items)
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Json {
        Json::Bool(value)
    }
}

impl From<usize> for Json {
    fn from(value: usize) -> Json {
        Json::Number(value.to_string())
    }
}

impl fmt::Display for Json {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Json::Null => out.write_str("null"),
            Json::Bool(value) => write!(out, "{value}"),
            Json::Number(digits) => out.write_str(digits),
            Json::Text(text) => quoted(out, text),
            Json::List(items) => {
                out.write_str("[")?;
                for (place, item) in items.iter().enumerate() {
                    write!(out, "{}{item}", if place == 0 { "" } else { "," })?;
                }
                out.write_str("]")
            }
            Json::Object(members) => {
                out.write_str("{")?;
                for (place, (key, value)) in members.iter().enumerate() {
                    out.write_str(if place == 0 { "" } else { "," })?;
                    quoted(out, key)?;
                    write!(out, ":{value}")?;
                }
                out.write_str("}")
            }
        }
    }
}

fn quoted(out: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    out.write_str("\"")?;
    for one in text.chars() {
        match one {
            '"' => out.write_str("\\\"")?,
            '\\' => out.write_str("\\\\")?,
            '\n' => out.write_str("\\n")?,
            one if (one as u32) < 0x20 => write!(out, "\\u{:04x}", one as u32)?,
            one => write!(out, "{one}")?,
        }
    }
    out.write_str("\"")
}

const DEEPEST: usize = 200;

struct Parser<'a> {
    rest: &'a [u8],
}

impl Parser<'_> {
    fn space(&mut self) {
        while let [b' ' | b'\t' | b'\n' | b'\r', rest @ ..] = self.rest {
            self.rest = rest;
        }
    }

    fn takes(&mut self, text: &str) -> bool {
        self.space();
        let found = self.rest.starts_with(text.as_bytes());
        if found {
            self.rest = &self.rest[text.len()..];
        }
        found
    }

    fn value(&mut self, depth: usize) -> Option<Json> {
        self.space();
        match self.rest.first()? {
            _ if depth > DEEPEST => None,
            b'"' => self.text().map(Json::Text),
            b'{' => self.object(depth),
            b'[' => self.list(depth),
            b't' => self.takes("true").then_some(Json::Bool(true)),
            b'f' => self.takes("false").then_some(Json::Bool(false)),
            b'n' => self.takes("null").then_some(Json::Null),
            _ => self.number(),
        }
    }

    fn number(&mut self) -> Option<Json> {
        let length = self.rest.iter().take_while(|one| matches!(one, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')).count();
        let (digits, rest) = self.rest.split_at(length);
        self.rest = rest;
        let digits = String::from_utf8_lossy(digits).into_owned();
        let whole = digits.trim_start_matches('-');
        let has_zeros = whole.len() > 1 && whole.starts_with('0') && !whole.starts_with("0.") && !whole.starts_with("0e");
        (digits.parse::<f64>().is_ok() && !has_zeros && !digits.starts_with('+')).then_some(Json::Number(digits))
    }

    fn list(&mut self, depth: usize) -> Option<Json> {
        let mut items = vec![];
        self.takes("[");
        if self.takes("]") {
            return Some(Json::List(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            if self.takes("]") {
                return Some(Json::List(items));
            }
            self.takes(",").then_some(())?;
        }
    }

    fn object(&mut self, depth: usize) -> Option<Json> {
        let mut members = vec![];
        self.takes("{");
        if self.takes("}") {
            return Some(Json::Object(members));
        }
        loop {
            self.space();
            let key = self.text()?;
            self.takes(":").then_some(())?;
            members.push((key, self.value(depth + 1)?));
            if self.takes("}") {
                return Some(Json::Object(members));
            }
            self.takes(",").then_some(())?;
        }
    }

    fn text(&mut self) -> Option<String> {
        let [b'"', rest @ ..] = self.rest else { return None };
        self.rest = rest;
        let mut said = vec![];
        loop {
            let (&one, rest) = self.rest.split_first()?;
            self.rest = rest;
            match one {
                b'"' => return String::from_utf8(said).ok(),
                b'\\' => {
                    let (&escape, rest) = self.rest.split_first()?;
                    self.rest = rest;
                    let plain = match escape {
                        b'n' => '\n',
                        b't' => '\t',
                        b'r' => '\r',
                        b'b' => '\u{8}',
                        b'f' => '\u{c}',
                        b'"' | b'\\' | b'/' => escape as char,
                        b'u' => self.escaped()?,
                        _ => return None,
                    };
                    said.extend(plain.to_string().bytes());
                }
                0..=0x1f => return None,
                _ => said.push(one),
            }
        }
    }

    /// A character by its code, or by the two halves that it has in UTF-16. A half alone becomes a mark.
    fn escaped(&mut self) -> Option<char> {
        let first = self.unit()?;
        if !(0xd800..0xdc00).contains(&first) || !self.rest.starts_with(b"\\u") {
            return Some(char::from_u32(first).unwrap_or('\u{fffd}'));
        }
        self.rest = &self.rest[2..];
        let second = self.unit()?;
        let whole = 0x10000 + ((first - 0xd800) << 10) + second.wrapping_sub(0xdc00);
        Some(char::from_u32(whole).unwrap_or('\u{fffd}'))
    }

    fn unit(&mut self) -> Option<u32> {
        let digits = std::str::from_utf8(self.rest.get(..4)?).ok()?;
        self.rest = &self.rest[4..];
        u32::from_str_radix(digits, 16).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::Json;

    #[test]
    fn what_is_written_is_what_was_read() {
        for text in [r#"{"a":[1,2.50,-3e9,null,true],"b":"\"\\\n\u0001 é😀"}"#, "[]", "{}", "12345678901234567890"] {
            assert_eq!(Json::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(Json::parse(r#""\ud83d\ude00\/""#), Some(Json::from("😀/")));
    }

    #[test]
    fn what_is_no_json_is_none() {
        for text in ["", "{", "[1,]", "{\"a\"}", "01", "nul", "\"a", "1 2", "+1", "\"\n\""] {
            assert_eq!(Json::parse(text), None, "{text}");
        }
    }
}
