//! One pass over a stretch of text.
//!
//! Whether something is a secret depends on its own line and on what stands shortly before it, never on later lines
//! (key blocks apart, which are held back until they end), nor on where the scan began. That is what lets text be
//! redacted as it comes.

use crate::assign::{self, Assignment, Link, REACH};
use crate::closed;
use crate::custom::Additions;
use crate::inside;
use crate::keywords::{Keywords, LazyRule, Sign, Trigger};
use crate::kubernetes::Object;
use crate::names::{self, NameStrength, is_word_start};
use crate::pem::{self, Block};
use crate::rules::{self, Span, VENDORS, id};
use crate::table;
use crate::value::{self, Circumstances};
use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::ops::Range;
use std::sync::LazyLock;

/// How the placeholders begin that take the place of secrets.
pub(crate) const PLACEHOLDER_START: &str = "[redacted:";
/// The longest name of a rule in a placeholder, with its closing bracket.
const MOST_NAME: usize = 128;
/// The names of all rules of this crate.
static RULES: LazyLock<HashSet<&'static [u8]>> = LazyLock::new(|| {
    let own = [id::GENERIC, id::PASSWORD, id::VENDOR, id::PRIVATE_KEY, id::KNOWN, id::KUBERNETES];
    rules::all().map(|rule| rule.id).chain(own).map(str::as_bytes).collect()
});

/// How far before a stretch the scan looks for a name whose value stands in it.
pub(crate) const LOOK_BACK: usize = REACH + 160;

/// How far a vendor may stand before a name.
const VENDOR_REACH: usize = 100;

/// How many values that lie within an earlier one are looked at: `a=b=c=…` must not cost more than it is long.
const MOST_NESTED: u8 = 4;

/// A secret that was found. It does not hold the secret, only where it is.
///
/// ```
/// let found = tollgate_secrets::scanner().find("id AKIAQW3RT8ZX51LMNB7K.");
/// assert_eq!(found[0].rule, "aws-access-key-id");
/// assert_eq!(found[0].range, 3..23);
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Found {
    /// Which rule found it.
    pub rule: Cow<'static, str>,
    /// Where it is, in bytes of the text searched.
    pub range: Range<usize>,
}

impl fmt::Debug for Found {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} at {}..{}", self.rule, self.range.start, self.range.end)
    }
}

/// What a scan gave.
#[derive(Default)]
pub(crate) struct Outcome {
    /// The secrets in order, none overlapping.
    pub(crate) found: Vec<Found>,
    /// The first key block that is one, or may become one with the text to come.
    pub(crate) block: Option<Block>,
    /// Lines of a Kubernetes object were read, or may have been.
    pub(crate) in_object: bool,
    /// How many bytes were looked at closely, to show that no text makes this grow out of proportion.
    #[cfg_attr(not(test), expect(dead_code, reason = "tests read it"))]
    pub(crate) work: usize,
}

/// Searches `stretch`, which must begin and end at line ends or key blocks (or at the ends of the text). The text goes on
/// behind it with nothing but the opening of a key block. Key blocks that begin before `passed` are known to be none.
pub(crate) fn scan(
    keywords: &Keywords,
    additions: &Additions,
    text: &str,
    stretch: Range<usize>,
    passed: usize,
    object: &mut Object,
) -> Outcome {
    let mut scan = Scan::new(keywords, text, stretch);
    (scan.passed, scan.additions) = (passed, Some(additions));
    scan.follow_keywords();
    let in_object = object.is_open() || !scan.kinds.is_empty();
    scan.follow_objects(object);
    scan.apply_additions(additions);
    scan.settle_deferred();
    Outcome { in_object, ..scan.finish() }
}

/// The secrets of a block that is a key.
pub(crate) fn scan_block(keywords: &Keywords, text: &str, block: &Block) -> Vec<Found> {
    let mut scan = Scan::new(keywords, text, block.start()..block.end());
    block.secrets().into_iter().for_each(|secret| scan.report(Cow::Borrowed(id::PRIVATE_KEY), secret));
    scan.finish().found
}

