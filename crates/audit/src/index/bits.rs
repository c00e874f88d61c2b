//! Which records of a block: a set of small numbers.

/// How many records a block has room for.
pub(super) const BLOCK: u64 = 4096;
const WORDS: usize = 64;
/// How long a set is when it stands there with a bit for each record.
const DENSE: usize = WORDS * 8;

/// A set of places in a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bits([u64; WORDS]);

impl Bits {
    /// Those from `from` on, and before `to`.
    pub(super) fn range(from: u64, to: u64) -> Self {
        let below = |end: u64, word: u64| match end.saturating_sub(word * 64) {
            0 => 0,
            bits @ 1..64 => (1 << bits) - 1,
            _ => u64::MAX,
        };
        let mut words = [0; WORDS];
        for (number, word) in (0..).zip(&mut words) {
            *word = below(to, number) & !below(from, number);
        }
        Self(words)
    }

    /// Leaves only those that are in the other set too.
    pub(super) fn and(&mut self, other: &Self) {
        for (word, other) in self.0.iter_mut().zip(&other.0) {
            *word &= other;
        }
    }

    pub(super) fn count(&self) -> u64 {
        self.0.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// The largest first.
    pub(super) fn down(&self) -> impl Iterator<Item = u64> + '_ {
        let words = (0_u32..WORDS as u32).zip(&self.0).rev();
        words.flat_map(|(number, word)| {
            let mut rest = *word;
            std::iter::from_fn(move || {
                let bit = 63_u64.checked_sub(u64::from(rest.leading_zeros()))?;
                rest &= !(1 << bit);
                Some(u64::from(number) * 64 + bit)
            })
        })
    }

    /// From how it is kept. None if nobody can have written that.
    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut words = [0; WORDS];
        if bytes.len() == DENSE {
            for (word, bytes) in words.iter_mut().zip(bytes.as_chunks::<8>().0) {
                *word = u64::from_le_bytes(*bytes);
            }
            return Some(Self(words));
        }
        let (places, rest) = bytes.as_chunks::<2>();
        for place in places {
            let place = u16::from_le_bytes(*place);
            *words.get_mut(usize::from(place / 64))? |= 1 << (place % 64);
        }
        rest.is_empty().then_some(Self(words))
    }
}

/// How a set is kept: as its numbers while they are few, else with a bit for each record.
pub(super) fn encode(places: &[u16]) -> Vec<u8> {
    if places.len() * 2 < DENSE {
        return places.iter().flat_map(|place| place.to_le_bytes()).collect();
    }
    let mut bytes = vec![0; DENSE];
    for place in places {
        if let Some(byte) = bytes.get_mut(usize::from(place / 8)) {
            *byte |= 1 << (place % 8);
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(places: &[u16]) {
        let bits = Bits::decode(&encode(places)).unwrap();
        let down: Vec<u64> = places.iter().rev().map(|place| u64::from(*place)).collect();
        assert_eq!(bits.down().collect::<Vec<_>>(), down);
        assert_eq!(bits.count(), places.len() as u64);
        for (from, to) in [(0, 4096), (0, 0), (1, 64), (63, 65), (100, 99), (4095, 4096), (0, u64::MAX), (64, 4000)] {
            let mut cut = bits.clone();
            cut.and(&Bits::range(from, to));
            let inside: Vec<u64> = down.iter().copied().filter(|place| (from..to).contains(place)).collect();
            assert_eq!(cut.down().collect::<Vec<_>>(), inside, "{from}..{to}");
        }
    }

    #[test]
    fn sets_are_what_they_were_however_they_are_kept() {
        check(&[]);
        check(&[0, 63, 64, 65, 4095]);
        check(&(0..255).map(|place| place * 7).collect::<Vec<_>>());
        check(&(0..256).map(|place| place * 7).collect::<Vec<_>>());
        check(&(0..4096).collect::<Vec<_>>());
    }

    #[test]
    fn what_is_no_set() {
        assert_eq!(Bits::decode(&[1]), None);
        assert_eq!(Bits::decode(&[0xff, 0xff]), None);
        assert_eq!(Bits::decode(&[0; 513]), None);
    }
}
