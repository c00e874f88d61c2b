//! Model providers.

use super::{Rule, Span};
use crate::check::Check;

#[rustfmt::skip]
pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "anthropic-key", vendor: "Anthropic", keywords: &["sk-ant-"], span: Span::Run, check: Check::Anthropic, least: 87,
        pattern: r"\bsk-ant-(?:[a-z]{2,10}\d{2,4}-)?[A-Za-z0-9_-]{80,}",
        example: ["sk-ant-api03-", "8o0AylbTULzY7POr1db4DTmHiOs3fxAFmxJ8HazSTio410xti1Tbr_bUVxtqXKa9fAFx3RnDRM7Q5Zb1ihmIjSaYMqwYqAA"],
    },
    Rule {
        id: "openai-key", vendor: "OpenAI", keywords: &["sk-proj-", "sk-svcacct-", "sk-admin-", "t3blbkfj", "sk-none-"], span: Span::Run, check: Check::Filled, least: 51,
        pattern: r"\bsk-(?:(?:proj|svcacct|admin|None|service)-)?[A-Za-z0-9_-]{20,}T3BlbkFJ[A-Za-z0-9_-]{20,}",
        example: ["sk-proj-", "Ib7d5SDABZ5PGSfREWEJgXLkfXQ66h40diW2UIDMhBi02SX0UmhB2qjwQDT3BlbkFJKKgy6H_P6HvMWkZgQpGlTjXBoIff9PgWEEDnDTdIh9R4YhX3HX9uZIi_Ot"],
    },
    Rule {
        id: "openrouter-key", vendor: "OpenRouter", keywords: &["sk-or-v1-"], span: Span::Run, check: Check::Filled, least: 73,
        pattern: r"\bsk-or-v1-[0-9a-f]{64}\b",
        example: ["sk-or-v1-", "6ec8fffd4051f315e2f82f6c420c422dcd1c14e0b3e6dec13c2597c9495e4617"],
    },
    Rule {
        id: "ai-secret-key", vendor: "DeepSeek", keywords: &["sk-"], span: Span::Run, check: Check::Random, least: 35,
        pattern: r"\bsk-[0-9a-f]{32}\b",
        example: ["sk-", "acf1ce5abeca471c19baf8be849c2e1d"],
    },
    Rule {
        id: "huggingface-token", vendor: "Hugging Face", keywords: &["hf_"], span: Span::Run, check: Check::Random, least: 37,
        pattern: r"\bhf_[A-Za-z]{34}\b",
        example: ["hf_", "IZmdxVeBqtmuNMhNQuRGrfgpxJHtERWgEY"],
    },
    Rule {
        id: "huggingface-org-token", vendor: "Hugging Face", keywords: &["api_org_"], span: Span::Run, check: Check::Random, least: 42,
        pattern: r"\bapi_org_[A-Za-z]{34}\b",
        example: ["api_org_", "cuKAYxGFlvpntGEeKMEJskoTJAVsWRvYmY"],
    },
    Rule {
        id: "replicate-token", vendor: "Replicate", keywords: &["r8_"], span: Span::Run, check: Check::Mixed, least: 40,
        pattern: r"\br8_[A-Za-z0-9]{37,48}\b",
        example: ["r8_", "17JrsiQ6NyQ5CIdZbHugnKzhv8OZgx9WMWCiY"],
    },
    Rule {
        id: "groq-key", vendor: "Groq", keywords: &["gsk_"], span: Span::Run, check: Check::Filled, least: 56,
        pattern: r"\bgsk_[A-Za-z0-9]{52}\b",
        example: ["gsk_", "UsW2j23lIinY68g6c7tWO7YnEPvDoOYNlATIJIdGAf5wjXzMTZR3"],
    },
    Rule {
        id: "perplexity-key", vendor: "Perplexity", keywords: &["pplx-"], span: Span::Run, check: Check::Filled, least: 53,
        pattern: r"\bpplx-[A-Za-z0-9]{48}\b",
        example: ["pplx-", "dCLF6eabPkRCRPTCSNSweCn0YcVKY5UPDNdN3xj7qMcpOgza"],
    },
    Rule {
        id: "xai-key", vendor: "xAI", keywords: &["xai-"], span: Span::Run, check: Check::Filled, least: 74,
        pattern: r"\bxai-[A-Za-z0-9_]{70,90}\b",
        example: ["xai-", "BRX8AE7fTWGTzMt9TMqhCaoKV8w5FfxqGYenLCbWxhRbfEOhdLr5ngaiCrMhIv4GVTKS1MqvlQtJ1j6O"],
    },
    Rule {
        id: "tavily-key", vendor: "Tavily", keywords: &["tvly-"], span: Span::Run, check: Check::Filled, least: 37,
        pattern: r"\btvly-(?:dev-|prod-)?[A-Za-z0-9]{32}\b",
        example: ["tvly-", "9JZ9ofn0jJ5CHdGM5poUW0rfh7Im47FD"],
    },
    Rule {
        id: "jina-key", vendor: "Jina", keywords: &["jina_"], span: Span::Run, check: Check::Filled, least: 65,
        pattern: r"\bjina_[0-9a-f]{32}[A-Za-z0-9_-]{28}",
        example: ["jina_", "9974aa502d4d019d3e2844e168938151O1esdxI7R26chlhzblqEsKhwvwjS"],
    },
    Rule {
        id: "nvidia-key", vendor: "NVIDIA", keywords: &["nvapi-"], span: Span::Run, check: Check::Filled, least: 66,
        pattern: r"\bnvapi-[A-Za-z0-9_-]{60,70}",
        example: ["nvapi-", "OvekRD1Tovkl8BgX7wqSifjPYnQgasrvhkun2uKy4P5gwxyDC1FKtRiEwjF8M9BD"],
    },
    Rule {
        id: "langsmith-key", vendor: "LangChain", keywords: &["lsv2_"], span: Span::Run, check: Check::Filled, least: 51,
        pattern: r"\blsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}\b",
        example: ["lsv2_pt_", "d49bc7e0f644c8261b1998b7e4717e57_53af814ea8"],
    },
    Rule {
        id: "pinecone-key", vendor: "Pinecone", keywords: &["pcsk_"], span: Span::Run, check: Check::Filled, least: 71,
        pattern: r"\bpcsk_[A-Za-z0-9]{5,6}_[A-Za-z0-9]{60,70}\b",
        example: ["pcsk_", "Sb81j_BqtkZjwuGSEgcnlhXRBeskXyCwZJO3WwFFmsCVsvGv1zgRg8MzbjyezTCHQ6dBp"],
    },
    Rule {
        id: "elevenlabs-key", vendor: "ElevenLabs", keywords: &["sk_"], span: Span::Run, check: Check::Random, least: 51,
        pattern: r"\bsk_[0-9a-f]{48}\b",
        example: ["sk_", "93ac439a18004c8d87f0bffcc1c9c2fa4cbd79fb6b441e55"],
    },
    Rule {
        id: "fireworks-key", vendor: "Fireworks", keywords: &["fw_"], span: Span::Run, check: Check::Mixed, least: 27,
        pattern: r"\bfw_[A-Za-z0-9]{24}\b",
        example: ["fw_", "OyGGA3mfo24olbNdoCV5JZBL"],
    },
    Rule {
        id: "kagi-key", vendor: "Kagi", keywords: &["kagi"], span: Span::Line, check: Check::Mixed, least: 60,
        pattern: r#"(?i)kagi\w{0,16}["\'\s:=]{1,6}([A-Za-z0-9_-]{11}\.[A-Za-z0-9_-]{43})"#,
        example: ["KAGI_API_KEY=", "m0UG_Z_PKUN.vmMJHGq9IuM9CDVORv9Dj2pKlqv-dQtqpTbr2AQ_8d5"],
    },
];
