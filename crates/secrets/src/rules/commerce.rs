//! Payments, shops, shipping.

use super::{Rule, Span};
use crate::check::Check;

#[rustfmt::skip]
pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "stripe-key", vendor: "Stripe", keywords: &["sk_live_", "sk_test_", "sk_prod_", "rk_live_", "rk_test_", "rk_prod_"], span: Span::Run, check: Check::Filled, least: 32,
        pattern: r"\b[sr]k_(?:live|test|prod)_[A-Za-z0-9]{24,247}\b",
        example: ["sk_live_", "icY5CDBNcLaUz3CFMGL6fizt"],
    },
    Rule {
        id: "stripe-short-key", vendor: "Stripe", keywords: &["sk_live_", "sk_test_", "rk_live_", "rk_test_"], span: Span::Run, check: Check::Mixed, least: 18,
        pattern: r"\b[sr]k_(?:live|test)_[A-Za-z0-9]{10,23}\b",
        example: ["sk_test_", "It3IF5uFtd7Kkv7"],
    },
    Rule {
        id: "stripe-webhook-secret", vendor: "Stripe", keywords: &["whsec_"], span: Span::Run, check: Check::Mixed, least: 30,
        pattern: r"\bwhsec_[A-Za-z0-9+/]{24,64}=*",
        example: ["whsec_", "vgUXV265yHpHBYXEAFNuqK3Vn02OA8bl"],
    },
    Rule {
        id: "square-token", vendor: "Square", keywords: &["sq0atp-", "sq0csp-", "sq0atb-", "sq0idp-"], span: Span::Run, check: Check::Filled, least: 29,
        pattern: r"\bsq0(?:atp|csp|atb|idp|csb|idb)-[A-Za-z0-9_-]{22,43}",
        example: ["sq0atp-", "lyQrQomEa0cHr0WUbUpoWA"],
    },
    Rule {
        id: "square-access-token", vendor: "Square", keywords: &["EAAA"], span: Span::Run, check: Check::Mixed, least: 24,
        pattern: r"(\bEAAA[A-Za-z0-9_-]{20,60})(?:[^A-Za-z0-9_-]|$)",
        example: ["EAAA", "yjUtDX8c9_zQHDjYVKhyrkMKMa4vkrWGVGYuf7zcqz-BQmzYu4rrPgblWUvi"],
    },
    Rule {
        id: "shopify-token", vendor: "Shopify", keywords: &["shpat_", "shpca_", "shppa_", "shpss_", "shptka_"], span: Span::Run, check: Check::Filled, least: 38,
        pattern: r"\bshp(?:at|ca|pa|ss|tka)_[0-9a-zA-Z]{32}\b",
        example: ["shpat_", "c803a62befb941a1e0822830cffce3fd"],
    },
    Rule {
        id: "flutterwave-key", vendor: "Flutterwave", keywords: &["flwseck", "flwpubk"], span: Span::Run, check: Check::Filled, least: 20,
        pattern: r"\bFLW(?:SECK|PUBK)(?:_TEST)?-(?:[0-9a-hA-H]{32}-X|[0-9a-hA-H]{12})\b",
        example: ["FLWSECK_TEST-", "d2ac0e1c1354aefcd0a25a62809c1e37-X"],
    },
    Rule {
        id: "duffel-token", vendor: "Duffel", keywords: &["duffel_"], span: Span::Run, check: Check::Filled, least: 55,
        pattern: r"\bduffel_(?:test|live)_[A-Za-z0-9_=-]{43}",
        example: ["duffel_test_", "mB_lT2dr8UWvGaI1GA1gQgCZyDofWhQwakXKYckVx71"],
    },
    Rule {
        id: "easypost-key", vendor: "EasyPost", keywords: &["EZAK", "EZTK"], span: Span::Run, check: Check::Filled, least: 58,
        pattern: r"\bEZ[AT]K[A-Za-z0-9]{54}\b",
        example: ["EZAK", "eJF5E2jy2m1iB4Y944hcecEjJitAqUbR5E9Ck3sYV1OqvXBl7bB9q6"],
    },
    Rule {
        id: "razorpay-key", vendor: "Razorpay", keywords: &["rzp_live_", "rzp_test_"], span: Span::Run, check: Check::Filled, least: 23,
        pattern: r"\brzp_(?:live|test)_[A-Za-z0-9]{14}\b",
        example: ["rzp_live_", "hiWYrDWcOQ33uX"],
    },
    Rule {
        id: "plaid-token", vendor: "Plaid", keywords: &["access-sandbox-", "access-development-", "access-production-"], span: Span::Run, check: Check::Filled, least: 51,
        pattern: r"\baccess-(?:sandbox|development|production)-[0-9a-f-]{36}\b",
        example: ["access-sandbox-", "ce2137b4-9a3b-28ee-823b-5444477e3af4"],
    },
    Rule {
        id: "braintree-token", vendor: "PayPal", keywords: &["access_token$"], span: Span::Run, check: Check::Filled, least: 70,
        pattern: r"access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}",
        example: ["access_token$production$", "5ddqwul9a43gbivn$19923b98a449179be2a630e91d82a37b"],
    },
    Rule {
        id: "adyen-key", vendor: "Adyen", keywords: &["AQE"], span: Span::Run, check: Check::Filled, least: 60,
        pattern: r"\bAQE[A-Za-z0-9]{5,10}[A-Za-z0-9+/]{20,}={0,2}-[A-Za-z0-9+/]{20,}={0,2}-[A-Za-z0-9!#$%&()*+./:;=?@^_{|}~-]{10,20}",
        example: ["AQE", "BqvfFNCtUT6TaJz5fDxLlfdE1rFAKYQCGx9jGhieRw2uMcMsKagyGg0idX5x=-5Jtu6PQCtH346i4QjUBlTBurdaRj8Hkvfw2xMzCGkZ8K=-pqrRfqEzlwt6w1Ny"],
    },
    Rule {
        id: "shippo-token", vendor: "Shippo", keywords: &["shippo_"], span: Span::Run, check: Check::Filled, least: 52,
        pattern: r"\bshippo_(?:live|test)_[0-9a-fA-F]{40}\b",
        example: ["shippo_live_", "4448459df2b4c4c3cbd1d716795f27249cc779fc"],
    },
    Rule {
        id: "lob-key", vendor: "Lob", keywords: &["live_", "test_"], span: Span::Run, check: Check::Random, least: 36,
        pattern: r"\b(?:live|test)_(?:pub_)?(?:[0-9a-f]{35}|[0-9a-f]{31})\b",
        example: ["live_", "933799441e4cd187fb59ae4d13e52337feb"],
    },
    Rule {
        id: "gocardless-token", vendor: "GoCardless", keywords: &["live_"], span: Span::Run, check: Check::Mixed, least: 45,
        pattern: r"(\blive_[A-Za-z0-9_=-]{40})(?:[^A-Za-z0-9_=-]|$)",
        example: ["live_", "R3zaxQURFcK2yp3GY7rN6fh-DP58I8Ee5PX_Gq2Y"],
    },
    Rule {
        id: "twitch-stream-key", vendor: "Twitch", keywords: &["live_"], span: Span::Run, check: Check::Filled, least: 42,
        pattern: r"\blive_[0-9]{6,10}_[A-Za-z0-9]{30}\b",
        example: ["live_", "430118265_V8ma0FX05ijgApqVl889ZJvn65Gz61"],
    },
    Rule {
        id: "checkout-key", vendor: "Checkout.com", keywords: &["sk_", "sk_sbox_"], span: Span::Run, check: Check::Mixed, least: 30,
        pattern: r"\bsk_(?:sbox_)?[a-z0-9]{26}[a-z0-9*#$=]\b",
        example: ["sk_sbox_", "qijkoxheignd2p9pwhn19ohhxfa"],
    },
    Rule {
        id: "mollie-key", vendor: "Mollie", keywords: &["live_", "test_"], span: Span::Run, check: Check::Mixed, least: 35,
        pattern: r"\b(?:live|test)_[A-Za-z0-9]{30}\b",
        example: ["live_", "yctm0V5WlY4A4P14owOQqVq82TUbCd"],
    },
];
