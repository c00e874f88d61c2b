//! Credentials as those who issue them describe them, made up and in two halves, so that no scanner takes this page for a
//! leak. Nothing here is taken from the scanner that is tested.

/// Tokens that tell by their own beginning what they are: who issues them, their beginning, the rest.
pub(crate) const TOKENS: &[(&str, &str, &str)] = &[
    ("GitHub, classic personal", "ghp_", "mWY86zUFvN0xGCaoGco9c9Wvi2HP4HHT6nQz"),
    ("GitHub, OAuth", "gho_", "nWpABQIT5rS1o7JlpsJUJoyiiKVhXHg08dXm"),
    ("GitHub, app installation", "ghs_", "2SikHq479y6tlYmH0DacLJNMj2yyQwa4Bb8H"),
    ("GitHub, refresh", "ghr_", "R5MwZBtr2GjEjN73mPmBQIbczXb7GKZnfBVP"),
    (
        "GitHub, fine-grained",
        "github_pat_",
        "Hu2BhHfXpOipnWrfAv8ymP_aQxAfVwGcQrMDPPRrrFRsW40TK1LF4WKSEfNer6Dida7evlJ6i1KmVckVDu",
    ),
    ("GitLab, personal", "glpat-", "wwDlotVnOJX1dTTGCPig"),
    ("GitLab, runner", "glrt-", "ujzod6EcVsEyshSPgK7F"),
    ("AWS, access key id", "AKIA", "ZWCFPKWCONUDINJ4"),
    ("AWS, temporary key id", "ASIA", "5GNSNGGRYZJXW7MU"),
    ("Slack, bot", "xoxb-", "123769929614-1417775335020-G6bod3wDm52Wp7hKXhuWJJW9"),
    ("Slack, user", "xoxp-", "807410821780-326216242710-4271248799556-fd6403fe37c7468e43eb9072753f5118"),
    ("Stripe, live secret", "sk_live_", "UFjdgz46VnCaRitvqcIeCuZf"),
    (
        "Stripe, live restricted",
        "rk_live_",
        "rmO2mfC5K67OSXk2PVyCfCsImzR1nAvxRWzHWvYDdCqcyi61BN3yD9KZWqqm9WoFdNKIjO0ccYdkQf6DCL4wLcJub5vTNezIWuA",
    ),
    (
        "Anthropic",
        "sk-ant-api03-",
        "b59pXTZrL2H4EH5Yo2f1sYEj4qEXcMIKmHjOvACj3eFjJp0TL8dnSoFyiJ764eKfJ6eKmmtTDV9algJ1puDNeXHoF2HkUAA",
    ),
    (
        "OpenAI, project",
        "sk-proj-",
        "hEIItmz36HGj6VLLcOL1hW2UL7DvTTqao7z77fcXAonARNhz0PdVBeoWu7iGczMthd5lKDJw2oT3BlbkFJDpTUfVtIHM3tz307jYdHEKgZZS6mM6oLckXk6ZqTk4llDEHghECRVk3Fqy4leMHamuUWNlUFrH",
    ),
    ("Google, API key", "AIza", "SyOh80eoElk7rG8h86euPMHVkBsjTDBu5WS"),
    ("Google, OAuth client", "GOCSPX-", "6RSNpcisooTrvzsDMoWSrpjvXVMv"),
    ("npm", "npm_", "ADDtyuW6P2aAwow1V7tRLfoTvNqUeYSbBtWm"),
    (
        "PyPI",
        "pypi-AgEIcHlwaS5vcmc",
        "qHDaXOMCxwzLzE7PwHlZLX5DxD0ofPhj80yoGuCk7FL52QeKVviWEqfa7Yluh5HnP2r7ROACZ5rA9v8FFuvK61atWPrv0WJsIMpwlvOeGcqHVAYdRm0bbNg1",
    ),
    ("RubyGems", "rubygems_", "87262beccbbcde7ae67b75d78bd72ac14f096cb604e03609"),
    ("DigitalOcean", "dop_v1_", "2c1275f7c0731d11ae681c99562cdc6abca5b4331e6347851744f5ba75ff9a85"),
    ("Hugging Face", "hf_", "ZizAanekzmsqMFkMIkgXMxQReOWbjjOZyL"),
    ("Groq", "gsk_", "jGxD43E7zE0mnvLzrKhv9JT4oslHIntlCHY42faHo3eC19eeBtVX"),
    ("Shopify", "shpat_", "5f0faabe63aeb718662d9d057935f66a"),
    ("Databricks", "dapi", "d5d97dd346a2f2742b1b8a80e5ce2aa8"),
    (
        "HashiCorp Vault",
        "hvs.",
        "qvJiWlKsiiTdlQYsKKxpBje6W6rpmlMKhVirM4chc4OU6Bom8I3EA3Qutn33fBvzKpZHrlBhK6vKuXuH0dXfuScaIm2p",
    ),
    ("Docker", "dckr_pat_", "13ftSvmcDbBa7fI9XkjVsBOffX8"),
    ("Linear", "lin_api_", "XOIucoo1quH18ZJ7NE5zw3LiBuPqG9EWKQQbBYfq"),
    ("Grafana", "glsa_", "W3ETVcS89nTmCDM5wjUcYBjWNTca66et_b8d24f8c"),
    ("Postman", "PMAK-", "488416bd17b46c79ea2a950c-140251dcecc58f3e75b493853d220dacff"),
    ("Doppler", "dp.pt.", "7Pfsh5k7A1VLgRYkddwJoJgBTrbsa2khavgqeV5G0xJ"),
    ("Supabase", "sbp_", "98f363f7d327834602c61c88a94987384992c93c"),
    ("Notion", "ntn_", "43142126396dJjAXCOLVRowE87AXP54IUeOAO9UhKIy1AD"),
    ("SendGrid", "SG.", "g404rLvaiirMQFIrXBKnJK.51rpdHqVXEfv4fdEeoGyabWq37J093qzAOkFQeaTiU1"),
    (
        "JSON Web Token",
        "eyJhbGciOiJIUzI1NiIs",
        "InR5cCI6IkpXVCJ9.eyJzdWIiOiI0MDc5MjUyNzMxIiwibmFtZSI6Im5vYm9keSIsImlhdCI6MTcwMDAwMDAwMH0.4CPhrLJFi6fK3g0xttVV27xIXdX8oLiCnbAX7jTxwU5",
    ),
];

