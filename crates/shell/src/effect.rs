//! The vocabulary that rules are written in.

use std::fmt;

macro_rules! named {
    ($(#[$meta:meta])* $vis:vis enum $name:ident { $($(#[$doc:meta])* $case:ident = $text:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $vis enum $name { $($(#[$doc])* $case,)* }

        impl $name {
            /// All of them, in the order of the documentation.
            pub const ALL: &[Self] = &[$(Self::$case,)*];

            /// The name that rules use.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$case => $text,)* }
            }

            /// The one with this name.
            #[must_use]
            pub fn named(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| one.name() == name)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

named! {
    /// What happens.
    pub enum Kind {
        /// Files or folders go away (`rm`, `shred`, `find -delete`, `rsync --delete`).
        Delete = "delete",
        /// What a file held is replaced (`>`, `cp` onto it, `dd of=`, `truncate`, `sed -i`).
        Overwrite = "overwrite",
        /// A file is created or added to (`>>`, `mkdir`, `touch`).
        Write = "write",
        /// A path gets another name; the old one is gone.
        Move = "move",
        /// A file is read.
        Read = "read",
        /// A credential is read: private keys, `.env`, token stores, secret variables, secret managers.
        ReadSecret = "read-secret",
        /// A credential leaves the machine, or is copied where it does not belong.
        SendSecret = "send-secret",
        /// Bytes go out to or come in from a host.
        Network = "network",
        /// Code runs that is not in the command: from the network, decoded, or computed.
        RunUnseen = "run-unseen",
        /// A shell is handed to somebody else.
        ReverseShell = "reverse-shell",
        /// Mode, owner or attributes change.
        Permissions = "permissions",
        /// Runs as somebody more powerful (`sudo`, `doas`, `su`, setuid).
        Escalate = "escalate",
        /// Security or audit is weakened: firewall, SELinux, history, logs, hook bypass.
        Weaken = "weaken",
        /// Uncommitted or unreachable git work is thrown away.
        GitDiscard = "git-discard",
        /// Published git history is changed or deleted.
        GitRewrite = "git-rewrite",
        /// A disk, partition or file system is wiped.
        Disk = "disk",
        /// Containers, volumes, clusters, cloud resources, hosted repositories are destroyed.
        Infra = "infra",
        /// Data in a database is destroyed.
        Database = "database",
        /// Processes are killed, the machine is stopped.
        Kill = "kill",
        /// Something is published or unpublished for the world (packages, releases).
        Publish = "publish",
        /// Something is left behind that runs later: cron, systemd, shell profiles, `authorized_keys`, git hooks.
        Persist = "persist",
        /// The agent's own policy, hooks, settings or records change.
        Policy = "policy",
        /// The machine is flooded (fork bomb).
        Exhaust = "exhaust",
        /// Cannot be told from the text.
        Unknown = "unknown",
    }
}

named! {
    /// Where a path lies.
    pub enum Place {
        /// In the workspace.
        Inside = "inside",
        /// The workspace's own folder, or everything in it (`.`, `*`).
        Workspace = "workspace",
        /// A `.git` folder of the workspace or something in it.
        Vcs = "vcs",
        /// A folder for temporary files, or below one.
        Temp = "temp",
        /// A home folder itself, or everything in it.
        Home = "home",
        /// `/` itself, or everything in it.
        Root = "root",
        /// What the machine needs: `/etc`, `/usr`, `/boot`, `/var`…, or below.
        System = "system",
        /// A disk or another device that holds data. (`/dev/null` and the like are `temp`.)
        Device = "device",
        /// Anywhere else outside the workspace.
        Outside = "outside",
        /// Cannot be told from the text.
        Unknown = "unknown",
    }
}

named! {
    /// How it happens.
    pub enum Flag {
        /// With everything below.
        Recursive = "recursive",
        /// Without asking, or against a protection.
        Force = "force",
        /// Bytes go out.
        Upload = "upload",
        /// Bytes come in.
        Download = "download",
        /// Waits for others to connect.
        Listen = "listen",
        /// What runs came from the network.
        FromNetwork = "from-network",
        /// What runs was decoded or disguised.
        Decoded = "decoded",
        /// Many targets by a pattern.
        Pattern = "pattern",
        /// The path leads elsewhere through a symbolic link.
        Symlink = "symlink",
        /// On another machine or in a container.
        Remote = "remote",
        /// A credential, or a store of them.
        Secret = "secret",
    }
}

/// A set of [`Flag`]s.
///
/// ```
/// use tollgate_shell::{Flag, Flags};
///
/// let flags = Flags::from(Flag::Recursive).with_if(Flag::Force, true).with_if(Flag::Remote, false);
/// assert!(flags.has(Flag::Force));
/// assert_eq!(flags.iter().map(Flag::name).collect::<Vec<_>>(), ["recursive", "force"]);
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Flags(u16);

impl Flags {
    /// None.
    pub const NONE: Self = Self(0);

    /// With one more.
    #[must_use]
    pub const fn with(self, flag: Flag) -> Self {
        Self(self.0 | 1 << flag as u16)
    }

    /// With one more if it is so.
    #[must_use]
    pub const fn with_if(self, flag: Flag, so: bool) -> Self {
        if so { self.with(flag) } else { self }
    }

    /// Whether it is among them.
    #[must_use]
    pub const fn has(self, flag: Flag) -> bool {
        self.0 & 1 << flag as u16 != 0
    }

    /// Those that are there.
    pub fn iter(self) -> impl Iterator<Item = Flag> {
        Flag::ALL.iter().copied().filter(move |flag| self.has(*flag))
    }
}

impl From<Flag> for Flags {
    fn from(flag: Flag) -> Self {
        Self::NONE.with(flag)
    }
}

impl fmt::Debug for Flags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// What a command puts somewhere else: by copying or moving it, or by giving it another name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its path: absolute and normalized, or as written when it cannot be told. Patterns stay in it.
    pub path: String,
    /// As what it arrives.
    pub way: Way,
}

/// As what something arrives elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// As a file.
    File,
    /// With everything below it.
    Tree,
    /// As another name for the same file: whoever writes to one writes to the other.
    HardLink,
    /// As a name that leads there.
    SymbolicLink,
}

/// One thing that a command does.
///
/// ```
/// use tollgate_shell::{Effect, Kind};
///
/// let effect = Effect::new(Kind::Disk, "wipes a disk");
/// assert_eq!(format!("this command {}", effect.what), "this command wipes a disk");
/// assert_eq!(Kind::named("disk"), Some(effect.kind));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effect {
    /// What happens.
    pub kind: Kind,
    /// To which path: absolute and normalized, or as written when it cannot be told.
    pub path: Option<String>,
    /// Where that path lies.
    pub place: Option<Place>,
    /// With which host.
    pub host: Option<String>,
    /// How.
    pub flags: Flags,
    /// What is put there, where it is something that lies on this machine.
    pub source: Option<Source>,
    /// In words, to finish the sentence "this command …": `throws away uncommitted changes`.
    pub what: String,
    /// The innermost command, as understood: `rm -rf /`.
    pub by: String,
    /// What it was wrapped in, outermost first: `sudo`, `bash -c`.
    pub via: Vec<String>,
}

impl Effect {
    /// An effect without a path or host.
    #[must_use]
    pub fn new(kind: Kind, what: impl Into<String>) -> Self {
        Self {
            kind,
            path: None,
            place: None,
            host: None,
            flags: Flags::NONE,
            source: None,
            what: what.into(),
            by: String::new(),
            via: Vec::new(),
        }
    }
}
