//! Chat, mail and social networks.

use super::{Rule, Span};
use crate::check::Check;

#[rustfmt::skip]
pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "slack-token", vendor: "Slack", keywords: &["xoxa-", "xoxb-", "xoxc-", "xoxd-", "xoxe-", "xoxe.", "xoxo-", "xoxp-", "xoxr-", "xoxs-"], span: Span::Run, check: Check::Mixed, least: 17,
        pattern: r"\bxox(?:[abcdeops](?:\.xox[bp])?-[A-Za-z0-9-]{20,}|[ar]-[A-Za-z0-9-]{12,})",
        example: ["xoxb-", "975359686436-133695885658-5PLfqDYw7AcQQaitqkexsRBK"],
    },
    Rule {
        id: "slack-app-token", vendor: "Slack", keywords: &["xapp-"], span: Span::Run, check: Check::Mixed, least: 29,
        pattern: r"\bxapp-[A-Za-z0-9/-]{24,}",
        example: ["xapp-", "1-AXYRVG2DX0I-4175948187388-73fa6724d6fbb736d2ebfef59bcf78c6347481bc4a01f6e513d7b4172374bb74"],
    },
    Rule {
        id: "slack-webhook", vendor: "Slack", keywords: &["hooks.slack.com"], span: Span::Run, check: Check::Mixed, least: 65,
        pattern: r"hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9+/]{40,}",
        example: ["https://hooks.slack.com/services/", "TF23N7ORU/B3EVDAYVX/Ugt2AyWhRcmS3TOADv4xPVQw"],
    },
    Rule {
        id: "discord-webhook", vendor: "Discord", keywords: &["discord.com/api/webhooks", "discordapp.com/api/webhooks"], span: Span::Run, check: Check::Filled, least: 103,
        pattern: r"discord(?:app)?\.com/api/webhooks/\d{17,19}/[A-Za-z0-9_-]{60,72}",
        example: ["https://discord.com/api/webhooks/", "392664274751258849/DdgeHNtIuhCbiNUvFlkXD6AlcqKXZwJU811XGhfT6nrDcHhAXDz8HcV4aRTQLZ-wbuDh"],
    },
    Rule {
        id: "discord-bot-token", vendor: "Discord", keywords: &["MDA", "MDE", "MDI", "MDM", "MDQ", "MDU", "MDY", "MDc", "MDg", "MDk", "MTA", "MTE", "MTI", "MTM", "MTQ", "MTU", "MTY", "MTc", "MTg", "MTk", "MjA", "MjE", "MjI", "MjM", "MjQ", "MjU", "MjY", "Mjc", "Mjg", "Mjk", "MzA", "MzE", "MzI", "MzM", "MzQ", "MzU", "MzY", "Mzc", "Mzg", "Mzk", "NDA", "NDE", "NDI", "NDM", "NDQ", "NDU", "NDY", "NDc", "NDg", "NDk", "NTA", "NTE", "NTI", "NTM", "NTQ", "NTU", "NTY", "NTc", "NTg", "NTk", "NjA", "NjE", "NjI", "NjM", "NjQ", "NjU", "NjY", "Njc", "Njg", "Njk", "NzA", "NzE", "NzI", "NzM", "NzQ", "NzU", "NzY", "Nzc", "Nzg", "Nzk", "ODA", "ODE", "ODI", "ODM", "ODQ", "ODU", "ODY", "ODc", "ODg", "ODk", "OTA", "OTE", "OTI", "OTM", "OTQ", "OTU", "OTY", "OTc", "OTg", "OTk"], span: Span::Run, check: Check::Mixed, least: 59,
        pattern: r"(?:^|[^A-Za-z0-9_-])([MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38})(?:[^A-Za-z0-9_.-]|$)",
        example: ["MTk4", "Uh94Oit7Hxmka8Tv106v.0n9zQR.Qgg-sgIUBDR6gAkS0B4Wg5U9wrU"],
    },
    Rule {
        id: "telegram-bot-token", vendor: "Telegram", keywords: &[":AA"], span: Span::Run, check: Check::Mixed, least: 43,
        pattern: "(?:^|[^A-Za-z0-9])([0-9]{8,10}:AA[A-Za-z0-9_-]{32,33})(?:[^A-Za-z0-9_-]|$)",
        example: ["4296131693:AA", "dFh12hnrZ0TY8p71zkEz63ycWRr74qBIS"],
    },
    Rule {
        id: "telegram-token", vendor: "Telegram", keywords: &["telegr"], span: Span::Line, check: Check::Mixed, least: 48,
        pattern: r#"(?i)telegr\w{0,12}(?:[^\n]{0,30}?)[\s"\':=>(/,bot`]([0-9]{5,16}:a[a-z0-9_-]{34})(?:[^a-z0-9_-]|$)"#,
        example: ["telegram_token: 67638531:A", "fvY3gnDzgOWoqAzL4WQvQ6aPs4ocabss5R"],
    },
    Rule {
        id: "teams-webhook", vendor: "Microsoft", keywords: &["webhook.office.com", "outlook.office.com/webhook"], span: Span::Run, check: Check::Filled, least: 186,
        pattern: r"(?:webhook\.office\.com/webhookb2|outlook\.office(?:365)?\.com/webhook)/[a-z0-9-]{36}@[a-z0-9-]{36}/IncomingWebhook/[a-z0-9]{32}/[a-z0-9-]{36}",
        example: ["https://acme.webhook.office.com/webhookb2/", "cfef3807-ce6f-8682-0b69-1457b2d5bcff@7578a51c-5568-f8c0-b208-5c052b8063b6/IncomingWebhook/5cd154b6889117586b8152915cc3a190/4b73e5e5-1c05-6551-a4b2-edb702d54492"],
    },
    Rule {
        id: "zapier-webhook", vendor: "Zapier", keywords: &["hooks.zapier.com"], span: Span::Run, check: Check::None, least: 37,
        pattern: r"hooks\.zapier\.com/hooks/catch/\d+/[a-z0-9]{6,}",
        example: ["https://hooks.zapier.com/hooks/catch/", "1234567/f7xne30"],
    },
    Rule {
        id: "tines-webhook", vendor: "Tines", keywords: &[".tines.com/webhook"], span: Span::Run, check: Check::Filled, least: 84,
        pattern: r"\.tines\.com/webhook/[0-9a-f]{32}/[0-9a-f]{32}",
        example: ["https://acme.tines.com/webhook/", "b5d029b98ed6f0428eece128da0e4c95/5f4878d4637d13efd066d9431c20cdf5"],
    },
    Rule {
        id: "twilio-key", vendor: "Twilio", keywords: &["SK0", "SK1", "SK2", "SK3", "SK4", "SK5", "SK6", "SK7", "SK8", "SK9", "SKa", "SKb", "SKc", "SKd", "SKe", "SKf"], span: Span::Run, check: Check::Random, least: 34,
        pattern: r"\bSK[0-9a-f]{32}\b",
        example: ["SK", "d84cad6d8e32a61e9d353220bec9c0f7"],
    },
    Rule {
        id: "sendgrid-key", vendor: "SendGrid", keywords: &["SG."], span: Span::Run, check: Check::Filled, least: 59,
        pattern: r"(?:^|[^A-Za-z0-9])(SG\.[A-Za-z0-9=_-]{16,32}\.[A-Za-z0-9=_-]{39,50}|SG\.[A-Za-z0-9=_.-]{66})(?:[^A-Za-z0-9=_.-]|$)",
        example: ["SG.", "G7T1MgbD8WJvaPmTCo6_es.wpzPNOMovR8jw-f4u190ccC7bmqPdYBio9ZEIsQtKH2"],
    },
    Rule {
        id: "mailgun-key", vendor: "Mailgun", keywords: &["key-", "pubkey-"], span: Span::Run, check: Check::Random, least: 36,
        pattern: r"\b(?:pub)?key-[0-9a-f]{32}\b",
        example: ["key-", "c3e6121c0b32ca181064bc559dccde83"],
    },
    Rule {
        id: "mailgun-signing-key", vendor: "Mailgun", keywords: &["mailgun"], span: Span::Line, check: Check::Random, least: 57,
        pattern: r"(?i)mailgun[^\n]{0,40}?([a-f0-9]{32}-[a-f0-9]{8}-[a-f0-9]{8})\b",
        example: ["mailgunToken=", "cb96c26a48961b73aca6e6d951482cbd-09498888-89b09fda"],
    },
    Rule {
        id: "mailchimp-key", vendor: "Mailchimp", keywords: &["-us"], span: Span::Run, check: Check::Random, least: 36,
        pattern: r"\b[0-9a-f]{32}-us\d{1,2}\b",
        example: ["440ccdfb65420b84f1846751514f52da-us", "13"],
    },
    Rule {
        id: "mandrill-key", vendor: "Mailchimp", keywords: &["md-"], span: Span::Run, check: Check::Mixed, least: 25,
        pattern: r"\bmd-[A-Za-z0-9_-]{22}\b",
        example: ["md-", "PZIHwUix7MD3oM7l03RA3l"],
    },
    Rule {
        id: "sendinblue-key", vendor: "Brevo", keywords: &["xkeysib-", "xsmtpsib-"], span: Span::Run, check: Check::Filled, least: 89,
        pattern: r"\bx(?:key|smtp)sib-[0-9a-f]{64}-[A-Za-z0-9]{16}\b",
        example: ["xkeysib-", "59d7bec5570c078c034934a373f41f6a698b713dd457528af4f2007e8a3ea633-Ej4PagnWMxHuhflU"],
    },
    Rule {
        id: "resend-key", vendor: "Resend", keywords: &["re_"], span: Span::Run, check: Check::Mixed, least: 36,
        pattern: r"\bre_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}\b",
        example: ["re_", "eSyZga5J_RU8HW7oG6Pf5nV7RZ3Yz4GL6"],
    },
    Rule {
        id: "facebook-access-token", vendor: "Meta", keywords: &["EAAC", "EAAM"], span: Span::Run, check: Check::Mixed, least: 104,
        pattern: r"\bEAA(?:CEdEose0cBA|[MC])[A-Za-z0-9]{100,}",
        example: ["EAAC", "KF826UGuS30Gxvtkn6rVXi3BHtxjjMpQMKvyDq83zsm8qXHZkS5Lbk7xd6Zc7hkDfbMibr6Jqgqxv88T2akwQjsLM2Z5uBoIntjz3W5cKckMaiL9A04cvkWQCb9mSZsqYxuNuY6thgFQS73hmmXofo0dHBbMk2uH"],
    },
    Rule {
        id: "facebook-app-token", vendor: "Meta", keywords: &["facebook", "fb_"], span: Span::Line, check: Check::Mixed, least: 46,
        pattern: r"(?i)(?:facebook|fb_)[^\n]{0,60}?\b(\d{15,16}(?:\||%7C)[A-Za-z0-9_-]{27,40})",
        example: ["facebook 2814784838437422|", "ZU_elpCzvPHl7bqM-AnB342U5ho"],
    },
    Rule {
        id: "twitter-bearer-token", vendor: "X", keywords: &["AAAAAAAAAAAAAAAAAAAA"], span: Span::Run, check: Check::Mixed, least: 80,
        pattern: r"\bA{20,22}[A-Za-z0-9%]{60,100}",
        example: ["AAAAAAAAAAAAAAAAAAAAAA", "sgZ9bE4JqlzO0FRwvUAwVYhidIZV0xFCDugess3e8Bdpo7E3LYwarBFGfdP2MraOVTfVLwwgicJdZq0gL9D954pEmn"],
    },
    Rule {
        id: "dropbox-token", vendor: "Dropbox", keywords: &["sl."], span: Span::Run, check: Check::Filled, least: 133,
        pattern: r"\bsl\.[A-Za-z0-9_=-]{130,200}",
        example: ["sl.", "wCe4sVvBNrB3Oe96qgq7OVgrSJDsFC92xbtCB8RU2d8gVnIwkFeyTujOQw5H-qkG6rDzN2Zpic4YqwG01m53nmE4y26G1ncvBC7qt_GvVJE9JGBeMWY2m1dudZJT4DY8cZ4mvvbI0H13"],
    },
    Rule {
        id: "intercom-token", vendor: "Intercom", keywords: &["dG9rO"], span: Span::Run, check: Check::Filled, least: 55,
        pattern: r"\bdG9rO[A-Za-z0-9+/]{50,}={0,2}",
        example: ["dG9rOp", "tszZs8P8Wqb3FWqnWMx/nTq6epSD1KOGOdClgwtBc+b4hfEC64vu1zg6Im7a="],
    },
    Rule {
        id: "firebase-cloud-messaging-key", vendor: "Google", keywords: &["AAAA"], span: Span::Run, check: Check::Filled, least: 152,
        pattern: r"\bAAAA[A-Za-z0-9_-]{7}:[A-Za-z0-9_-]{140}",
        example: ["AAAA", "vyciPDf:ZEQpdG3X8HkUgAgdQyo9Gw62wNrNZmDWIBE-mJJfn6KkpF4TFJ6uFxpYC94xwP2TbZlfvRzbanLuiFVlp8PVexnT-z_uwPkfKAYPUPl0yFMy21zttopQvcYy9uTYsD-ATadpPJuJkX9u"],
    },
];
