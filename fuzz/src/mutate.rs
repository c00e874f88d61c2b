//! Makes new inputs out of old ones.

/// A stream of inputs that depends on its seed alone.
pub(crate) struct Mutator {
    state: u64,
}

/// Longer than this teaches nothing new and costs runs.
const LONGEST: usize = 16 * 1024;

impl Mutator {
    pub(crate) fn new(seed: u64) -> Self {
        Self { state: seed | 1 }
    }

    /// One of the corpus, changed a few times.
    pub(crate) fn next(&mut self, corpus: &[Vec<u8>], words: &[&str]) -> Vec<u8> {
        let mut input = self.pick(corpus).cloned().unwrap_or_default();
        for _ in 0..=self.below(6) {
            self.change(&mut input, corpus, words);
        }
        input.truncate(LONGEST);
        input
    }

    fn change(&mut self, input: &mut Vec<u8>, corpus: &[Vec<u8>], words: &[&str]) {
        let at = self.below(input.len() + 1);
        match self.below(9) {
            0 => input.insert(at, self.random() as u8),
            1 => self.flip(input, at),
            2 => drop(input.splice(at..at, self.word(words))),
            3 => drop(input.drain(self.range(input.len()))),
            4 => self.repeat(input, at),
            5 => self.splice(input, at, corpus),
            6 => self.wrap(input),
            7 => input.truncate(at),
            _ => input.extend(self.word(words)),
        }
    }

    fn flip(&mut self, input: &mut [u8], at: usize) {
        let bit = 1 << self.below(8);
        if let Some(byte) = input.get_mut(at) {
            *byte ^= bit;
        }
    }

    fn word(&mut self, words: &[&str]) -> Vec<u8> {
        self.pick(words).map(|word| word.as_bytes().to_vec()).unwrap_or_default()
    }

    /// Nesting and repetition are what parsers break on.
    fn repeat(&mut self, input: &mut Vec<u8>, at: usize) {
        let range = self.range(input.len());
        let piece = input[range].to_vec();
        let times = 1 + self.below(if piece.len() < 8 { 200 } else { 8 });
        input.splice(at..at, piece.repeat(times));
    }

    fn splice(&mut self, input: &mut Vec<u8>, at: usize, corpus: &[Vec<u8>]) {
        let Some(other) = self.pick(corpus) else { return };
        let range = self.range(other.len());
        input.splice(at..at, other[range].to_vec());
    }

    fn wrap(&mut self, input: &mut Vec<u8>) {
        const PAIRS: &[(&str, &str)] =
            &[("(", ")"), ("{ ", "; }"), ("$(", ")"), ("\"", "\""), ("'", "'"), ("`", "`"), ("${", "}"), ("[", "]")];
        if let Some((open, close)) = self.pick(PAIRS).copied() {
            let times = 1 + self.below(40);
            input.splice(0..0, open.repeat(times).into_bytes());
            input.extend(close.repeat(times).into_bytes());
        }
    }

    fn range(&mut self, length: usize) -> std::ops::Range<usize> {
        let (a, b) = (self.below(length + 1), self.below(length + 1));
        a.min(b)..a.max(b)
    }

    fn pick<'t, T>(&mut self, from: &'t [T]) -> Option<&'t T> {
        let at = self.below(from.len().max(1));
        from.get(at)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.random() % limit.max(1) as u64) as usize
    }

    /// xorshift64*
    fn random(&mut self) -> u64 {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        self.state.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_inputs_again() {
        let corpus = [b"rm -rf /".to_vec(), b"ls".to_vec()];
        let inputs = |seed| {
            let mut mutator = Mutator::new(seed);
            (0..200).map(|_| mutator.next(&corpus, &["&&", "$("])).collect::<Vec<_>>()
        };
        assert_eq!(inputs(7), inputs(7));
        assert_ne!(inputs(7), inputs(9));
    }
}