struct Scan<'k, 't> {
    keywords: &'k Keywords,
    additions: Option<&'k Additions>,
    text: &'t [u8],
    whole: &'t str,
    stretch: Range<usize>,
    found: Vec<Found>,
    /// Values on the line after their name, by name: a name that turns out to be a secret itself does not count.
    deferred: Vec<(Range<usize>, &'static str, Range<usize>)>,
    block: Option<Block>,
    passed: usize,
    /// For each rule, the end of the text that it was applied to.
    searched: Vec<usize>,
    /// The latest vendors named, with the end of their names.
    vendors: Vec<(usize, usize)>,
    placeholder_end: usize,
    /// Where the line of the last word ends.
    line_end: usize,
    /// The last value looked at on this line, and how many lay within it.
    value: Range<usize>,
    nested: u8,
    /// Where a line says `kind:`.
    kinds: Vec<usize>,
    work: usize,
}

impl<'k, 't> Scan<'k, 't> {
    fn new(keywords: &'k Keywords, text: &'t str, stretch: Range<usize>) -> Self {
        Self {
            keywords,
            additions: None,
            text: text.as_bytes(),
            whole: text,
            stretch,
            found: Vec::new(),
            deferred: Vec::new(),
            block: None,
            passed: 0,
            searched: vec![0; keywords.rules.len()],
            vendors: Vec::new(),
            placeholder_end: 0,
            line_end: 0,
            value: 0..0,
            nested: 0,
            kinds: Vec::new(),
            work: 0,
        }
    }

    fn follow_keywords(&mut self) {
        let base = self.look_back();
        table::each_keyword(&self.text[base..self.stretch.end], |word, sign| {
            if base + word.start >= self.placeholder_end {
                self.follow(sign, base + word.start..base + word.end);
            }
        });
    }

    /// Where the names begin whose values may stand in the stretch.
    fn look_back(&self) -> usize {
        let floor = self.stretch.start.saturating_sub(LOOK_BACK);
        let before = self.text[floor..self.stretch.start].iter().enumerate().rev();
        let mut newlines = before.filter(|(_, byte)| **byte == b'\n');
        newlines.nth(assign::MOST_LINE_ENDS).map_or(floor, |(at, _)| floor + at + 1)
    }

    fn follow(&mut self, sign: Sign, word: Range<usize>) {
        let before = word.start < self.stretch.start;
        match sign {
            Sign::Trigger(trigger) => self.follow_trigger(trigger, word),
            Sign::Vendor(index) => self.follow_vendor(usize::from(index), word),
            Sign::Placeholder => {
                self.placeholder_end = self.end_of_placeholder(word.end).unwrap_or(self.placeholder_end);
            }
            Sign::Rule(index) if !before || self.is_on_first_line(&word) => self.follow_rule(usize::from(index), word),
            Sign::KeyBlock if !before => self.follow_key_block(word),
            Sign::Kubernetes if !before => self.kinds.push(word.start),
            _ => {}
        }
    }

    /// Where a placeholder ends. One that names no rule was not written by this crate, and may hold anything.
    fn end_of_placeholder(&self, start: usize) -> Option<usize> {
        let name = self.text[start..].iter().take(MOST_NAME).position(|&byte| byte == b']')?;
        let name = &self.text[start..start + name];
        let known = RULES.contains(name) || self.additions.is_some_and(|additions| additions.has(name));
        known.then_some(start + name.len())
    }

    fn follow_rule(&mut self, index: usize, word: Range<usize>) {
        let lazy = &self.keywords.rules[index];
        if word.start < self.searched[index] {
            return;
        }
        let (span, start) = match lazy.rule.span {
            Span::Run if word.start < self.stretch.start => return,
            Span::Run => (self.run_around(word.clone()), word.start),
            Span::Line => (self.line_around(word.start), self.start_of_line(word.start)),
        };
        if span.end - span.start.min(start) < lazy.rule.least {
            return;
        }
        self.searched[index] = span.end;
        if start < span.start {
            self.apply(lazy, start..span.end);
        }
        self.apply(lazy, span.clone());
        if lazy.rule.span == Span::Run {
            inside::readings(lazy.rule, &self.text[span.clone()])
                .iter()
                .for_each(|run| self.try_on(lazy, run, span.start));
        }
    }

