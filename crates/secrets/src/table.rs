//! The keywords in a table that is made when this crate is compiled, so that a process which searches little does not
//! spend its time on building an automaton.
//!
//! The last three bytes of what was read select a bit, which tells almost every place where no keyword ends, and then a
//! chain of the keywords that may end there.

use crate::keywords::{Sign, TRIGGERS};
use crate::rules::{FAMILIES, VENDORS};
use std::ops::Range;

/// Calls `report` for each keyword that ends in the text with what it announces: in the order of their ends, and the
/// longest first where several end. Case does not matter unless the keyword has a capital letter.
pub(crate) fn each_keyword(text: &[u8], mut report: impl FnMut(Range<usize>, Sign)) {
    let mut window = 0;
    for (at, &byte) in text.iter().enumerate() {
        window = moved(window, CLASSES[byte as usize]);
        if TABLE.marked[window / 64] & 1 << (window % 64) != 0 {
            TABLE.each_ending(text, at + 1, window, &mut report);
        }
    }
}

/// How many kinds of bytes are told apart: letters (whatever their case), digits, and the signs that keywords hold.
const CLASS_BITS: u32 = 6;
const CLASS_COUNT: usize = 1 << CLASS_BITS;

/// How many of the last bytes select a chain.
const WINDOW_LENGTH: usize = 3;
const WINDOWS: usize = 1 << (CLASS_BITS as usize * WINDOW_LENGTH);

/// The window after one more byte.
const fn moved(window: usize, class: u8) -> usize {
    (window << CLASS_BITS | class as usize) % WINDOWS
}

static CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = class_of(byte as u8);
        byte += 1;
    }
    classes
};

const fn class_of(byte: u8) -> u8 {
    match byte {
        b'a'..=b'z' => byte - b'a' + 1,
        b'A'..=b'Z' => byte - b'A' + 1,
        b'0'..=b'9' => byte - b'0' + 27,
        b'_' => 37,
        b'-' => 38,
        b'.' => 39,
        b'$' => 40,
        b'/' => 41,
        b':' => 42,
        b';' => 43,
        b'=' => 44,
        b'~' => 45,
        _ => 0,
    }
}

/// A keyword with what it announces, linked to the next of its chain.
#[derive(Clone, Copy)]
struct Keyword {
    /// The window at its end.
    window: u32,
    /// Where its letters are among those of all.
    start: u16,
    length: u8,
    /// It must occur in just this case.
    exact: bool,
    sign: Sign,
    /// The next keyword of the chain, counted from 1.
    next: u16,
}

struct Table {
    /// For each window, whether a keyword ends with it.
    marked: [u64; WINDOWS / 64],
    /// The first keyword of each chain, counted from 1.
    heads: [u16; CHAINS],
    keywords: [Keyword; PLACES],
    letters: [u8; LETTERS],
}

static TABLE: Table = build();

const CHAIN_BITS: u32 = 10;
const CHAINS: usize = 1 << CHAIN_BITS;

/// The chain for a window: the upper bits of a product, on which all bytes bear.
const fn chain(window: usize) -> usize {
    (window as u32).wrapping_mul(0x9e37_79b1) as usize >> (32 - CHAIN_BITS)
}

impl Table {
    fn each_ending(&self, text: &[u8], end: usize, window: usize, report: &mut impl FnMut(Range<usize>, Sign)) {
        let mut next = self.heads[chain(window)];
        while next > 0 {
            let keyword = &self.keywords[usize::from(next) - 1];
            if keyword.window as usize == window
                && let Some(start) = end.checked_sub(usize::from(keyword.length))
                && self.is_at(keyword, &text[start..end])
            {
                report(start..end, keyword.sign);
            }
            next = keyword.next;
        }
    }

    fn is_at(&self, keyword: &Keyword, text: &[u8]) -> bool {
        let start = usize::from(keyword.start);
        let word = &self.letters[start..start + text.len()];
        // Byte by byte: most words differ in their first.
        let same = |(byte, letter): (&u8, &u8)| byte == letter || !keyword.exact && byte.eq_ignore_ascii_case(letter);
        text.iter().zip(word).all(same)
    }

    /// Adds a keyword, whose letters begin at `start`, at `place`, and says where the next has its place.
    const fn add(&mut self, word: &'static str, sign: Sign, start: usize, place: usize) -> usize {
        let word = word.as_bytes();
        let [.., before, last] = word else { return place };
        let pair = moved(class_of(*before) as usize, class_of(*last));
        let keyword = Keyword {
            window: 0,
            start: start as u16,
            length: word.len() as u8,
            exact: is_exact(word, sign),
            sign,
            next: 0,
        };
        if let [.., first, _, _] = word {
            self.link(keyword, (class_of(*first) as usize) << (2 * CLASS_BITS) | pair, place);
            return place + 1;
        }
        // What stands before a keyword of two letters does not matter.
        let mut class = 0;
        while class < CLASS_COUNT {
            self.link(keyword, class << (2 * CLASS_BITS) | pair, place + class);
            class += 1;
        }
        place + CLASS_COUNT
    }

