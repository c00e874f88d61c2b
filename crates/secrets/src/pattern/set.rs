//! Sets of bytes.

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Set([u64; 4]);

impl Set {
    pub(super) fn of(members: impl IntoIterator<Item = u8>) -> Self {
        let mut set = Self::default();
        members.into_iter().for_each(|byte| set.add(byte));
        set
    }

    /// Those that `\d`, `\w` and `\s` stand for.
    pub(super) fn named(letter: u8) -> Option<Self> {
        match letter {
            b'd' => Some(Self::of(b'0'..=b'9')),
            b'w' => Some(Self::of((0..=0x7f).filter(|&byte| is_word_byte(byte)))),
            b's' => Some(Self::of(*b"\t\n\x0b\x0c\r ")),
            b'D' | b'W' | b'S' => Self::named(letter.to_ascii_lowercase()).map(Self::negated),
            _ => None,
        }
    }

    pub(super) fn has(&self, byte: u8) -> bool {
        self.0[usize::from(byte >> 6)] >> (byte & 63) & 1 == 1
    }

    pub(super) fn add(&mut self, byte: u8) {
        self.0[usize::from(byte >> 6)] |= 1 << (byte & 63);
    }

    pub(super) fn union(self, other: Self) -> Self {
        Self(std::array::from_fn(|at| self.0[at] | other.0[at]))
    }

    pub(super) fn negated(self) -> Self {
        Self(self.0.map(|bits| !bits))
    }

    /// The set with each letter in both cases.
    pub(super) fn folded(self) -> Self {
        // Both cases stand in the second word, 32 places apart.
        let letters = 0x07ff_fffe;
        let either = (self.0[1] | self.0[1] >> 32) & letters;
        Self([self.0[0], self.0[1] | either | either << 32, self.0[2], self.0[3]])
    }
}

/// The bytes of which words are made, as `\b` takes them.
pub(super) fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
