//! Values that may be written as a text, a list or a table: which of them it is follows from the first look, so nothing
//! is tried and thrown away. That is worth something, because a policy is read at every start of a hook.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserialize, Deserializer, Error, IntoDeserializer, MapAccess, SeqAccess, Visitor};

use super::{EffectForm, Matcher, OneOrMany};

/// How a type is read from each shape. What a shape cannot be read as is an error.
trait Shaped<'de>: Sized {
    const EXPECTED: &'static str;
    fn of_text<D: Deserializer<'de>>(text: D) -> Result<Self, D::Error>;
    fn of_list<D: Deserializer<'de>>(list: D) -> Result<Self, D::Error>;
    fn of_table<D: Deserializer<'de>>(table: D) -> Result<Self, D::Error>;
}

struct ByShape<T>(PhantomData<T>);

impl<'de, T: Shaped<'de>> Visitor<'de> for ByShape<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::EXPECTED)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        T::of_text(text.into_deserializer())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<T, A::Error> {
        T::of_list(SeqAccessDeserializer::new(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<T, A::Error> {
        T::of_table(MapAccessDeserializer::new(table))
    }
}

macro_rules! read_by_shape {
    ($type:ty, $expected:literal, $text:path, $list:path, $table:path) => {
        impl<'de> Shaped<'de> for $type {
            const EXPECTED: &'static str = $expected;

            fn of_text<D: Deserializer<'de>>(text: D) -> Result<Self, D::Error> {
                Deserialize::deserialize(text).map($text)
            }

            fn of_list<D: Deserializer<'de>>(list: D) -> Result<Self, D::Error> {
                Deserialize::deserialize(list).map($list)
            }

            fn of_table<D: Deserializer<'de>>(table: D) -> Result<Self, D::Error> {
                Deserialize::deserialize(table).map($table)
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
                value.deserialize_any(ByShape(PhantomData))
            }
        }
    };
}

read_by_shape!(Matcher, "a text, a list or a table", Self::Is, Self::AnyOf, Self::Says);
read_by_shape!(EffectForm, "a text, a list or a table", Self::Kind, Self::AnyOf, Self::Table);

impl<'de, T: Deserialize<'de>> Shaped<'de> for OneOrMany<T> {
    const EXPECTED: &'static str = "one, or a list";

    fn of_text<D: Deserializer<'de>>(text: D) -> Result<Self, D::Error> {
        T::deserialize(text).map(Self::One)
    }

    fn of_list<D: Deserializer<'de>>(list: D) -> Result<Self, D::Error> {
        Vec::deserialize(list).map(Self::Many)
    }

    fn of_table<D: Deserializer<'de>>(table: D) -> Result<Self, D::Error> {
        T::deserialize(table).map(Self::One)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for OneOrMany<T> {
    fn deserialize<D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        value.deserialize_any(ByShape(PhantomData))
    }
}
