//! Code hosting, package registries, continuous integration, infrastructure as code.

use super::{Rule, Span};
use crate::check::Check;

#[rustfmt::skip]
pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "github-token", vendor: "GitHub", keywords: &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], span: Span::Run, check: Check::Filled, least: 10,
        pattern: r"\bgh[pousr]_(?:[A-Za-z0-9]{36,255}|[0-9]+_eyJ[A-Za-z0-9_.-]+)",
        example: ["ghp_", "M0XvqZjxTW3xvboSRt5Mh3dAwVtRMflhbmua"],
    },
    Rule {
        id: "github-fine-grained-token", vendor: "GitHub", keywords: &["github_pat_"], span: Span::Run, check: Check::Filled, least: 47,
        pattern: r"\bgithub_pat_[A-Za-z0-9_]{36,255}",
        example: ["github_pat_", "ptt0Azn0DNRUQxA71p2Td8_VKqxryo1nIj7BRd03Q2ybv097SHzxgQA6TCvY4dhKMlRdZQ9QsTXUuSnH6a"],
    },
    Rule {
        id: "github-app-token", vendor: "GitHub", keywords: &["v1."], span: Span::Run, check: Check::Random, least: 43,
        pattern: r"\bv1\.[0-9a-f]{40}\b",
        example: ["v1.", "a077bbd142880e8427abeec12975fd55911ea2cb"],
    },
    Rule {
        id: "gitlab-token", vendor: "GitLab", keywords: &["glpat-", "gldt-", "glrt-", "glrtr-", "glcbt-", "glft-", "glffct-", "glimt-", "glagent-", "gloas-", "glsoat-", "glptt-"], span: Span::Run, check: Check::Filled, least: 25,
        pattern: r"(\bgl(?:pat-(?:[A-Za-z0-9_-]{27,300}\.[a-z0-9.]{9,14}|[A-Za-z0-9_-]{20,40})|(?:rt|rtr)-[A-Za-z0-9_-]{20,60}(?:\.[a-z0-9.]{9,14})?|(?:dt|ft|ffct|soat)-[A-Za-z0-9_-]{20}|cbt-(?:[A-Za-z0-9]{1,5}_)?[A-Za-z0-9_-]{20}|imt-[A-Za-z0-9_-]{25}|agent-[A-Za-z0-9_-]{50,}|oas-[A-Za-z0-9_-]{64}|ptt-[0-9a-zA-Z_-]{40}))(?:[^A-Za-z0-9_-]|$)",
        example: ["glpat-", "1mKaUyvBPs0jSO2JkfAK"],
    },
    Rule {
        id: "gitlab-runner-token", vendor: "GitLab", keywords: &["GR1348941"], span: Span::Run, check: Check::Filled, least: 29,
        pattern: r"(\bGR1348941[A-Za-z0-9_-]{20,50})(?:[^A-Za-z0-9_-]|$)",
        example: ["GR1348941", "EIOUttYpATIk27f4t3tG"],
    },
    Rule {
        id: "gitlab-session", vendor: "GitLab", keywords: &["_gitlab_session="], span: Span::Run, check: Check::Filled, least: 48,
        pattern: r"_gitlab_session=([0-9a-z]{32})\b",
        example: ["_gitlab_session=", "ol1yxm13bpagxiuwp7317bd9g2lbc7rd"],
    },
    Rule {
        id: "gitlab-feed-token", vendor: "GitLab", keywords: &["feed_token="], span: Span::Run, check: Check::Mixed, least: 31,
        pattern: r"feed_token=([A-Za-z0-9_-]{20})\b",
        example: ["feed_token=", "0sma2sll5yc4ga7js49u"],
    },
    Rule {
        id: "atlassian-token", vendor: "Atlassian", keywords: &["atatt3", "atctt3", "astt3"], span: Span::Run, check: Check::Filled, least: 65,
        pattern: r"\bA(?:TATT|TCTT|STT)3[A-Za-z0-9_=-]{60,}",
        example: ["ATATT3", "GVBrYSuIb9OZiFZ3HLKv797TPNbpjava1bMZwIMlvdp5gjTrD8Osj_LnZ5R-j_8U_m7aSz7NRSOtv75y4SXvE9rwLbAtf6e9cpCGybY9lMR4pAwBp3GVy1PixOqoRGrB5Vpg5C6QsyHZytfqY6K1Qjah4dXd3eOa1Zcc_a4CgOFfqRgz7IhYePP2Nf"],
    },
    Rule {
        id: "bitbucket-app-password", vendor: "Atlassian", keywords: &["ATBB"], span: Span::Run, check: Check::Mixed, least: 28,
        pattern: r"\bATBB[A-Za-z0-9]{24,40}\b",
        example: ["ATBB", "0gmUBUhWRQd4AU7Fb3tB8ts6RQ3G34hi"],
    },
    Rule {
        id: "npm-token", vendor: "npm", keywords: &["npm_"], span: Span::Run, check: Check::Filled, least: 40,
        pattern: r"\bnpm_[A-Za-z0-9]{36}\b",
        example: ["npm_", "xThvA0EhexWQ3czyrEvmkXbI8P0GwAESV5nk"],
    },
    Rule {
        id: "npm-legacy-token", vendor: "npm", keywords: &["_authtoken"], span: Span::Line, check: Check::Mixed, least: 31,
        pattern: r#"(?:^|[^:]|(?:^|[^/])/?:)_authToken\s*=\s*"?([0-9a-zA-Z_-]{20,}|[0-9a-f-]{36})"#,
        example: ["//registry.example.org/:_authToken=", "93d1b61b-4b17-1b2f-3a9f-889eeaf77ee0"],
    },
    Rule {
        id: "npm-registry-password", vendor: "npm", keywords: &[":_password", ":_auth=", "_auth="], span: Span::Line, check: Check::Mixed, least: 22,
        pattern: r#"\b(?::?_password|_auth)\s*=\s*"?([A-Za-z0-9+/]{16,}={0,2})"#,
        example: ["_auth=", "NRqsKz5b70CO8W7RQHy2Yp+ptzsJqLOJqu3g9DYp"],
    },
    Rule {
        id: "pypi-token", vendor: "PyPI", keywords: &["pypi-age"], span: Span::Run, check: Check::Macaroon, least: 70,
        pattern: r"\bpypi-AgE(?:IcHlwaS5vcmc|NdGVzdC5weXBpLm9yZw)[A-Za-z0-9_-]{50,}",
        example: ["pypi-AgEIcHlwaS5vcmc", "QaxEN-cNljiRkV71kDRuIr2jhTxs-OHKDpnJh_rgiOaPq_N9RtlnnudSkpmKog0Qwp_vaQcT7xl2cwC6dT0ctPVnaa"],
    },
    Rule {
        id: "crates-io-token", vendor: "the registry of Rust", keywords: &["cio"], span: Span::Run, check: Check::Mixed, least: 35,
        pattern: r"\bcio[A-Za-z0-9]{32}\b",
        example: ["cio", "Jl7LRiiQbLJ2WZ3sU2yr8sV8N86LJ8qC"],
    },
    Rule {
        id: "rubygems-token", vendor: "RubyGems", keywords: &["rubygems_"], span: Span::Run, check: Check::Filled, least: 57,
        pattern: r"\brubygems_[0-9a-f]{48}\b",
        example: ["rubygems_", "5bb7a7af3d2e2425ba9682170905f4ec5a399fc47f5edbad"],
    },
    Rule {
        id: "nuget-key", vendor: "NuGet", keywords: &["oy2"], span: Span::Run, check: Check::Filled, least: 46,
        pattern: r"\boy2[a-z0-9]{43}\b",
        example: ["oy2", "7vkdj2frpx87vbljomsxujcz6xwii4apkgsa8gqpao9"],
    },
    Rule {
        id: "docker-hub-token", vendor: "Docker", keywords: &["dckr_"], span: Span::Run, check: Check::Filled, least: 36,
        pattern: r"\bdckr_(?:pat|oat)_[A-Za-z0-9_-]{27,56}",
        example: ["dckr_pat_", "fj3u-ypO09RnKw1zW9_ohP46PaO"],
    },
    Rule {
        id: "clojars-token", vendor: "Clojars", keywords: &["clojars_"], span: Span::Run, check: Check::Filled, least: 68,
        pattern: r"(?i)\bCLOJARS_[a-z0-9]{60}\b",
        example: ["CLOJARS_", "3bdba261ad590acbc5fbb5ecb983b410e6f58de9b9d56191e28c2f2388dc"],
    },
    Rule {
        id: "circleci-token", vendor: "CircleCI", keywords: &["ccipat_", "cciprj_"], span: Span::Run, check: Check::Filled, least: 68,
        pattern: r"\bCCI(?:PAT|PRJ)_[A-Za-z0-9]{20,30}_[A-Za-z0-9]{40,64}",
        example: ["CCIPAT_", "G9db057ANuHlwF5SEvPMZU_cefd697312bba82af983eadec108b08c3ce052e9"],
    },
    Rule {
        id: "buildkite-token", vendor: "Buildkite", keywords: &["bkua_", "bkpi_", "bkct_"], span: Span::Run, check: Check::Filled, least: 45,
        pattern: r"\bbk(?:ua|pi|ct)_[0-9a-z]{40}\b",
        example: ["bkua_", "6819b8ac3e6dfeb63cc17fd04d5014995756e61d"],
    },
    Rule {
        id: "sourcegraph-token", vendor: "Sourcegraph", keywords: &["sgp_", "slk_", "sgd_"], span: Span::Run, check: Check::Random, least: 44,
        pattern: r"\b(?:sgp_(?:[0-9a-fA-F]{16}_|local_)*[0-9a-fA-F]{40}|sgp_[A-Za-z0-9]{64}|sg[d]_[0-9a-f_]{40,}|slk_[0-9a-f]{64})\b",
        example: ["sgp_", "6b91cda411dfd72f1a3447c745c48c0b90a16be3"],
    },
    Rule {
        id: "sonar-token", vendor: "SonarSource", keywords: &["sqp_", "squ_", "sqa_"], span: Span::Run, check: Check::Filled, least: 44,
        pattern: r"\bsq[pua]_[A-Za-z0-9]{40}\b",
        example: ["sqp_", "388e7f14697f0603577aa6c55e0d19d3572186e5"],
    },
    Rule {
        id: "travis-encrypted-key", vendor: "Travis CI", keywords: &["travis_token"], span: Span::Line, check: Check::Mixed, least: 33,
        pattern: r#"(?i)travis_token["\']?\s*[:=]\s*["\']?([A-Za-z0-9_-]{20,22})\b"#,
        example: ["travis_token=", "FyeUhwks28d6aN8FW25S2V"],
    },
    Rule {
        id: "jenkins-token", vendor: "Jenkins", keywords: &["jenkins"], span: Span::Line, check: Check::Random, least: 42,
        pattern: r#"(?i)jenkins[a-z0-9_. -]{0,40}[\'":=\s]{1,6}(11[0-9a-f]{32})\b"#,
        example: ["jenkins_passwd = 11", "711473613ef6c2e0ef82b15fc467fe93"],
    },
    Rule {
        id: "jenkins-crumb", vendor: "Jenkins", keywords: &["jenkins-crumb"], span: Span::Line, check: Check::Random, least: 46,
        pattern: r#"(?i)jenkins-crumb["\']?\s{0,3}[:=,]\s{0,3}["\']?([0-9a-f]{32,64})\b"#,
        example: ["Jenkins-Crumb: ", "e81dd58a0c1f9a51bb5d9fb33fdebd0b"],
    },
    Rule {
        id: "truenas-key", vendor: "TrueNAS", keywords: &["login_with_api_key"], span: Span::Line, check: Check::Filled, least: 86,
        pattern: r#"login_with_api_key[^\n]{0,60}?"(\d{1,3}-[A-Za-z0-9]{64})""#,
        example: [r#""auth.login_with_api_key", "params": ["9-"#, r#"6PAmY6xWutgCg4zjIccvbkmUAolhChZ9oZGrp27YmBnBZ7HAOtEsxtTFSlEtNoQa"]"#],
    },
    Rule {
        id: "artifactory-key", vendor: "JFrog", keywords: &["AKC", "AP6", "AP2", "AP3", "AP5", "APA", "cmVmd"], span: Span::Line, check: Check::Mixed, least: 13,
        pattern: r#"(?:^|[\s=:,"\'`])(AKC[A-Za-z0-9]{10,}|AP[0-9A][A-Za-z0-9]{10,}|cmVmd[A-Za-z0-9]{59})\b"#,
        example: ["AKCp", "oBOkwwOA7tOggYDi0TIueidA9G2m7kbtVsPDTDR3z7HUadiQTaoDQy3nuUdP0Jx3aiGXi"],
    },
    Rule {
        id: "dependency-track-key", vendor: "OWASP", keywords: &["odt_"], span: Span::Run, check: Check::Mixed, least: 36,
        pattern: r"\bodt_[A-Za-z0-9]{32}(?:[A-Za-z0-9]{0,10})\b",
        example: ["odt_", "85RBvPKaHMPTlLyuiCB9rcRb1aNjXZyK"],
    },
    Rule {
        id: "gitter-token", vendor: "Gitter", keywords: &["gitter"], span: Span::Line, check: Check::Mixed, least: 47,
        pattern: r#"(?i)gitter\w{0,20}["\'\s:=>]{1,8}([a-z0-9_-]{40})\b"#,
        example: ["gitterToken = ", "8c13yq33dn9fmim8854utfb9jydy78s372xj6qqz"],
    },
    Rule {
        id: "harness-token", vendor: "Harness", keywords: &["pat.", "sat."], span: Span::Run, check: Check::Filled, least: 72,
        pattern: r"\b[ps]at\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}\b",
        example: ["pat.", "A2PQLUD_W1nW4kGeJ_kyEI.f6bff254199c973226b72264.7QcMwVRa1RCrNdKfMDsR"],
    },
    Rule {
        id: "octopus-key", vendor: "Octopus Deploy", keywords: &["API-"], span: Span::Run, check: Check::Mixed, least: 29,
        pattern: r"\bAPI-[A-Z0-9]{25,29}\b",
        example: ["API-", "EP8ON3FAKC9YY7WSWEXV23IJLQ"],
    },
    Rule {
        id: "infracost-key", vendor: "Infracost", keywords: &["ico-"], span: Span::Run, check: Check::Mixed, least: 36,
        pattern: r"(\bico-[A-Za-z0-9]{32}\b)(?:$|[^.])",
        example: ["ico-", "2DBPxg3zTXD09lq9oC26U6j6mfVGMIQ0"],
    },
    Rule {
        id: "pulumi-token", vendor: "Pulumi", keywords: &["pul-"], span: Span::Run, check: Check::Random, least: 44,
        pattern: r"\bpul-[0-9a-f]{40}\b",
        example: ["pul-", "0fcd39a4d824aebf9c5ec6211d3d1d09155e1cd9"],
    },
    Rule {
        id: "prefect-token", vendor: "Prefect", keywords: &["pnu_", "pnb_"], span: Span::Run, check: Check::Filled, least: 40,
        pattern: r"\bpn[ub]_[A-Za-z0-9]{36}\b",
        example: ["pnu_", "Bb65SJbCkBboSqXPTijG86AKZtUkKU9xTIcr"],
    },
    Rule {
        id: "terraform-token", vendor: "HashiCorp", keywords: &[".atlasv1."], span: Span::Run, check: Check::Random, least: 83,
        pattern: r"\b[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,72}",
        example: ["QQy0gvgIJIbNxp.atlasv1.", "maIebhVuG3LE37L6ClNsHAi7s7nCBm5gd6UDRjRileicO97Z5kAREInIMGbFUfW10sT"],
    },
    Rule {
        id: "vault-token", vendor: "HashiCorp", keywords: &["hvs.", "hvb.", "hvr."], span: Span::Run, check: Check::Filled, least: 28,
        pattern: r"\bhv[sbr]\.[A-Za-z0-9_-]{24,}",
        example: ["hvs.", "d2Lq1D595WXjjOt6v3rzKE4RNo88yLVvlwEpgnR74KLO10yZ2ChVIHNaQzlMKYdILjCZO4uEHrIxdNb9UixrXkOKZs"],
    },
    Rule {
        id: "vault-legacy-token", vendor: "HashiCorp", keywords: &["vault"], span: Span::Line, check: Check::Mixed, least: 32,
        pattern: r#"(?i)vault[^\n]{0,80}?[\s"\'=:](?-i:([srb]\.[A-Za-z0-9]{24,26}))\b"#,
        example: ["VAULT_TOKEN=s.", "ePuI5lww6mi21Q7g18ns3ej2"],
    },
    Rule {
        id: "vault-unseal-key", vendor: "HashiCorp", keywords: &["unseal"], span: Span::Line, check: Check::Random, least: 47,
        pattern: r"(?i)\bunseal(?: key)?(?: \d+)?\s*:?\s+([A-Za-z0-9+/]{40,}=*)",
        example: ["Unseal Key 1: ", "wK24pD8eg5NwFD2D0wQS82YTyr+n/dryG4cBIRlNmbh+"],
    },
    Rule {
        id: "doppler-token", vendor: "Doppler", keywords: &["dp."], span: Span::Run, check: Check::Filled, least: 46,
        pattern: r"\bdp\.(?:ct|pt|sa|scim|audit|st(?:\.[a-z0-9_-]{2,35})?)\.[A-Za-z0-9]{40,44}\b",
        example: ["dp.pt.", "LFBxqb2dnoM6RU2XrhhTfppQp0zbMKeoNvGuAXAYxVE"],
    },
    Rule {
        id: "supabase-token", vendor: "Supabase", keywords: &["sbp_"], span: Span::Run, check: Check::Filled, least: 44,
        pattern: r"\bsbp_[a-z0-9]{40}\b",
        example: ["sbp_", "e258b6736c838acdc4bbe92537f2f26ff29c1026"],
    },
    Rule {
        id: "postman-key", vendor: "Postman", keywords: &["pmak-"], span: Span::Run, check: Check::Random, least: 64,
        pattern: r"\bPMAK-[0-9a-f]{24}-[0-9a-f]{34}\b",
        example: ["PMAK-", "be55ac964131b5250f067b74-c68bd1ee27518e4bd6e1e465a7829ebc32"],
    },
    Rule {
        id: "stackhawk-key", vendor: "StackHawk", keywords: &["hawk."], span: Span::Run, check: Check::Filled, least: 46,
        pattern: r"\bhawk\.[A-Za-z0-9]{20}\.[A-Za-z0-9]{20}\b",
        example: ["hawk.", "lOIxBssMid76gJcqNo6G.Hm3aZ9jSNPSVHUCVq5DV"],
    },
    Rule {
        id: "kubernetes-bootstrap-token", vendor: "Kubernetes", keywords: &["bootstrap"], span: Span::Line, check: Check::Mixed, least: 33,
        pattern: r#"(?i)bootstrap\w{0,20}["\'\s:=]{1,6}([a-z0-9]{6}\.[a-z0-9]{16})\b"#,
        example: ["BOOTSTRAP_TOKEN: ", "5cwce6.urbw5qqi9hbpkxp8"],
    },
    Rule {
        id: "openshift-token", vendor: "Red Hat", keywords: &["sha256~"], span: Span::Run, check: Check::Random, least: 50,
        pattern: r"\bsha256~[A-Za-z0-9_-]{43}\b",
        example: ["sha256~", "AcFx1RmhyLbLuMMAgsNt7lRwSBmys5Yn1OETBCdpKXs"],
    },
    Rule {
        id: "sidekiq-secret", vendor: "Sidekiq", keywords: &["contribsys"], span: Span::Line, check: Check::None, least: 33,
        pattern: r"(?i)contribsys__com\w{0,12}[^0-9a-f\n]{1,12}([0-9a-f]{8}:[0-9a-f]{8})\b",
        example: ["BUNDLE_GEMS__CONTRIBSYS__COM=", "7abd723e:1f94f401"],
    },
    Rule {
        id: "codeclimate-token", vendor: "Code Climate", keywords: &["codeclimate"], span: Span::Line, check: Check::Random, least: 76,
        pattern: r#"(?i)codeclimate\w{0,20}["\'\s:=]{1,6}([0-9a-f]{64})\b"#,
        example: ["CODECLIMATE_REPO_TOKEN=", "cc47c3ee38ae14e8496f2facd5ab3b46f9dda914c001dab552cf3c4b2fdd3a1e"],
    },
];
