//! What packages offer to the world, or take back.

use crate::doing::{Doing, Invocation};
use crate::effect::{Flags, Kind};
use crate::know::options::{Options, Spec};

const PUBLISHES: &str = "publishes a package";
const TAKES_BACK: &str = "takes back or marks a published package";
const GIVES_AWAY: &str = "changes who may publish a package";
const TOKENS: &str = "makes, prints or revokes tokens of a registry";

/// A tool, its words (all in this order at the front), and what they do.
type Row = (&'static [&'static str], &'static [&'static [&'static str]], &'static str);

const ROWS: &[Row] = &[
    (&["npm", "pnpm", "bun"], &[&["publish"], &["stage"], &["stars", "publish"]], PUBLISHES),
    (
        &["npm", "pnpm"],
        &[
            &["unpublish"],
            &["deprecate"],
            &["undeprecate"],
            &["dist-tag", "add"],
            &["dist-tag", "rm"],
            &["dist-tags", "add"],
        ],
        TAKES_BACK,
    ),
    (
        &["npm", "pnpm"],
        &[
            &["owner", "add"],
            &["owner", "rm"],
            &["access", "grant"],
            &["access", "revoke"],
            &["access", "public"],
            &["access", "set"],
            &["access", "restricted"],
            &["profile", "disable-2fa"],
            &["team", "destroy"],
            &["org", "rm"],
        ],
        GIVES_AWAY,
    ),
    (&["npm", "pnpm"], &[&["token", "create"], &["token", "revoke"], &["token", "delete"]], TOKENS),
    (
        &["yarn"],
        &[
            &["publish"],
            &["npm", "publish"],
            &["workspaces", "foreach", "npm", "publish"],
            &["workspace", "npm", "publish"],
        ],
        PUBLISHES,
    ),
    (
        &["yarn"],
        &[
            &["npm", "unpublish"],
            &["npm", "tag", "add"],
            &["npm", "tag", "remove"],
            &["tag", "add"],
            &["tag", "remove"],
            &["unpublish"],
            &["npm", "deprecate"],
        ],
        TAKES_BACK,
    ),
    (&["yarn"], &[&["owner", "add"], &["owner", "remove"]], GIVES_AWAY),
    (&["lerna", "changeset"], &[&["publish"]], PUBLISHES),
    (&["semantic-release", "np", "release-it"], &[&[]], PUBLISHES),
    (&["deno", "jsr"], &[&["publish"]], PUBLISHES),
    (&["twine"], &[&["upload"], &["register"]], PUBLISHES),
    (&["poetry", "flit", "hatch", "uv", "pdm", "rye", "maturin", "pixi"], &[&["publish"], &["upload"]], PUBLISHES),
    (&["setup.py"], &[&["upload"], &["register"]], PUBLISHES),
    (&["cargo"], &[&["publish"], &["release"], &["workspaces", "publish"], &["smart-release"]], PUBLISHES),
    (&["nx"], &[&["release", "publish"], &["release"]], PUBLISHES),
    (&["lein"], &[&["deploy"]], PUBLISHES),
    (&["chrome-webstore-upload"], &[&["upload"], &["publish"]], PUBLISHES),
    (&["buildah"], &[&["push"]], PUBLISHES),
    (&["ko"], &[&["publish"]], PUBLISHES),
    (&["cargo"], &[&["yank"], &["unyank"]], TAKES_BACK),
    (&["cargo"], &[&["owner"]], GIVES_AWAY),
    (&["gem"], &[&["push"]], PUBLISHES),
    (&["gem"], &[&["yank"]], TAKES_BACK),
    (&["gem"], &[&["owner"]], GIVES_AWAY),
    (&["rake"], &[&["release"]], PUBLISHES),
    (&["nuget", "choco"], &[&["push"]], PUBLISHES),
    (&["nuget"], &[&["delete"]], TAKES_BACK),
    (&["dotnet"], &[&["nuget", "push"]], PUBLISHES),
    (&["dotnet"], &[&["nuget", "delete"]], TAKES_BACK),
    (
        &["mvn", "mvnw", "mvnd"],
        &[
            &["deploy"],
            &["deploy:deploy"],
            &["deploy:deploy-file"],
            &["release:perform"],
            &["nexus-staging:release"],
            &["gpg:sign-and-deploy-file"],
            &["central:publish"],
        ],
        PUBLISHES,
    ),
    (
        &["gradle", "gradlew"],
        &[
            &["publish"],
            &["publishPlugins"],
            &["publishAllPublicationsToMavenCentralRepository"],
            &["publishToMavenCentral"],
            &["publishToSonatype"],
            &["uploadArchives"],
            &["publishAndReleaseToMavenCentral"],
            &["closeAndReleaseRepository"],
            &["bintrayUpload"],
            &["publishAllPublicationsTo*"],
        ],
        PUBLISHES,
    ),
    (
        &["sbt"],
        &[&["publish"], &["publishSigned"], &["sonatypeBundleRelease"], &["release"], &["ci-release"]],
        PUBLISHES,
    ),
    (&["helm"], &[&["push"], &["cm-push"]], PUBLISHES),
    (&["vsce", "ovsx"], &[&["publish"]], PUBLISHES),
    (&["vsce", "ovsx"], &[&["unpublish"]], TAKES_BACK),
    (&["goreleaser"], &[&["release"], &["publish"]], PUBLISHES),
    (&["pod"], &[&["trunk", "push"], &["repo", "push"]], PUBLISHES),
    (&["pod"], &[&["trunk", "delete"], &["trunk", "deprecate"]], TAKES_BACK),
    (&["pod"], &[&["trunk", "add-owner"], &["trunk", "remove-owner"]], GIVES_AWAY),
    (&["mix"], &[&["hex.publish"]], PUBLISHES),
    (&["mix"], &[&["hex.retire"]], TAKES_BACK),
    (&["mix"], &[&["hex.owner", "add"], &["hex.owner", "remove"], &["hex.owner", "transfer"]], GIVES_AWAY),
    (&["rebar3"], &[&["hex", "publish"]], PUBLISHES),
    (&["dart", "flutter"], &[&["pub", "publish"], &["pub", "lish"]], PUBLISHES),
    (&["pub"], &[&["publish"]], PUBLISHES),
    (&["cabal", "stack"], &[&["upload"]], PUBLISHES),
    (&["conda", "anaconda"], &[&["upload"]], PUBLISHES),
    (&["anaconda"], &[&["remove"]], TAKES_BACK),
    (&["luarocks"], &[&["upload"]], PUBLISHES),
    (&["opam"], &[&["publish"]], PUBLISHES),
    (&["opam-publish", "cpan-upload"], &[&[]], PUBLISHES),
    (&["conan"], &[&["upload"]], PUBLISHES),
    (&["conan"], &[&["remove"]], TAKES_BACK),
    (&["jf", "jfrog"], &[&["rt", "upload"], &["rt", "u"], &["rt", "bp"]], PUBLISHES),
    (&["jf", "jfrog"], &[&["rt", "delete"], &["rt", "del"]], TAKES_BACK),
    (&["snapcraft"], &[&["upload"], &["push"], &["release"], &["promote"]], PUBLISHES),
    (&["charmcraft"], &[&["upload"], &["release"]], PUBLISHES),
    (&["ansible-galaxy"], &[&["collection", "publish"], &["role", "import"]], PUBLISHES),
    (&["ansible-galaxy"], &[&["role", "delete"]], TAKES_BACK),
    (&["wasm-pack", "wapm", "wasmer"], &[&["publish"]], PUBLISHES),
    (&["cosign"], &[&["clean"]], TAKES_BACK),
    (&["oras"], &[&["push"]], PUBLISHES),
    (&["oras"], &[&["manifest", "delete"], &["repo", "delete"]], TAKES_BACK),
    (&["nix-env-publish", "dput", "dput-ng"], &[&[]], PUBLISHES),
    (&["copr-cli"], &[&["delete"], &["delete-package"]], TAKES_BACK),
    (&["elm"], &[&["publish"]], PUBLISHES),
    (&["dub", "nimble", "shards", "swift-package-registry", "typst", "tsp", "gpr"], &[&["publish"]], PUBLISHES),
    (&["huggingface-cli", "hf"], &[&["repo", "delete"], &["delete"]], TAKES_BACK),
    (&["swift"], &[&["package-registry", "publish"]], PUBLISHES),
    (&["xcrun"], &[&["altool"]], PUBLISHES),
    (
        &["fastlane"],
        &[&["deliver"], &["pilot"], &["supply"], &["release"], &["upload_to_app_store"], &["upload_to_play_store"]],
        PUBLISHES,
    ),
    (&["eas"], &[&["submit"]], PUBLISHES),
    (&["vercel-publish", "clawhub"], &[&["publish"]], PUBLISHES),
];

