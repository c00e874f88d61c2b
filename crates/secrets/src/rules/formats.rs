//! Formats that belong to no vendor: web tokens, headers, addresses with passwords.

use super::{Rule, Span};
use crate::check::Check;

#[rustfmt::skip]
pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "json-web-token", vendor: "any", keywords: &["eyJ"], span: Span::Run, check: Check::JsonHeader, least: 20,
        pattern: r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?",
        example: ["", "eyJhbGciOiJFZERTQSIsImtpZCI6Ims3In0.eyJzdWIiOiJyZWFkZXIifQ.gNBKBao9PmQMVWRpKBYwwXK2K68LQFqyevR3HajgZUU"],
    },
    Rule {
        id: "base64-private-key", vendor: "any", keywords: &["LS0tLS1CRUdJTi"], span: Span::Run, check: Check::None, least: 74,
        pattern: r"\bLS0tLS1CRUdJTi[A-Za-z0-9+/]{60,}={0,2}",
        example: ["LS0tLS1CRUdJTi", "F4a+n14UuoJrW8QAh6JTj3LJQpg7aPKmNHQiXClYaGhAl2h8bepFpEdiKXWl8GQ/uDbrWlWmeXwE9nmcWJxQJnGRuKLNaEZgFrus"],
    },
    Rule {
        id: "age-secret-key", vendor: "age", keywords: &["age-secret-key-"], span: Span::Run, check: Check::None, least: 74,
        pattern: r"\bAGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}\b",
        example: ["AGE-SECRET-KEY-1", "EDZCM6C4D7V47XGXSNUNHNVQXHNWF6H4T4ANZJY3W0LP3MSVRKZTWRAMU3"],
    },
    Rule {
        id: "password-hash", vendor: "any", keywords: &["$1$", "$2a$", "$2b$", "$2y$", "$5$", "$6$", "$7$", "$8$", "$9$", "$y$", "$argon2"], span: Span::Run, check: Check::None, least: 27,
        pattern: r"\$(?:1\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}|2[abxy]\$\d\d\$[./A-Za-z0-9]{53}|[56]\$(?:rounds=\d+\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{43,86}|[89]\$[./A-Za-z0-9]{14}\$[./A-Za-z0-9]{43}|y\$[./A-Za-z0-9]+\$[./A-Za-z0-9]+\$[./A-Za-z0-9]{43}|argon2(?:id|i|d)\$v=\d+\$[a-z0-9=,]+\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]{20,})",
        example: ["$6$", "XQk1lV66$moUkPVyU1h1scmdt18hTazxgV2ZyZz9d813DYH7N7d8oOy5U997b37NhaGxrOIdVn3p6ZcAoqYF1rGStuvIF8t"],
    },
    Rule {
        id: "kerberos-ticket", vendor: "any", keywords: &["$krb5"], span: Span::Run, check: Check::None, least: 213,
        pattern: r#"\$krb5(?:asrep|tgs)\$\d+\$[^\s"\'\\]{1,80}?\$[0-9a-f]{200,}"#,
        example: ["$krb5asrep$23$", "u@H:88324d68230207ad71c8290aa59cbeb6$9811aa604eeaa39d8a4c79ea60bc30dc27f3858a64ac64e0c77544ddfaa7d2fa4ea6662ea2d85e6e86a4adc71cb6217abb9e7af20eb4c81f1c75c6632c9dd289c5a4a26acaf6fc7c8dad960bb49d472aac3a1767a92ecac8418142213e44fdc1f6655dc415a8c550cbc539dcb0bec917951af0dc901e968bc8478780de0108c396b61315e6f5e36f6ecd3ade303c866e135c5bb32f7e"],
    },
    Rule {
        id: "authorization-header", vendor: "any", keywords: &["authorization"], span: Span::Line, check: Check::Mixed, least: 28,
        pattern: r#"(?i)\bauthorization["\'\\]{0,4}\s{0,4}[:=,]\s{0,4}(?:[brf]?["\']|\\")?\s{0,4}(?:[A-Za-z-]{2,12}\s{1,4})?([A-Za-z0-9_.~+/@=:|!-]{14,}=*)"#,
        example: ["Authorization: Bearer ", "jd6nAIhzvTyJKNoLE6n53Rtnu7fJDrC3"],
    },
    Rule {
        id: "basic-auth-header", vendor: "any", keywords: &["basic"], span: Span::Line, check: Check::BasicCredentials, least: 14,
        pattern: r"(?i)\bbasic\s{1,4}([A-Za-z0-9+/]{8,}={0,2})(?:[^A-Za-z0-9+/=]|$)",
        example: ["Authorization: Basic ", "cmVhZGVyOnlvMFF0SnJrb1Zkcg=="],
    },
    Rule {
        id: "bearer-token", vendor: "any", keywords: &["bearer"], span: Span::Line, check: Check::Mixed, least: 27,
        pattern: r#"(?i)\bbearer["\']?[:\s]{1,4}([A-Za-z0-9_.~+/-]{20,}=*)"#,
        example: ["Bearer ", "Hv6pTHSYc94Dt7OOXUbP5mTY0EDDr0cyBXk3CRZT"],
    },
    Rule {
        id: "url-password", vendor: "any", keywords: &["://"], span: Span::Run, check: Check::Chosen, least: 9,
        pattern: r#"://[^\s/:@"\'<>()\[\]]{0,120}:([^\s/@"\'<>\[\]()]{3,200}(?:@[^\s/@"\'<>:]{1,30})??)@[A-Za-z0-9\[$%{<.-]"#,
        example: ["postgres://app:", "NBt2ep4AyXUr@db/main"],
    },
    Rule {
        id: "curl-user", vendor: "any", keywords: &["curl"], span: Span::Line, check: Check::Chosen, least: 12,
        pattern: r#"(?i)\bcurl\b[^\n]{0,400}?\s(?:-u|--user)[\s=]{1,4}["\'{]{0,2}[^\s"\':<$]{0,80}["\'}]{0,2}:["\'{]{0,2}([^\s"\'}]{3,80})"#,
        example: ["curl -u reader:", "Fvj3Z63vH7Ld"],
    },
    Rule {
        id: "curl-user-key", vendor: "any", keywords: &["curl"], span: Span::Line, check: Check::Unguessable, least: 18,
        pattern: r#"(?i)\bcurl\b[^\n]{0,400}?\s(?:-u|--user)[\s=]{1,4}["\']?([^\s"\':$<{]{8,80}):["\'\s]"#,
        example: ["curl -u ", "3Bpm5NZZ363MAJfF: https://h"],
    },
    Rule {
        id: "user-option", vendor: "any", keywords: &["--user", "-u"], span: Span::Line, check: Check::Unguessable, least: 11,
        pattern: r#"(?:^|\s)(?:-u|--user)[\s=]{1,4}["\']?[^\s"\':]{1,80}:([^\s"\'$<{]{6,80})(?:["\'\s]|$)"#,
        example: ["  -u reader:", "sQc7e4wK8sO2"],
    },
    Rule {
        id: "network-credential", vendor: "Microsoft", keywords: &["networkcredential", "directoryentry"], span: Span::Line, check: Check::Chosen, least: 25,
        pattern: r#"(?i)\b(?:NetworkCredential|DirectoryEntry)\((?:"[^"\n]*",\s*){1,2}"([^"\n\\]{4,80})"\s*\)"#,
        example: [r#"new NetworkCredential("me", ""#, r#"8dy7ED3fjOkjIA")"#],
    },
    Rule {
        id: "base64-web-token", vendor: "any", keywords: &["ZXlK"], span: Span::Run, check: Check::EncodedWebToken, least: 64,
        pattern: r"\bZXlK[A-Za-z0-9_+/-]{60,}={0,2}",
        example: ["ZXlK", "aGJHY2lPaUpJVXpJMU5pSjkuZXlKemRXSWlPaUp5WldGa1pYSWlmUS55NkRzRzhBVGdneVFzVm5wN3Y1TUdRbkh2WmN4Q24wVXp2WEo4V3NQMlZx"],
    },
    Rule {
        id: "connection-string-password", vendor: "any", keywords: &["password=", "pwd=", ";password"], span: Span::Line, check: Check::Chosen, least: 8,
        pattern: r#"(?i)(?:;|\b)(?:password|pwd)\s{0,2}=\s{0,2}([^;\s"\'<>{}$&\\]{4,64})(?:;|["\']|$)"#,
        example: ["Server=db;User Id=app;Password=", "sesBin2laLnD;"],
    },
    Rule {
        id: "login-option", vendor: "any", keywords: &["psexec", "docker", "sshpass", "mysql", "-password"], span: Span::Line, check: Check::Chosen, least: 14,
        pattern: r#"(?i)(?:psexec|docker login|sshpass|mysql\w*|connect-\w+)\b[^\n]{0,160}?\s-(?:p|password)\s?["\']?([^\s"\'$<{-][^\s"\'$<{]{5,80})"#,
        example: ["docker login -u me -p ", "nZXFurSi1jJb530CmryX"],
    },
    Rule {
        id: "netrc-password", vendor: "any", keywords: &["machine"], span: Span::Line, check: Check::Chosen, least: 33,
        pattern: r#"\bmachine\s+\S+\s+login\s+\S+\s+password\s+([^\s"\'\\]{6,})"#,
        example: ["machine api.example.net login me password ", "q3Zr3DBWJHrL"],
    },
    Rule {
        id: "secure-string", vendor: "Microsoft", keywords: &["convertto-securestring"], span: Span::Line, check: Check::Chosen, least: 31,
        pattern: r#"(?i)ConvertTo-SecureString\s+(?:-String\s+)?["\']([^"\'$]{6,120})["\']"#,
        example: [r#"ConvertTo-SecureString ""#, r#"6lr9lUveKbEdP8szgBFd" -AsPlainText"#],
    },
    Rule {
        id: "ethereum-private-key", vendor: "any", keywords: &["0x"], span: Span::Line, check: Check::Random, least: 70,
        pattern: r"(?i)(?:private|secret|wallet|priv)[^\n]{0,60}?\b(0x[0-9a-f]{64})\b",
        example: ["private key 0x", "b10e724e387e01b9f3778da2216bd369ff5150d888d531c7bb030ce19f279201"],
    },
];
