//! Monitoring, work tools and data services.

use super::{Rule, Span};
use crate::check::Check;

#[rustfmt::skip]
pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "grafana-key", vendor: "Grafana", keywords: &["eyJrIjoi"], span: Span::Run, check: Check::Filled, least: 68,
        pattern: r"\beyJrIjoi[A-Za-z0-9+/_-]{60,400}={0,2}",
        example: ["eyJrIjoi", "sFh3dJEDLo8u4MXTsRa3lu4JkBGxDjWPBM2S5Y4mwvT0OignBDxvF0PDMHqJT2cKNWdxEDr5NtkFYvys"],
    },
    Rule {
        id: "grafana-cloud-token", vendor: "Grafana", keywords: &["glc_"], span: Span::Run, check: Check::Random, least: 36,
        pattern: r"\bglc_[A-Za-z0-9+/]{32,400}={0,2}",
        example: ["glc_", "Nth4XDNYUz0IRGHUmJzdo6jONiOIxJl4aXpMMrAlyUei2FqhJA18xIJk4PTW"],
    },
    Rule {
        id: "grafana-service-account-token", vendor: "Grafana", keywords: &["glsa_"], span: Span::Run, check: Check::Filled, least: 46,
        pattern: r"\bglsa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8}\b",
        example: ["glsa_", "ajz6EWEaAanxJHB85ievsxaH9KzGZqLT_b32885fa"],
    },
    Rule {
        id: "sentry-org-token", vendor: "Sentry", keywords: &["sntrys_"], span: Span::Run, check: Check::Filled, least: 70,
        pattern: r"(\bsntrys_eyJ[A-Za-z0-9+/]{20,}={0,2}_[A-Za-z0-9+/]{43})(?:[^A-Za-z0-9+/]|$)",
        example: ["sntrys_eyJ", "k9JOcyCgGe55gSlFv75JPbscVMBAhJmoO7TWQdhm7aXdtAPtprefnvRQB8itSYTY8C56ImG6ld5P32mn_hzAXSSBYZSJtD4QFO7N9fh4sjk3EvkmY682oHq3uvgj"],
    },
    Rule {
        id: "sentry-user-token", vendor: "Sentry", keywords: &["sntryu_"], span: Span::Run, check: Check::Random, least: 71,
        pattern: r"\bsntryu_[0-9a-f]{64}\b",
        example: ["sntryu_", "419ae9e04449d06b651f6f8868edbe56cddc79657807cee0c80b7b5a0aa9dce4"],
    },
    Rule {
        id: "new-relic-key", vendor: "New Relic", keywords: &["nrak-", "nraa-", "nrii-", "nriq-", "nrjs-", "nrra-", "nral", "nril"], span: Span::Run, check: Check::Filled, least: 24,
        pattern: r"(\b(?:NRAK-[A-Za-z0-9]{27}|NRAA-[0-9a-f]{27}|NRI[IQ]-[A-Za-z0-9_-]{32}|NRJS-[0-9a-f]{19}|NRRA-[0-9a-f]{42}|[0-9a-f]{36}NR[A-Z]L))(?:[^A-Za-z0-9]|$)",
        example: ["NRAK-", "B9RHH7NAMR7PPDHYK7AVTCBNK5B"],
    },
    Rule {
        id: "pixie-key", vendor: "New Relic", keywords: &["px-api-", "px-dep-"], span: Span::Run, check: Check::Filled, least: 43,
        pattern: r"\bpx-(?:api|dep)-[0-9a-f-]{36}\b",
        example: ["px-api-", "82e170be-198a-8be6-1a91-0234f8fb79a5"],
    },
    Rule {
        id: "dynatrace-token", vendor: "Dynatrace", keywords: &["dt0c01.", "dt0s01.", "dt0e01.", "dt0s16."], span: Span::Run, check: Check::Filled, least: 96,
        pattern: r"\bdt0[a-z]\d\d\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{64}\b",
        example: ["dt0c01.", "UCN6928NAP5SNWX48N7K6XXG.30QQLRR6565AX648OBZ3QW6EU0A4FN82WWI1HTH05D5SJGWHQPQZTDJAW99PQO6C"],
    },
    Rule {
        id: "posthog-key", vendor: "PostHog", keywords: &["phx_", "phs_"], span: Span::Run, check: Check::Mixed, least: 44,
        pattern: r"\bph[xs]_[A-Za-z0-9]{40,50}\b",
        example: ["phx_", "DJXKwENHci2n8aQMU2m0TdwZW18T3Q6xlMxuKaHX0lH"],
    },
    Rule {
        id: "linear-key", vendor: "Linear", keywords: &["lin_api_", "lin_oauth_"], span: Span::Run, check: Check::Filled, least: 40,
        pattern: r"\blin_(?:api|oauth)_[A-Za-z0-9]{32,48}\b",
        example: ["lin_api_", "ubsNA3u6eFnXg9FzeSHZOS1XpZRF3vaL71lTD2yM"],
    },
    Rule {
        id: "notion-token", vendor: "Notion", keywords: &["ntn_", "secret_"], span: Span::Run, check: Check::Mixed, least: 50,
        pattern: r"\b(?:ntn_[0-9]{11}[A-Za-z0-9]{35}|secret_[A-Za-z0-9]{43})\b",
        example: ["ntn_", "33337624714nIhQ3YzYmwJWSrqpyVFuN2CeNH8vKhVSKPB"],
    },
    Rule {
        id: "airtable-token", vendor: "Airtable", keywords: &["pat"], span: Span::Run, check: Check::Filled, least: 82,
        pattern: r"\bpat[A-Za-z0-9]{14}\.[0-9a-f]{64}\b",
        example: ["pat", "3zTjb3wjegWyZE.a3905f836a2bc71f79c5e9b877873ed53d5d00fd7f5704cfe3bf1263ee3fa37e"],
    },
    Rule {
        id: "asana-token", vendor: "Asana", keywords: &["asana"], span: Span::Line, check: Check::Mixed, least: 28,
        pattern: r#"(?i)asana\w{0,20}["\'\s:=>,]{1,8}([0-9]/[0-9a-z/]{10,}:?[0-9a-z]{10,})"#,
        example: ["asana_pat = 1/", "8749281841781597:70400f13fa906ddb3bb7771cfbd8bd67"],
    },
    Rule {
        id: "figma-token", vendor: "Figma", keywords: &["figd_", "x-figma-token"], span: Span::Line, check: Check::Filled, least: 41,
        pattern: r"\b(?:(?i:x-figma-token:\s*))?(figd_[A-Za-z0-9_-]{38,44}|[0-9]{4,6}-[0-9a-f]{8}-[0-9a-f-]{27})(?:[^A-Za-z0-9_-]|$)",
        example: ["figd_", "w7vyKxM53JKZVWBOQhWKwKNTBVIuQVoTRiN0iMNw"],
    },
    Rule {
        id: "readme-key", vendor: "ReadMe", keywords: &["rdme_"], span: Span::Run, check: Check::Filled, least: 75,
        pattern: r"\brdme_[a-z0-9]{70}\b",
        example: ["rdme_", "og1fb3h4cl0z4uhm7uik6fcv7dcezqr2ntigvnnlhc64d6eig4qvyyd3yl8g0ju2oeksqd"],
    },
    Rule {
        id: "typeform-token", vendor: "Typeform", keywords: &["tfp_"], span: Span::Run, check: Check::Filled, least: 44,
        pattern: r"(\btfp_[A-Za-z0-9_=.-]{40,59})(?:[^A-Za-z0-9_=.-]|$)",
        example: ["tfp_", "Ah_kdYfXjp4grbuvruAYf8bZyUWvxdAAviCPfFBaQ57hrNJQOmvr1on_Atn"],
    },
    Rule {
        id: "frameio-token", vendor: "Frame.io", keywords: &["fio-u-"], span: Span::Run, check: Check::Filled, least: 70,
        pattern: r"\bfio-u-[A-Za-z0-9_=-]{64}",
        example: ["fio-u-", "8EguRxYYPvLiI3P5_iAWUp-wP4nHSnr5gsQMwk7xfe7ogTfj5oglqyExoqrsjKrv"],
    },
    Rule {
        id: "adafruit-key", vendor: "Adafruit", keywords: &["aio_"], span: Span::Run, check: Check::Filled, least: 32,
        pattern: r"\baio_[A-Za-z0-9]{28}\b",
        example: ["aio_", "E8QrJTq7PL45f9ZAFTRvBfPZrgqO"],
    },
    Rule {
        id: "adobe-client-secret", vendor: "Adobe", keywords: &["p8e-"], span: Span::Run, check: Check::Mixed, least: 36,
        pattern: r"(\bp8e-[A-Za-z0-9_-]{32})(?:[^A-Za-z0-9_-]|$)",
        example: ["p8e-", "2hyZOMgjTRA6UO6yP9O86yN7Gs2Hs3tl"],
    },
    Rule {
        id: "authress-key", vendor: "Authress", keywords: &[".acc_", ".acc-"], span: Span::Run, check: Check::Filled, least: 59,
        pattern: r"\b(?:sc|ext|scauth|authress)_[A-Za-z0-9]{5,30}\.[A-Za-z0-9]{4,6}\.acc[_-][A-Za-z0-9-]{10,32}\.[A-Za-z0-9+/_=-]{30,120}",
        example: ["sc_", "vuymq5fu6j.rg1h.acc_16wgmrz2kt.kVSg32F5YTVXPbULWINkvXk5fnjx8zmpz805jj5oG8mkOuADkVbvVtpQdtXd"],
    },
    Rule {
        id: "beamer-key", vendor: "Beamer", keywords: &["beamer"], span: Span::Line, check: Check::Filled, least: 53,
        pattern: r#"(?i)beamer\w{0,20}["\'\s:=>,]{1,8}(b_[a-z0-9_=-]{44})"#,
        example: ["beamerToken = b_", "TmrztC4I_RqiW75vySQPjP7QuiHaSaeAOrPI4GOQKLtk"],
    },
    Rule {
        id: "clickup-token", vendor: "ClickUp", keywords: &["pk_"], span: Span::Run, check: Check::Filled, least: 42,
        pattern: r"\bpk_\d{6,9}_[A-Z0-9]{32}\b",
        example: ["pk_", "1234567_R2P7MMBRP5LK2F2ZA06TPWCY3QVRKRFL"],
    },
    Rule {
        id: "settlemint-token", vendor: "SettleMint", keywords: &["sm_aat_", "sm_pat_", "sm_sat_"], span: Span::Run, check: Check::Filled, least: 23,
        pattern: r"\bsm_[aps]at_[A-Za-z0-9]{16}\b",
        example: ["sm_aat_", "9m111wqgvpkaxo83"],
    },
    Rule {
        id: "intra42-client-secret", vendor: "42", keywords: &["s-s4t2"], span: Span::Run, check: Check::Filled, least: 73,
        pattern: r"\bs-s4t2(?:ud|af)-[0-9a-f]{64}\b",
        example: ["s-s4t2ud-", "3eef3507fd7445108d7ca394b81d625467bf64ee7e4ca0182f0f10556871da08"],
    },
    Rule {
        id: "salesforce-token", vendor: "Salesforce", keywords: &["00D"], span: Span::Run, check: Check::Filled, least: 96,
        pattern: r"\b00D[A-Za-z0-9]{12,15}![A-Za-z0-9_.]{80,120}",
        example: ["00D", "iDEaiT0BxQK6!OMGSYIlUtoZ3txpxbcKXzo1gozHJ6kwDzmA28GxiBUhcgsjOLV6F6wyz5T9lpbpsc9aDQ5TsXLpllRzdnaPai4fPUKRTtx0J"],
    },
    Rule {
        id: "zoho-token", vendor: "Zoho", keywords: &["1000."], span: Span::Run, check: Check::Filled, least: 70,
        pattern: r"\b1000\.[0-9a-f]{32}\.[0-9a-f]{32}\b",
        example: ["1000.", "70b40f7d8edb403b52efa8d27b91272a.a76012898b315006667cf09acf5a8138"],
    },
    Rule {
        id: "ubidots-token", vendor: "Ubidots", keywords: &["BBFF-", "BBUS-"], span: Span::Run, check: Check::Filled, least: 35,
        pattern: r"\bBB(?:FF|US)-[A-Za-z0-9]{30,40}\b",
        example: ["BBFF-", "rex7AcpyDU5Nox40aB3oKvvr55j2az"],
    },
    Rule {
        id: "mongodb-service-account-secret", vendor: "MongoDB", keywords: &["mdb_sa_sk_"], span: Span::Run, check: Check::Filled, least: 50,
        pattern: r"\bmdb_sa_sk_[A-Za-z0-9_-]{40}",
        example: ["mdb_sa_sk_", "m72QFpjFfgBngvyfVu0rsLzAygTHEoU4R5gWD9ik"],
    },
    Rule {
        id: "ionic-token", vendor: "Ionic", keywords: &["ion_"], span: Span::Run, check: Check::Mixed, least: 46,
        pattern: r"\bion_[A-Za-z0-9]{42}\b",
        example: ["ion_", "AE5djNuhJNX59tD6gq7h1BZHl3IH1v3H5nShOfOfuA"],
    },
    Rule {
        id: "nightfall-key", vendor: "Nightfall", keywords: &["NF-"], span: Span::Run, check: Check::Mixed, least: 35,
        pattern: r"\bNF-[A-Za-z0-9]{32}\b",
        example: ["NF-", "z4BWWtg1adsfTk7elOhQBSvF7K67IFVu"],
    },
    Rule {
        id: "fleetbase-key", vendor: "Fleetbase", keywords: &["flb_live_", "flb_test_"], span: Span::Run, check: Check::Mixed, least: 29,
        pattern: r"\bflb_(?:live|test)_[A-Za-z0-9]{20}\b",
        example: ["flb_live_", "ZAsJieTE53Q8tC2nt3VR"],
    },
    Rule {
        id: "maxmind-license-key", vendor: "MaxMind", keywords: &["_mmk"], span: Span::Run, check: Check::Mixed, least: 40,
        pattern: r"\b[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk\b",
        example: ["5ZTNqG_", "DwMnq68diQAgPc7IeDcOW0SI7ec6z_mmk"],
    },
    Rule {
        id: "telnyx-key", vendor: "Telnyx", keywords: &["KEY"], span: Span::Run, check: Check::Mixed, least: 58,
        pattern: r"(\bKEY[A-Za-z0-9_-]{55})(?:[^A-Za-z0-9_-]|$)",
        example: ["KEY", "Hfpc8Xqh1RvXMKycy69GAeTHCRHrHAQPQKpD7fsSZkIGDI1TmJFhe8U"],
    },
    Rule {
        id: "teamwork-token", vendor: "Teamwork", keywords: &["tkn.v1_"], span: Span::Run, check: Check::Filled, least: 67,
        pattern: r"\btkn\.v1_[A-Za-z0-9+/]{60,}={0,2}",
        example: ["tkn.v1_", "cAqKboNVtfpH5leDYEoBxNL4qNvb9gkqmO22drz0ZJQXElQBfzFENKzsKqghEFGuqB4CFws="],
    },
    Rule {
        id: "shutterstock-token", vendor: "Shutterstock", keywords: &["v2/"], span: Span::Run, check: Check::Filled, least: 343,
        pattern: r"\bv2/[A-Za-z0-9]{340,400}\b",
        example: ["v2/", "8V7VpuaXxPAvrH5GUIk7SjMQuSC9jcvgPFTq5ZkOH2I9fxUZKjsJ5ASphrRlAkt2B3WWLWoTHoBM9NwM5ZRnxGGPxsSReehgIwDDaKL9nQ0cS0XUHvgnJPxZ6Pl5npSDxS5EKykQgrZ8UxOm7ysOhs5VYpkMWXapgf80QP4SuX5m0ObComW1XeCJjiWdJXmrX5iBpd1JDS1Cx4sHFQVWUwYcllDlBhPy4Nsmni8Ub9PSXYHWkxtraRtXt5uwn1N45K0TmuDx85c7Ej1ccVKj3d7FarxOvfShDaFWJkQCopNKEKsodMHnVo1GpG3WtrmYRWwyzJngYjcVVNbezA4ILK2pv9EHabDghmETjONyi2LoPLSzpMXiZI1ZSVrKElRCSiCg"],
    },
    Rule {
        id: "scrapfly-key", vendor: "Scrapfly", keywords: &["scp-live-", "scp-test-"], span: Span::Run, check: Check::Filled, least: 41,
        pattern: r"\bscp-(?:live|test)-[0-9a-f]{32}\b",
        example: ["scp-live-", "0980b85b88c8d5d42392c8f4c966429d"],
    },
    Rule {
        id: "thingsboard-token", vendor: "ThingsBoard", keywords: &["thingsboard"], span: Span::Run, check: Check::Mixed, least: 45,
        pattern: r"(?i)thingsboard\.cloud/api/v1/([a-z0-9]{20})\b",
        example: ["http://thingsboard.cloud/api/v1/", "3kdkztrwum1ajm688jju"],
    },
    Rule {
        id: "supernotes-key", vendor: "Supernotes", keywords: &["supernotes_sk-"], span: Span::Run, check: Check::Filled, least: 54,
        pattern: r"\bsupernotes_sk-[A-Za-z0-9]{40,}",
        example: ["supernotes_sk-", "h7unByGv7rWrnbVZJUVxDQPJXsSRuQYzrurPYkhjJFV"],
    },
    Rule {
        id: "mapbox-token", vendor: "Mapbox", keywords: &["pk.eyj", "sk.eyj", "tk.eyj", "pk."], span: Span::Run, check: Check::Mixed, least: 67,
        pattern: r"\b[pst]k\.eyJ[A-Za-z0-9_-]{40,}\.[A-Za-z0-9_-]{20,}",
        example: ["sk.eyJ", "RoHAUaw-ork8g6Dcovq7n_C5SZujC-atuFeCTuKi9l-nSBjHIaweNpsl1syyG-n4DCy3XFR1IgZ8wTaB.22Wxv03zhUv-0FZWtcEsFO"],
    },
    Rule {
        id: "launchdarkly-key", vendor: "LaunchDarkly", keywords: &["sdk-", "mob-"], span: Span::Run, check: Check::Filled, least: 40,
        pattern: r"\b(?:sdk|mob|api)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b",
        example: ["sdk-", "bba7cf87-e96d-89e5-84c0-5456bb6412a9"],
    },
    Rule {
        id: "onepassword-secret-key", vendor: "1Password", keywords: &["A3-"], span: Span::Run, check: Check::Mixed, least: 39,
        pattern: r"\bA3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}\b",
        example: ["A3-", "TYPYOB-ODJ1SM-HMSTN-L8WH1-SHK0B-MG6KG"],
    },
    Rule {
        id: "onepassword-service-account", vendor: "1Password", keywords: &["ops_eyj"], span: Span::Run, check: Check::Random, least: 207,
        pattern: r"\bops_eyJ[A-Za-z0-9+/_-]{200,}={0,3}",
        example: ["ops_eyJ", "x3dCiBC6u0Ta8jV4wsmZwvGwTBS60lsBQHvscVy21HI0yyKRxL9EVLE7T5Ki4Gpq3AQSZaMA6hlTWqPBJ4hsVeLFljRfFb8yKfGXTr61KskEj6NOD2FQow49u2n4NqodB6PEc4DnttDHqE2dk3eBh7vqAFXOmyve2kZLgsRwHfkR5jgZCy0fvBUfLD8mpxzhlx8ssT11AnIJ6IOns5Wt6Dm9Oj6SLVDgGjuZj3FLMkwrzDjaNFsq7dWf9N"],
    },
];
