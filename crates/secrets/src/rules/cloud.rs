//! Cloud providers and networks.

use super::{Rule, Span};
use crate::check::Check;

#[rustfmt::skip]
pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "aws-access-key-id", vendor: "AWS", keywords: &["AKIA", "ASIA", "ABIA", "ACCA", "A3T"], span: Span::Run, check: Check::Filled, least: 20,
        pattern: r"\b(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{16}\b",
        example: ["AKIA", "0RZ5AZZ59L32GH2X"],
    },
    Rule {
        id: "aws-secret-key", vendor: "AWS", keywords: &["aws", "secret_access_key", "secretaccesskey", "secret_key", "secretkey"], span: Span::Line, check: Check::Filled, least: 47,
        pattern: r#"(?i)(?:aws|secret)[a-z_. -]{0,24}(?:key|secret)[a-z_]{0,10}["\'\]]{0,2}\s{0,40}(?:=>|[:=,>]{1,3})\s{0,40}(?:["\']|\\")?([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)"#,
        example: ["aws_secret_access_key = ", "B180ACFa0qn6dQj/QKhCHD4//UjgjfXudzTQXGqi"],
    },
    Rule {
        id: "aws-session-token", vendor: "AWS", keywords: &["session_token", "sessiontoken", "security_token", "securitytoken"], span: Span::Line, check: Check::Filled, least: 73,
        pattern: r#"(?i)(?:session|security)_?token["\'\]]{0,2}\s{0,20}(?:=>|[:=,>]{1,3})\s{0,20}(?:["\']|\\")?([A-Za-z0-9/+=]{60,})"#,
        example: ["aws_session_token=", "+x8PikL2t/yiRbiMdYN2fFq6oCoS1UFyVlYONgEUsYx1ihEeGY14iiMyD5FN+kvkdgK7FI0b4iiLl3Ezomr0odA/v4+ffDNH0qdN7VExMzj83pcgPIrWZHt7OSGqx7KXM1InwJNRHaFa87XwMt1fDRDJnRdzQQWk8Hd/KFbfUwm5TQuZxLQZ35BqewvoSFxhfrEw0bVCTvmiaXcaAK9G0Wuiw6rWIj0LEiRlwYjqzertEmtWSgz3FSDw0wO0sOZgjON+ytr2FhhKtnELt5HlrMVh9GKeQtw3lgHUR+WUTPOs"],
    },
    Rule {
        id: "aws-mws-token", vendor: "AWS", keywords: &["amzn.mws."], span: Span::Run, check: Check::Filled, least: 45,
        pattern: r"\bamzn\.mws\.[0-9a-f-]{36}\b",
        example: ["amzn.mws.", "91329827-6910-0a24-a651-4cbb7928ac4d"],
    },
    Rule {
        id: "aws-appsync-key", vendor: "AWS", keywords: &["da2-"], span: Span::Run, check: Check::Filled, least: 30,
        pattern: r"\bda2-[a-z0-9]{26}\b",
        example: ["da2-", "qwlbl585h7v7l8zeic5p2ct0tr"],
    },
    Rule {
        id: "aws-bedrock-key", vendor: "AWS", keywords: &["ABSK", "bedrock-api-key-"], span: Span::Run, check: Check::Filled, least: 44,
        pattern: r"\b(?:ABSKQmVkcm9ja0FQSUtleS[A-Za-z0-9+/]{80,251}={0,2}|bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t[A-Za-z0-9+/=]*)",
        example: ["ABSKQmVkcm9ja0FQSUtleS", "Dmkfjm2RhwtuWEP28nBMQ9wOmnWFONed7cFH6CQAf7czOkZDc7tDdLuIEybEGd07bnON17I5SKAbsbno5qErMIMU8BC2rmjRYfGjsUt4HFoGUHcXp3XRMy4nL4WL2hVS"],
    },
    Rule {
        id: "gcp-api-key", vendor: "Google", keywords: &["AIza"], span: Span::Run, check: Check::Random, least: 39,
        pattern: r"(\bAIza[A-Za-z0-9_-]{35})(?:[^A-Za-z0-9_-]|$)",
        example: ["AIza", "72vSrE83heo7nE855LEAwm4c0hwskCM354C"],
    },
    Rule {
        id: "google-oauth-token", vendor: "Google", keywords: &["ya29."], span: Span::Run, check: Check::Filled, least: 25,
        pattern: r"\bya29\.[A-Za-z0-9_-]{20,}",
        example: ["ya29.", "g1vNQJ0tbpiWVL2vavMDBfCMfUoupSgLg91bUQ5u6ADVTN3lFuKkowLpFPPwmSVMmEExYuemQxHLdXxr6X4wH7QoY-lM4egoBy4oz6-njrxSQN5ONc8_4DVh"],
    },
    Rule {
        id: "google-client-secret", vendor: "Google", keywords: &["gocspx-"], span: Span::Run, check: Check::Filled, least: 35,
        pattern: r"(\bGOCSPX-[A-Za-z0-9_-]{28})(?:[^A-Za-z0-9_-]|$)",
        example: ["GOCSPX-", "dZDr3MMT9362mwmfaC2sNl8ZZhN7"],
    },
    Rule {
        id: "google-refresh-token", vendor: "Google", keywords: &["1//0"], span: Span::Run, check: Check::Mixed, least: 44,
        pattern: r"\b1//0[A-Za-z0-9_-]{40,}",
        example: ["1//0", "4Ul41Evtj5n9CgkIWnvvvfiC5qvbDUxdpZYVlYbB5IXxquus9jYXqY_PYkw3"],
    },
    Rule {
        id: "azure-storage-key", vendor: "Microsoft", keywords: &["accountkey", "sharedaccesskey"], span: Span::Line, check: Check::Random, least: 51,
        pattern: r"(?i)(?:Account|SharedAccess)Key\s*=\s*([A-Za-z0-9+/]{40,88}={0,2})",
        example: ["AccountKey=", "n+wkndOZSQ3GQ8IjiFffhiUE9TtBxufRyYFE1DkEkcebg4YPEKT905bFzu0onFC6rAZg7KDDfRWN+gunnbjmwb=="],
    },
    Rule {
        id: "azure-app-configuration", vendor: "Microsoft", keywords: &["azconfig.io"], span: Span::Line, check: Check::Random, least: 64,
        pattern: r"(?i)azconfig\.io;Id=[^;\s]+;Secret=([A-Za-z0-9+/]{40,}={0,2})",
        example: ["Endpoint=https://store.azconfig.io;Id=ab;Secret=", "wM4cO6wCXzecx2KE0WmD4f323/m6Cm+rGkSTwz9cXQV="],
    },
    Rule {
        id: "azure-ad-client-secret", vendor: "Microsoft", keywords: &["Q~"], span: Span::Line, check: Check::Random, least: 37,
        pattern: r"(?:^|[^A-Za-z0-9_~.-])([A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34})(?:$|[^A-Za-z0-9_~.-])",
        example: ["client_secret = ", "d0R8Q~Bmj8gwNkRUGMMb2LGW9TKbrSahNNywtYNq"],
    },
    Rule {
        id: "azure-sas-signature", vendor: "Microsoft", keywords: &["sig="], span: Span::Run, check: Check::Random, least: 45,
        pattern: "[?&]sig=([A-Za-z0-9%+/]{40,}={0,2})",
        example: ["https://a.blob.core.windows.net/c?sv=2022&sig=", "TYVIBZUzX5t7gkZ5BDvY0Cm89RXHXA9aJUathZ8iltT%3D"],
    },
    Rule {
        id: "azure-devops-token", vendor: "Microsoft", keywords: &["AZDO"], span: Span::Run, check: Check::Filled, least: 68,
        pattern: r"\b[A-Za-z0-9]{60,76}AZDO[A-Za-z0-9]{4}\b",
        example: ["wo1QIJs1N1N3w6Vfc2TNNZ0appsqtlEDDPEQGxgUpytqnqUjp3d5JQQJ", "99BBACAAAAAAAAAAAAASAZDOrfZ1"],
    },
    Rule {
        id: "azure-function-key", vendor: "Microsoft", keywords: &["AzFu"], span: Span::Run, check: Check::Random, least: 55,
        pattern: r"\b[A-Za-z0-9_-]{44}AzFu[A-Za-z0-9_-]{6}==?",
        example: ["s6UblwbCn02a0a9EDXpRWWwzQSlyT9HfjWNmNAAgftevAzFu", "vcMy7h=="],
    },
    Rule {
        id: "alibaba-access-key-id", vendor: "Alibaba", keywords: &["LTAI"], span: Span::Run, check: Check::Mixed, least: 16,
        pattern: r"\bLTAI[A-Za-z0-9]{12,24}\b",
        example: ["LTAI", "IbHBSvrB7RU3B42Mv7YW"],
    },
    Rule {
        id: "digitalocean-token", vendor: "DigitalOcean", keywords: &["dop_v1_", "doo_v1_", "dor_v1_"], span: Span::Run, check: Check::Filled, least: 71,
        pattern: r"\bdo[opr]_v1_[0-9a-f]{64}\b",
        example: ["dop_v1_", "d7e93d06dbf9ced138c1de8ba2ac48cfec6e9884d7da9412c63c662e27c87872"],
    },
    Rule {
        id: "digitalocean-spaces-key", vendor: "DigitalOcean", keywords: &["DO00"], span: Span::Run, check: Check::Mixed, least: 20,
        pattern: r"\bDO00[A-Z0-9]{16}\b",
        example: ["DO00", "RRSTH0NR89YZ4VI1"],
    },
    Rule {
        id: "heroku-key", vendor: "Heroku", keywords: &["hrku-"], span: Span::Run, check: Check::Filled, least: 41,
        pattern: r"\bHRKU-[A-Za-z0-9_-]{36,64}",
        example: ["HRKU-", "hFAv0KWfnm2uLDv7p1g9Ml9acqK_B78Tw7REGrhXSPB2Y3L72JwXMpD7P8Ep"],
    },
    Rule {
        id: "fly-token", vendor: "Fly.io", keywords: &["fo1_", "fm1a_", "fm1r_", "fm2_"], span: Span::Run, check: Check::Mixed, least: 47,
        pattern: "(?:^|[^A-Za-z0-9_-])(fo1_[A-Za-z0-9_-]{43}|fm1[ar]_[A-Za-z0-9+/]{100,}=*|fm2_[A-Za-z0-9+/]{100,}=*)(?:[^A-Za-z0-9_+/=-]|$)",
        example: ["fo1_", "xJtvKh05b7Okj9l0bsS45JbueX_bEaSmaUyp6haHpgp"],
    },
    Rule {
        id: "netlify-token", vendor: "Netlify", keywords: &["nfp_", "nfc_", "nfo_", "nfu_"], span: Span::Run, check: Check::Filled, least: 40,
        pattern: r"\bnf[pcou]_[A-Za-z0-9_]{36}\b",
        example: ["nfp_", "WDWwOYNRopI5CIloFpb5US794K9TkMw6IcWx"],
    },
    Rule {
        id: "vercel-token", vendor: "Vercel", keywords: &["vcp_", "vci_", "vca_", "vcr_", "vck_", "vercel_blob_rw_"], span: Span::Run, check: Check::Filled, least: 28,
        pattern: r"\b(?:vc[piark]_[A-Za-z0-9]{24,60}|vercel_blob_rw_[A-Za-z0-9]{16}_[A-Za-z0-9]{30})\b",
        example: ["vcp_", "zjdbp6GP4SNrS5h1com96V9ui9oi3j4OTFHj5w5nw8jvGUJLXbI6ywvL"],
    },
    Rule {
        id: "cloudflare-token", vendor: "Cloudflare", keywords: &["cfat_", "cfut_", "cfk_"], span: Span::Run, check: Check::Filled, least: 44,
        pattern: r"\bcf(?:at|ut|k)_[A-Za-z0-9]{40,56}\b",
        example: ["cfat_", "UEoiaUsyJIAletgPGQPoK394ReUPieUm6F2lJRlv8EbHEr08"],
    },
    Rule {
        id: "cloudflare-origin-ca-key", vendor: "Cloudflare", keywords: &["v1.0-"], span: Span::Run, check: Check::Filled, least: 130,
        pattern: r"\bv1\.0-[0-9a-f]{24,64}-[0-9a-f]{100,160}\b",
        example: ["v1.0-", "a5892fc57f880e255e8e20ec-f8a4f09d0285c8b974c55ab2eb25f1060336392750ec2458870715c8498ec62ec9854ccec1833fcf08810d2daaa016fb6fcd83197ece8ed99f2576c15a868b022048c145f772d01e2d"],
    },
    Rule {
        id: "planetscale-token", vendor: "PlanetScale", keywords: &["pscale_"], span: Span::Run, check: Check::Filled, least: 42,
        pattern: r"\bpscale_(?:pw|tkn|oauth)_[A-Za-z0-9_=.-]{32,64}",
        example: ["pscale_pw_", "vX8bKmY5bKbpUHgTG66vwAroBX2YJJLlEhfSasg396g"],
    },
    Rule {
        id: "databricks-token", vendor: "Databricks", keywords: &["dapi", "dkea", "dose"], span: Span::Run, check: Check::Random, least: 36,
        pattern: r"\b(?:dapi|dkea|dose)[0-9a-fA-F]{32}(?:-\d)?(?:\b|$)",
        example: ["dapi", "837aa39b66303b554b72f5109a3a0481"],
    },
    Rule {
        id: "scalingo-token", vendor: "Scalingo", keywords: &["tk-us-"], span: Span::Run, check: Check::Filled, least: 54,
        pattern: r"(\btk-us-[A-Za-z0-9_-]{48})(?:[^A-Za-z0-9_-]|$)",
        example: ["tk-us-", "GMfN-GRD_PS_mf1hHXpHpDIVwLVyPV-o4svb-ecz9aghNt1s"],
    },
    Rule {
        id: "tailscale-key", vendor: "Tailscale", keywords: &["tskey-"], span: Span::Run, check: Check::None, least: 16,
        pattern: "(?:^|[^A-Za-z])(tskey-[a-z]+-[A-Za-z0-9]{8,}(?:-[A-Za-z0-9]+)?)",
        example: ["tskey-auth-", "fJSn3EzE0vna-9pSunllQZywmW368S7XSJ9d65ulNFn30"],
    },
    Rule {
        id: "defined-networking-key", vendor: "Defined Networking", keywords: &["dnkey-"], span: Span::Run, check: Check::Filled, least: 85,
        pattern: r"\bdnkey-[A-Za-z0-9=_-]{26}-[A-Za-z0-9=_-]{52}",
        example: ["dnkey-", "xRhnspV4r2FAN6bjaqL9UdtuAC-Y_EfR0LOJkuR3Plc8DWEewPuokq44ui-YxCYDSQDObj7GMulbqNF"],
    },
    Rule {
        id: "yandex-token", vendor: "Yandex", keywords: &["t1.", "AQVN", "YC", "y0_"], span: Span::Run, check: Check::Mixed, least: 39,
        pattern: r"\b(?:t1\.[A-Za-z0-9_=-]+\.[A-Za-z0-9_-]{60,90}=*|AQVN[A-Za-z0-9_-]{35,38}|Y[CD][A-Za-z0-9_-]{38}\b|y0_[A-Za-z0-9_-]{50,})",
        example: ["AQVN", "7s1ZbFB_SQEoxKweRMrlT43yDnqS4ZXIHA0a"],
    },
    Rule {
        id: "render-key", vendor: "Render", keywords: &["rnd_"], span: Span::Run, check: Check::Filled, least: 36,
        pattern: r"\brnd_[A-Za-z0-9]{32}\b",
        example: ["rnd_", "WrKxUcijw0bYSLwGQfv3JSbgQohLq5J1"],
    },
    Rule {
        id: "oracle-cloud-auth-token", vendor: "Oracle", keywords: &["oci_auth"], span: Span::Line, check: Check::Mixed, least: 29,
        pattern: r#"(?i)oci_auth\w*["\'\s:=]{1,6}([^\s"\']{20})"#,
        example: ["oci_auth_token=", "DcX5lhs64pi3qu2vL3Rx"],
    },
    Rule {
        id: "contentful-token", vendor: "Contentful", keywords: &["cfpat-"], span: Span::Run, check: Check::Filled, least: 49,
        pattern: r"\bCFPAT-[A-Za-z0-9_-]{43,64}",
        example: ["CFPAT-", "XodoMTrUh-xB45Al02uOEBeHAoGSZ10aOemROfIocQt"],
    },
    Rule {
        id: "aws-presigned-url", vendor: "AWS", keywords: &["x-amz-signature="], span: Span::Run, check: Check::Random, least: 80,
        pattern: r"(?i)X-Amz-Signature=([0-9a-f]{64})\b",
        example: ["https://h/?X-Amz-Signature=", "43f84ed9e7f2baf78d26c9730b2662a81f9ee872172dcce4bbf5b4d287659214"],
    },
];
