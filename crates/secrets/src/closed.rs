//! Secrets of which every one has the same published form: what has their name or their start, but not their form, is
//! none, and the rules for named values leave it alone.

use crate::rules::Rule;
use crate::value::contains_ignoring_case;

/// Rules whose keywords begin tokens of a fixed form.
#[rustfmt::skip]
const CLOSED_RULES: [&str; 12] = [
    "databricks-token", "settlemint-token", "slack-token", "digitalocean-token", "shopify-token", "huggingface-token",
    "langsmith-key", "openrouter-key", "npm-token", "groq-key", "perplexity-key", "aws-bedrock-key",
];

/// Whether the value begins like the tokens of a rule that are all of one form.
pub(crate) fn is_closed_start(rule: &Rule, value: &[u8]) -> bool {
    let begins = |word: &&str| value.len() > word.len() && value[..word.len()].eq_ignore_ascii_case(word.as_bytes());
    rule.keywords.iter().any(begins) && CLOSED_RULES.contains(&rule.id)
}

/// Whether the name is that of a secret which has another form than the value. `before` is what stands before the name.
pub(crate) fn is_closed_name(before: &[u8], name: &[u8], value: &[u8]) -> bool {
    let has = |word: &str| contains_ignoring_case(name, word.as_bytes());
    if has("aws") && has("secret") && has("key") || name.eq_ignore_ascii_case(b"secret_access_key") {
        return !is_aws_secret_key(value);
    }
    // A key of Meraki has 40 hexadecimal digits.
    if has("meraki") && (has("key") || has("token")) {
        return value.len() != 40 || !value.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    }
    if has("telegram") {
        return is_broken_bot_token(value);
    }
    // A stream key of Twitch says that it is live, and has a rule. A token in `.npmrc` stands behind a registry.
    has("twitch") && has("stream") || name.eq_ignore_ascii_case(b"_authtoken") && before.ends_with(b"//:")
}

/// Whether the value has the form of a secret key of AWS, or of a service that is used with the programs of AWS:
/// 40 characters of base64, 43 at DigitalOcean, 64 hexadecimal digits at Cloudflare.
fn is_aws_secret_key(value: &[u8]) -> bool {
    let base64 = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    match value.len() {
        40 | 43 => value.iter().all(base64),
        64 => value.iter().all(u8::is_ascii_hexdigit),
        _ => false,
    }
}

/// Whether the value begins like the token of a Telegram bot, with its number and a colon, and does not go on with 35
/// characters.
fn is_broken_bot_token(value: &[u8]) -> bool {
    let mut parts = value.splitn(2, |&byte| byte == b':');
    let (Some(number), Some(secret)) = (parts.next(), parts.next()) else { return false };
    number.iter().all(u8::is_ascii_digit) && !((5..=16).contains(&number.len()) && secret.len() == 35)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_one_form_takes_no_other() {
        let closed = |name: &str, value: &str| is_closed_name(b"", name.as_bytes(), value.as_bytes());
        let forty = "Zq4vT8nB1xW6kR3m".repeat(3)[..40].to_owned();
        assert!(!closed("AWS_SECRET_ACCESS_KEY", &forty));
        assert!(!closed("AWS_SECRET_ACCESS_KEY", &"9f3c".repeat(16)));
        assert!(closed("AWS_SECRET_ACCESS_KEY", &forty[..38]));
        assert!(!closed("r2_secret_access_key", &forty[..38]));
        assert!(closed("meraki_token", &"9F3c".repeat(10)));
        assert!(!closed("meraki_token", &"9f3c".repeat(10)));
        assert!(closed("telegram_token", &format!("5550001:{}", &forty[..34])));
        assert!(!closed("telegram_token", &format!("5550001:{}", &forty[..35])));
        assert!(!closed("telegram_webhook_secret", &forty));
        assert!(is_closed_name(b"///:", b"_authToken", forty.as_bytes()));
        assert!(!is_closed_name(b"//registry/:", b"_authToken", forty.as_bytes()));
    }
}