pub(super) fn knows(name: &str) -> bool {
    ROWS.iter().any(|(names, ..)| names.contains(&name))
}

/// Options that may stand before the subcommand, with a value.
const OPTIONS: Spec = Spec::new(
    "CfpPsk",
    &[
        "prefix",
        "registry",
        "workspace",
        "filter",
        "cwd",
        "dir",
        "project",
        "directory",
        "manifest-path",
        "color",
        "config",
        "userconfig",
        "otp",
        "tag",
        "access",
        "token",
        "file",
        "settings",
        "project-dir",
        "build-file",
        "source",
        "api-key",
    ],
)
.flags(&["dry-run", "help", "snapshot", "skip-publish", "list"]);

pub(super) fn look(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let options = Options::of(invocation.args, &OPTIONS);
    let words: Vec<&str> = options.operands.iter().map(|word| word.text.as_str()).collect();
    let rehearsed = options.on(&["dry-run", "dryrun", "snapshot", "skip-publish", "skip=publish"])
        || options.has(&["n"]) && matches!(invocation.name, "cargo" | "dart" | "flutter")
        || words.contains(&"--dry-run");
    if rehearsed {
        return;
    }
    let what = ROWS
        .iter()
        .filter(|(names, ..)| names.contains(&invocation.name))
        .find(|(_, starts, _)| starts.iter().any(|start| begins(&words, start, invocation.name)))
        .map(|(.., what)| *what);
    let Some(what) = what else { return };
    // `cargo owner --list` and `npm owner ls` only look.
    if what == GIVES_AWAY && options.has(&["list", "l"]) {
        return;
    }
    // These say what they would do unless they are told to.
    let told = match (invocation.name, words.first()) {
        ("cargo", Some(&("release" | "smart-release"))) => options.has(&["execute", "x"]),
        ("nx", _) => words.len() == 1 || words[1] == "publish",
        ("xcrun", _) => options.has(&["upload-app", "upload-package"]),
        _ => true,
    };
    if !told {
        return;
    }
    doing.does(Kind::Publish, Flags::NONE, what);
}

/// Build tools take many goals at once; elsewhere the subcommand comes first.
fn begins(words: &[&str], start: &[&str], name: &str) -> bool {
    if matches!(name, "mvn" | "mvnw" | "mvnd" | "gradle" | "gradlew" | "sbt" | "rake" | "setup.py" | "fastlane") {
        let meant = |last: &str| {
            start.iter().any(|goal| match goal.strip_suffix('*') {
                Some(front) => last.starts_with(front) && !last.contains("MavenLocal"),
                None => *goal == last,
            })
        };
        let goal = |word: &str| word.rsplit(':').next().is_some_and(meant) && !word.contains("deploy-file:help");
        return start.len() == 1
            && words.iter().any(|word| start.contains(word) || name.starts_with("gradle") && goal(word));
    }
    if name == "yarn" && words.first().is_some_and(|word| word.starts_with("workspace")) && start.len() > 1 {
        // `yarn workspace NAME npm publish`
        return words.windows(2).any(|pair| pair == ["npm", "publish"]) && start.ends_with(&["npm", "publish"]);
    }
    words.starts_with(start)
}