    /// Whether a word stands on the line that the stretch begins on.
    fn is_on_first_line(&self, word: &Range<usize>) -> bool {
        !self.text[word.start..self.stretch.start].contains(&b'\n')
    }

    /// Where a line begins, in what was given out if need be: behind a key it is judged with what stands before the key.
    fn start_of_line(&self, at: usize) -> usize {
        self.text[..at].iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1)
    }

    fn apply(&mut self, lazy: &LazyRule, span: Range<usize>) {
        self.try_on(lazy, &self.text[span.clone()], span.start);
    }

    /// Tries a rule on what begins at `from`, or on another reading of the same.
    fn try_on(&mut self, lazy: &LazyRule, reading: &[u8], from: usize) {
        self.work += reading.len();
        for secret in lazy.pattern.find(reading) {
            let start = from + secret.start;
            // A quote ends whatever string the secret stands in.
            let bytes = self.text[start..from + secret.end].split(|&byte| byte == b'"').next();
            let bytes = bytes.unwrap_or_default();
            if lazy.rule.check.passes(bytes) {
                self.report(Cow::Borrowed(lazy.rule.id), start..start + bytes.len());
            }
        }
    }

    /// The unbroken run around a keyword. It ends at an escape, and begins behind one.
    fn run_around(&self, word: Range<usize>) -> Range<usize> {
        let breaks = |byte: u8| byte <= b' ' || matches!(byte, b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\' | 0x7f);
        let floor = self.stretch.start;
        let mut start = word.start;
        while start > floor && !breaks(self.text[start - 1]) && !assign::is_escape_letter(self.text, start - 1) {
            start -= 1;
        }
        let stop = self.stretch.end;
        let ends = |at: &usize| breaks(self.text[*at]) || pem::is_marker(self.text, *at);
        start..(word.end..stop).find(ends).unwrap_or(stop)
    }

    fn line_around(&self, at: usize) -> Range<usize> {
        let Range { start, end } = self.stretch;
        let before = &self.text[start..at.max(start)];
        let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(start, |newline| start + newline + 1);
        let behind = &self.text[at..end];
        let line_end = behind.iter().position(|&byte| byte == b'\n').map_or(end, |newline| at + newline);
        line_start..line_end
    }

    fn follow_key_block(&mut self, opening: Range<usize>) {
        // It ends where the stretch does only if it ends there for the sake of the next opening.
        let text = self.text;
        let begun = if opening.start < self.passed { None } else { Block::begin(text, opening) };
        let Some(mut block) = begun else { return };
        block.read(text);
        self.work += block.end() - block.start();
        let mut ended = block.clone();
        ended.finish(text);
        for secret in ended.secrets() {
            self.report(Cow::Borrowed(id::PRIVATE_KEY), secret);
        }
        if self.block.is_none() && (!block.is_complete() || block.is_key()) {
            self.block = Some(block);
        }
    }

    fn follow_vendor(&mut self, index: usize, word: Range<usize>) {
        if self.vendors.len() >= 64 {
            self.vendors.drain(..48);
        }
        if !self.is_vendor_name(&word) {
            return;
        }
        self.vendors.push((index, word.end));
        let only_crossing = !self.may_look_at(word.start);
        let Some(found) = assign::read(self.text, word.clone(), only_crossing) else { return };
        let crosses = found.crosses(self.text);
        self.note_value(&found, word.start, crosses);
        let value = &self.text[found.value.clone()];
        let fits = VENDORS[index].shapes.iter().any(|shape| shape.fits(value));
        let circumstances = Circumstances { vendor_shape: true, quoted: found.quoted, ..Circumstances::default() };
        let random = value::distinct(value) > 6 && value::entropy(value) >= 2.5;
        let identifier = names::ends_harmlessly(&self.text[found.name.clone()]);
        let named = fits && random && !identifier && !self.is_json_literal(&found);
        if named && value::is_secret(value, circumstances) && !self.belongs_to_a_rule(&found) {
            self.report_named(id::VENDOR, &found, crosses);
        }
    }

    /// A short name must not be cut out of other words: `SetSyslog`, `sumOut`.
    fn is_vendor_name(&self, word: &Range<usize>) -> bool {
        let name = &self.text[word.clone()];
        let starts = word.start == 0 || is_word_start(&self.text[word.start - 1..word.end], 1);
        let hump = name.windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
        starts && !(hump && name.len() < 6)
    }

    fn follow_trigger(&mut self, trigger: Trigger, word: Range<usize>) {
        let only_crossing = !self.may_look_at(word.start);
        let found = assign::read(self.text, word.clone(), only_crossing);
        if let Some(found) = found {
            self.judge(trigger, &found, word.clone());
        }
        if trigger != Trigger::Password
            && !only_crossing
            && let Some(tied) = assign::read_tied(self.text, word.clone())
        {
            self.judge(trigger, &tied, word);
        }
    }

    fn judge(&mut self, trigger: Trigger, found: &Assignment, word: Range<usize>) {
        // `pass` alone is also a verb: it needs a sign, and must be a word of its own.
        if trigger == Trigger::Password && word.len() == 4 {
            let goes_on = self.text.get(word.end).is_some_and(u8::is_ascii_alphabetic);
            if goes_on || !matches!(found.link, Link::Sign | Link::Colon) {
                return;
            }
        }
        let crosses = found.crosses(self.text);
        self.note_value(found, word.start, crosses);
        let value = &self.text[found.value.clone()];
        if found.value.start < self.stretch.start || self.is_json_literal(found) {
            return;
        }
        if value::is_hopeless(value) && !self.fits_a_vendor(found.name.start, word.end, value, crosses) {
            return;
        }
        let name = &self.text[found.name.clone()];
        // What stands before a name on an earlier line may have been redacted by now, so it does not count.
        let before = if crosses { &[][..] } else { self.word_before(found.name.start) };
        let Some(strength) = NameStrength::of(name, trigger, word.start - found.name.start, before) else { return };
        let circumstances = Circumstances {
            password: strength == NameStrength::Password,
            strong_name: strength != NameStrength::Weak,
            vendor_shape: self.fits_a_vendor(found.name.start, word.end, value, crosses),
            quoted: found.quoted,
            spaced: matches!(found.link, Link::Blank | Link::Hyphen),
        };
        let idle =
            strength == NameStrength::Weak && !circumstances.vendor_shape && !self.is_parameter(found.name.start);
        if !idle && value::is_secret(value, circumstances) && !self.belongs_to_a_rule(found) {
            let rule = if circumstances.password { id::PASSWORD } else { id::GENERIC };
            self.report_named(rule, found, crosses);
        }
    }

    /// Whether a rule of its own knows all values with this name or this start, so that what it passed over is none.
    fn belongs_to_a_rule(&self, found: &Assignment) -> bool {
        let value = &self.text[found.value.clone()];
        let before = &self.text[found.name.start.saturating_sub(3)..found.name.start];
        if closed::is_closed_name(before, &self.text[found.name.clone()], value) {
            return true;
        }
        let mut known = self.keywords.rules.iter().filter(|lazy| closed::is_closed_start(lazy.rule, value)).peekable();
        known.peek().is_some() && !known.any(|lazy| lazy.pattern.is_match(value) && lazy.rule.check.passes(value))
    }

    /// Reports a named value, or keeps it until it is known whether its name stays as it is.
    fn report_named(&mut self, rule: &'static str, found: &Assignment, crosses: bool) {
        if !crosses {
            self.report(Cow::Borrowed(rule), found.value.clone());
        } else if found.name.start == 0 || self.text[found.name.start - 1] != b']' {
            self.deferred.push((found.name.clone(), rule, found.value.clone()));
        }
    }

    /// Whether a name is that of a parameter, `?key=…` or `--key …`: elsewhere `key` alone is mostly one of a map.
    fn is_parameter(&self, name_start: usize) -> bool {
        let asked = name_start > 0 && matches!(self.text[name_start - 1], b'?' | b'&');
        asked || self.text[name_start..].starts_with(b"--")
    }

    /// The word before a name, as in `vendor key: …`.
    fn word_before(&self, name_start: usize) -> &[u8] {
        let end = name_start.saturating_sub(1);
        if end == 0 || self.text[end] != b' ' {
            return &[];
        }
        let floor = end.saturating_sub(24);
        let letter = |at: usize| self.text[at].is_ascii_alphanumeric();
        let start = (floor..end).rev().take_while(|&at| letter(at)).last().unwrap_or(end);
        &self.text[start..end]
    }

    /// After a quoted name and a colon only a quoted value is text; anything else is a number or a variable.
    fn is_json_literal(&self, found: &Assignment) -> bool {
        found.link == Link::Colon && found.name_quoted && !found.quoted
    }

    fn note_value(&mut self, found: &Assignment, word_start: usize, crosses: bool) {
        self.work += found.value.end - word_start;
        if !crosses && found.value.start >= self.value.end {
            (self.value, self.nested) = (found.value.clone(), 0);
        }
    }

    /// Whether a name at this place may be looked at: only so many within the value of another. A value on the next line
    /// is looked at in any case, as it is when that line comes alone.
    fn may_look_at(&mut self, name: usize) -> bool {
        if name >= self.line_end {
            let newline = self.text[name..self.stretch.end].iter().position(|&byte| byte == b'\n');
            self.line_end = newline.map_or(self.stretch.end, |at| name + at + 1);
            (self.value, self.nested) = (0..0, 0);
        }
        if self.value.contains(&name) {
            self.nested = self.nested.saturating_add(1);
        }
        !self.value.contains(&name) || self.nested < MOST_NESTED
    }

    /// Whether a vendor named in the name, or shortly before it on the line, has keys like the value.
    fn fits_a_vendor(&self, name_start: usize, name_end: usize, value: &[u8], only_name: bool) -> bool {
        let floor = if only_name { name_start } else { name_start.saturating_sub(VENDOR_REACH) };
        self.vendors.iter().rev().take(8).any(|&(index, end)| {
            end > floor
                && (end > name_start || !self.text[end..name_end].contains(&b'\n'))
                && VENDORS[index].shapes.iter().any(|shape| shape.fits(value))
        })
    }

    /// Reads the lines of Kubernetes objects.
    fn follow_objects(&mut self, object: &mut Object) {
        let mut kinds = std::mem::take(&mut self.kinds).into_iter().peekable();
        let mut at = self.stretch.start;
        if at > 0 && self.text[at - 1] != b'\n' {
            self.read_rest_of_line(*object);
            at = self.line_around(at).end + 1;
            while kinds.peek().is_some_and(|&kind| kind < at) {
                kinds.next();
            }
        }
        loop {
            if !object.is_open() {
                let Some(kind) = kinds.next() else { return };
                at = self.line_around(kind).start.max(at);
            }
            if at >= self.stretch.end {
                return;
            }
            let line = self.line_around(at);
            let line = at..line.end;
            if let Some(secret) = object.read(self.text, line.clone()) {
                self.report(Cow::Borrowed(id::KUBERNETES), secret);
            }
            at = line.end + 1;
            while kinds.peek().is_some_and(|&kind| kind < at) {
                kinds.next();
            }
        }
    }

    /// The rest of a line behind a key says nothing about the object, but it may hold a secret of it.
    fn read_rest_of_line(&mut self, mut object: Object) {
        let at = self.stretch.start;
        if object.is_open()
            && let Some(secret) = object.read(self.text, self.start_of_line(at)..self.line_around(at).end)
        {
            self.report(Cow::Borrowed(id::KUBERNETES), secret);
        }
    }

    fn apply_additions(&mut self, additions: &Additions) {
        if additions.is_empty() {
            return;
        }
        let mut at = self.stretch.start;
        let mut all = Vec::new();
        while at < self.stretch.end {
            let line = at..self.line_around(at).end;
            additions.find(self.text, line.clone(), |id, range| all.push((id, range)));
            at = line.end + 1;
        }
        all.into_iter().for_each(|(id, range)| self.report(id, range));
    }

    fn report(&mut self, rule: Cow<'static, str>, range: Range<usize>) {
        let range = if rule == id::KNOWN { range } else { self.without_torn_escapes(range) };
        let own = matches!(rule, Cow::Borrowed(name) if name != id::KNOWN && name != id::PRIVATE_KEY);
        let range = if own { self.without_marker(range) } else { range };
        let start = floor_boundary(self.whole, range.start);
        let end = ceil_boundary(self.whole, range.end);
        let inside = start >= self.stretch.start && end <= self.stretch.end && start < end;
        if inside && !self.touches_placeholder(start..end) {
            self.found.push(Found { rule, range: start..end });
        }
    }

    /// Moves the ends of a range off the middle of an escape such as `\n` or `\u00e9`, which would break a string.
    fn without_torn_escapes(&self, range: Range<usize>) -> Range<usize> {
        let mut start = range.start;
        if self.is_escaped(start) {
            start += if self.text.get(start) == Some(&b'u') { 5 } else { 1 };
        } else if let Some(escape) = self.unicode_escape_around(start) {
            start = escape + 6;
        }
        let mut end = range.end;
        if self.is_escaped(end) {
            end -= 1;
        } else if let Some(escape) = self.unicode_escape_around(end) {
            end = escape;
        }
        start..end
    }

    /// A marker of a key block must stay to be seen.
    fn without_marker(&self, range: Range<usize>) -> Range<usize> {
        range.start..pem::marker_in(self.text, range.clone()).unwrap_or(range.end)
    }

    /// Whether an odd number of backslashes stands before this place.
    fn is_escaped(&self, at: usize) -> bool {
        self.text[..at].iter().rev().take(64).take_while(|byte| **byte == b'\\').count() % 2 == 1
    }

    /// Where `\uXXXX` begins if this place is among its digits.
    fn unicode_escape_around(&self, at: usize) -> Option<usize> {
        let escape =
            (at.saturating_sub(5)..at.saturating_sub(1)).find(|&from| self.text[from..].starts_with(b"\\u"))?;
        let digits = self.text[escape + 2..].iter().take(4).take_while(|byte| byte.is_ascii_hexdigit()).count();
        (digits == 4 && self.is_escaped(escape + 1)).then_some(escape)
    }

    /// What this crate wrote is not searched again.
    fn touches_placeholder(&self, range: Range<usize>) -> bool {
        let start = range.start.saturating_sub(80);
        let end = (range.end + PLACEHOLDER_START.len()).min(self.text.len());
        let mut from = start;
        let around = |from: usize| self.text[from..end].windows(PLACEHOLDER_START.len());
        while let Some(at) = around(from).position(|window| window == PLACEHOLDER_START.as_bytes()) {
            let opening = from + at;
            let closing = self.end_of_placeholder(opening + PLACEHOLDER_START.len());
            if opening < range.end && closing.is_some_and(|closing| closing + 1 > range.start) {
                return true;
            }
            from = opening + 1;
        }
        false
    }

    fn settle_deferred(&mut self) {
        let mut deferred = std::mem::take(&mut self.deferred);
        deferred.sort_by_key(|(_, _, value)| value.start);
        for (name, rule, value) in deferred {
            let hidden = |found: &Found| found.range.start < name.end && name.start < found.range.end;
            if !self.found.iter().any(hidden) {
                self.report(Cow::Borrowed(rule), value);
            }
        }
    }

    /// Orders the findings and joins those that overlap: the longest gives its name, and none leaves a rest.
    fn finish(mut self) -> Outcome {
        self.found.sort_by_key(|found| (found.range.start, usize::MAX - found.range.end));
        let mut joined: Vec<(Found, usize)> = Vec::with_capacity(self.found.len());
        for found in self.found {
            let length = found.range.len();
            match joined.last_mut() {
                Some((last, longest)) if found.range.start < last.range.end => {
                    if length > *longest || length == *longest && last.rule == id::GENERIC {
                        *longest = length;
                        last.rule = found.rule;
                    }
                    last.range.end = last.range.end.max(found.range.end);
                }
                _ => joined.push((found, length)),
            }
        }
        let found = joined.into_iter().map(|(found, _)| found).collect();
        Outcome { found, block: self.block, in_object: false, work: self.work }
    }
}

fn floor_boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

fn ceil_boundary(text: &str, at: usize) -> usize {
    (at..=text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests;
