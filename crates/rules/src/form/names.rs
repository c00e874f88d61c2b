//! Names from closed lists. They are kept as text, so that a name that does not exist is reported like any other
//! mistake, with its place; the schema lists those that do.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use tollgate_core::Point;
use tollgate_shell::{Flag, Kind, Place};
use tollgate_wire::form::EndedForm;

macro_rules! name {
    ($(#[$doc:meta])* $name:ident, $title:literal, $all:expr) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
        #[serde(transparent)]
        pub struct $name(pub String);

        impl $name {
            /// Those there are.
            pub fn all() -> Vec<&'static str> {
                $all
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "description": $title, "type": "string", "enum": Self::all() })
            }
        }

        impl From<&str> for $name {
            fn from(name: &str) -> Self {
                Self(name.to_owned())
            }
        }
    };
}

name!(
    /// A point of the pipeline.
    PointName,
    "A point of the pipeline.",
    Point::ALL.iter().map(|point| point.name()).collect()
);
name!(
    /// A kind of tool.
    KindName,
    "A kind of tool.",
    tollgate_wire::KINDS.to_vec()
);
name!(
    /// A kind of tool that agents bring along and whose effects are known.
    OwnKindName,
    "A kind of tool that agents bring along and whose effects are known.",
    tollgate_wire::KINDS.iter().copied().filter(|kind| !["mcp", "agent", "other"].contains(kind)).collect()
);
name!(
    /// How a call or a request ended.
    EndedName,
    "How a call or a request ended.",
    EndedForm::ALL.iter().map(|ended| ended.name()).collect()
);
name!(
    /// A kind of effect.
    EffectName,
    "A kind of effect.",
    Kind::ALL.iter().map(|kind| kind.name()).collect()
);
name!(
    /// Where a path lies.
    PlaceName,
    "Where a path lies.",
    Place::ALL.iter().map(|place| place.name()).collect()
);
name!(
    /// How an effect happens.
    FlagName,
    "How an effect happens.",
    Flag::ALL.iter().map(|flag| flag.name()).collect()
);
