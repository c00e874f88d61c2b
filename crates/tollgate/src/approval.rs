use std::time::SystemTime;

use tollgate_core::{Approval, Question};

/// A yes to a question, now. It holds for the very call that was asked about, and for no other.
pub fn grant(question: &Question, by: impl Into<String>) -> Approval {
    answer(question, by.into(), true)
}

/// A no to a question.
pub fn refuse(question: &Question, by: impl Into<String>) -> Approval {
    answer(question, by.into(), false)
}

fn answer(question: &Question, by: String, granted: bool) -> Approval {
    let at = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Approval { digest: question.digest, granted, by, at }
}
