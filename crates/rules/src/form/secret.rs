//! Conditions on credentials.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether there is a credential.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(untagged, expecting = "true, false or \"evident\"")]
pub enum SecretForm {
    /// One of any sort is there, or none is.
    Is(bool),
    /// One of this sort is there.
    Of(SecretSort),
}

/// Sorts of credentials.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SecretSort {
    /// Known by its looks. A password is known by the name of its field, and a service is given its own.
    Evident,
}