/// Values that are told by what stands before them: what it is, what stands before, the secret, what stands behind.
pub(crate) const NAMED: &[(&str, &str, &str, &str)] = &[
    ("AWS, secret key", "aws_secret_access_key = ", "R92V6a4LBLkvGOTOuc1QVlqhWvdVtkzr45Y37zHG", ""),
    (
        "Azure, storage",
        "AccountName=x;AccountKey=",
        "nJlG7K1zffocj9l8Vad4kEMcY1e5T8TYsHCwpT7GGseLUepYB0A6VPxO9ENc9TxGKcFngAsUDxqWLF6O3tZLTe==",
        "",
    ),
    ("an address", "postgres://app:", "Qyp7Zz0JJ0rjorAJVW", "@db.internal:5432/app"),
    ("a header", "Authorization: Bearer ", "sTjANXt2JERjf4wR5zhflOyiSjRJzgk3ErAIU74c", ""),
    ("a variable", "DB_PASSWORD='", "Pm1TN2Wrk!ITWsZd", "'"),
    ("an option", "deploy --api-key ", "kxR2g7JsY5hDY1XisBL3fqMUguEsxJpn", ""),
    ("Slack, webhook", "https://hooks.slack.com/services/", "TIP4K2V36/BR7FLHS5K/9ufcvUQOanft55vsl4xviXG0", ""),
];
