//! Text that is expanded once more: the index of an array in arithmetic, a prompt.

use super::{Walk, syntax};
use crate::arg::{Arg, Stuff};
use crate::effect::{Effect, Kind};
use crate::syntax::Trouble;

/// How far values that name other variables are followed.
const FOLLOWED: usize = 6;

impl Walk<'_> {
    /// Arithmetic expands what is in brackets, also in the values of the variables that it names:
    /// `x='a[$(date)]'; echo $((x))` runs `date`.
    pub(crate) fn subscripts(&mut self, text: &str) {
        self.subscripts_within(text, FOLLOWED);
    }

    fn subscripts_within(&mut self, text: &str, left: usize) {
        if !self.weigh(text.len()) {
            return;
        }
        if let Some(at) = text.find('[')
            && runs_something(&text[at..])
        {
            self.expand_again(text);
        }
        if left == 0 {
            return;
        }
        for name in text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|name| syntax::is_name(name)) {
            let value = match self.shell.get(name) {
                Some(value) => value.first().text,
                None => continue,
            };
            if value.parse::<i64>().is_err() && self.step(1) {
                self.subscripts_within(&value, left - 1);
            }
        }
    }

    /// `${x@P}`, `PS1`: text that is expanded like what is between double quotes.
    pub(super) fn prompt(&mut self, value: &Arg) -> Option<Arg> {
        if value.from.network || value.from.decoded {
            let effect = Effect::new(Kind::RunUnseen, "expands text that came from elsewhere as a prompt");
            self.effect(Effect { flags: value.from.flags(), ..effect });
        }
        value.text.contains(['$', '`']).then(|| self.expand_again(&value.text))
    }

    fn expand_again(&mut self, text: &str) -> Arg {
        self.weigh(text.len());
        let mut expanded = Arg::default();
        self.nested(|walk| {
            let (parts, trouble) = syntax::read_expanded(text);
            if trouble == Some(Trouble::Depth) {
                walk.exhausted();
            }
            expanded = walk.quoted(&parts);
            Stuff::nothing()
        });
        expanded
    }

    /// A word that grew beyond all measure is no longer known, and the answer says so.
    pub(super) fn cut(&mut self, value: Arg) -> Arg {
        if value.text.len() <= self.longest {
            return value;
        }
        self.cut = true;
        super::parameter::hole(value.from)
    }
}

fn runs_something(text: &str) -> bool {
    text.contains("$(") || text.contains('`')
}