    /// Puts a keyword in front of its chain.
    const fn link(&mut self, mut keyword: Keyword, window: usize, place: usize) {
        self.marked[window / 64] |= 1 << (window % 64);
        keyword.window = window as u32;
        keyword.next = self.heads[chain(window)];
        self.keywords[place] = keyword;
        self.heads[chain(window)] = place as u16 + 1;
    }
}

/// A keyword of a token shape that has a capital letter must occur in just that case.
const fn is_exact(word: &[u8], sign: Sign) -> bool {
    let mut at = 0;
    while at < word.len() {
        if word[at].is_ascii_uppercase() && matches!(sign, Sign::Rule(_)) {
            return true;
        }
        at += 1;
    }
    false
}

/// The longest keywords come last, and so to the front of their chains; those that are the same stay in order.
const fn build() -> Table {
    let empty = Keyword { window: 0, start: 0, length: 0, exact: false, sign: Sign::Placeholder, next: 0 };
    let mut table =
        Table { marked: [0; WINDOWS / 64], heads: [0; CHAINS], keywords: [empty; PLACES], letters: [0; LETTERS] };
    let (mut length, mut place, mut letters) = (2, 0, 0);
    while length <= LONGEST {
        let mut number = COUNT;
        while number > 0 {
            number -= 1;
            let (word, sign) = ANNOUNCED[number];
            if word.len() == length {
                let (_, free) = table.letters.split_at_mut(letters);
                free.split_at_mut(length).0.copy_from_slice(word.as_bytes());
                place = table.add(word, sign, letters, place);
                letters += length;
            }
        }
        length += 1;
    }
    table
}

/// All keywords with what they announce, in the order in which what the same word announces is followed.
pub(crate) const ANNOUNCED: [(&str, Sign); COUNT] = {
    let mut all = [("", Sign::Placeholder); COUNT];
    let mut at = announce_rules(&mut all);
    let mut index = 0;
    while index < TRIGGERS.len() {
        all[at] = (TRIGGERS[index].0, Sign::Trigger(TRIGGERS[index].1));
        (at, index) = (at + 1, index + 1);
    }
    index = 0;
    while index < VENDORS.len() {
        all[at] = (VENDORS[index].word, Sign::Vendor(index as u16));
        (at, index) = (at + 1, index + 1);
    }
    index = 0;
    while index < OTHERS.len() {
        all[at] = OTHERS[index];
        (at, index) = (at + 1, index + 1);
    }
    all
};

const OTHERS: [(&str, Sign); 4] = [
    (crate::pem::OPENINGS[0], Sign::KeyBlock),
    (crate::pem::OPENINGS[1], Sign::KeyBlock),
    (crate::scan::PLACEHOLDER_START, Sign::Placeholder),
    ("kind:", Sign::Kubernetes),
];

/// Puts the keywords of token shapes in front and says how many there are.
const fn announce_rules(all: &mut [(&str, Sign); COUNT]) -> usize {
    let (mut family, mut index, mut at) = (0, 0, 0);
    while family < FAMILIES.len() {
        let mut member = 0;
        while member < FAMILIES[family].len() {
            let words = FAMILIES[family][member].keywords;
            let mut word = 0;
            while word < words.len() {
                all[at] = (words[word], Sign::Rule(index));
                (at, word) = (at + 1, word + 1);
            }
            (member, index) = (member + 1, index + 1);
        }
        family += 1;
    }
    at
}

const COUNT: usize = {
    let (mut family, mut count) = (0, TRIGGERS.len() + VENDORS.len() + OTHERS.len());
    while family < FAMILIES.len() {
        let mut member = 0;
        while member < FAMILIES[family].len() {
            count += FAMILIES[family][member].keywords.len();
            member += 1;
        }
        family += 1;
    }
    count
};

/// The length of the longest keyword, how many places all take in the chains, and how many letters they have.
const LONGEST: usize = sizes().0;
const PLACES: usize = sizes().1;
const LETTERS: usize = sizes().2;

// A keyword says in few bits where it stands.
const _: () = assert!(LONGEST <= u8::MAX as usize && PLACES < u16::MAX as usize && LETTERS <= u16::MAX as usize);

const fn sizes() -> (usize, usize, usize) {
    let (mut longest, mut places, mut letters, mut number) = (0, 0, 0, 0);
    while number < COUNT {
        let length = ANNOUNCED[number].0.len();
        longest = if length > longest { length } else { longest };
        places += if length < WINDOW_LENGTH { CLASS_COUNT } else { 1 };
        letters += length;
        number += 1;
    }
    (longest, places, letters)
}

#[cfg(test)]
mod tests;
