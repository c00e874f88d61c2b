//! Paths of a special nature.
//!
//! A pattern that starts with `/` is anchored there, one that starts with `~/` in any home folder; the others fit at
//! any depth. `*` stands for any text within a name. A trailing `/**` means the folder and everything below it. Case
//! does not matter: some file systems do not care either.

use super::Nature;

const NONE: Nature = Nature { secret: false, runs_later: false, policy: false, security: false };

/// What each group of patterns means.
pub(super) const GROUPS: &[(Nature, &[&str])] = &[
    (Nature { secret: true, ..NONE }, SECRET),
    (Nature { runs_later: true, ..NONE }, RUNS_LATER),
    (Nature { policy: true, ..NONE }, POLICY),
    (Nature { security: true, ..NONE }, SECURITY),
    (Nature { secret: true, security: true, ..NONE }, HISTORY),
];

/// Private keys (`.ssh`, `*.pem`…) and `.env` files have rules of their own in `nature`.
#[rustfmt::skip]
const SECRET: &[&str] = &[
    // Clouds and clusters.
    ".aws/credentials", ".aws/sso/cache/**", ".aws/cli/cache/**", ".aws", ".boto", ".s3cfg", ".config/gcloud",
    "gcloud/credentials.db", "gcloud/access_tokens.db", "gcloud/legacy_credentials/**",
    "application_default_credentials.json", ".azure", ".azure/accessTokens.json", ".azure/msal_token_cache*",
    ".azure/service_principal_entries*", ".kube", ".kube/config", ".kube/*.config", ".kube/config*", "kubeconfig",
    "*.kubeconfig", "kubeconfig.y*ml", "/etc/kubernetes/*.conf", "/etc/rancher/k3s/k3s.yaml", ".docker/config.json",
    "containers/auth.json", ".dockercfg", ".config/doctl/config.yaml", ".fly/config.yml", "hcloud/cli.toml",
    ".oci/config", ".oci/sessions/**", ".bluemix/config.json", ".cloudflared/*.json", ".wrangler/config/default.toml",
    ".config/netlify/config.json", ".netlify/config.json", ".railway/config.json", ".config/stripe/config.toml",
    "ngrok.yml", "rclone.conf", ".databrickscfg", ".snowsql/config", ".dbt/profiles.yml", ".ossutilconfig",
    ".supabase/access-token", ".twilio-cli/config.json", ".huggingface/token", "tailscaled.state",
    ".linode-cli", ".config/scw/config.yaml", ".terraform.d/credentials.tfrc.json", ".terraformrc", "*.tfstate",
    "*.tfstate.backup", ".vault-token", ".vault_pass*", ".vault-pass*", "vault_pass*", ".pulumi/credentials.json",
    ".chef/*.pem", "/run/secrets/**", "/var/run/secrets/**", ".config/helm/registry/config.json",
    // Packages, forges and hosts.
    ".dev.vars", ".netrc", "_netrc", ".npmrc", ".pypirc", ".gem/credentials", ".cargo/credentials", ".cargo/credentials.toml",
    ".git-credentials", "git/credentials", "gh/hosts.yml", "glab-cli/config.yml", ".config/hub", "auth.json",
    "auth.toml", ".config/gh",
    "~/.codex", "~/.claude", "~/.docker", "~/.config/github-copilot",
    ".m2/settings.xml", ".m2/settings-security.xml", "~/.gradle/gradle.properties", ".sbt/.credentials",
    ".ivy2/.credentials", ".kaggle/kaggle.json", "kaggle.json", "huggingface/token", "huggingface/stored_tokens",
    ".config/sentry*", ".sentryclirc", ".config/configstore/firebase-tools.json", ".ansible/galaxy_token",
    // Databases.
    ".my.cnf", ".mylogin.cnf", ".pgpass", "pgpass.conf", ".mongodb/credentials", ".config/redis/auth",
    // Key and password stores.
    ".gnupg", ".gnupg/private-keys*/**", "secring.gpg", "Library/Keychains/**", "*.keychain", "*.keychain-db",
    ".local/share/keyrings/**", "kwalletd/**", "*.kdbx", "*.kdb", ".password-store/**", ".config/op/**",
    "Bitwarden CLI/**", ".config/Bitwarden*/**", ".lastpass/**", "age/keys.txt", ".config/sops/**", "1password/**",
    ".authinfo", ".authinfo.gpg", "*.agilekeychain/**", "*.opvault/**",
    // Browsers, messengers and wallets.
    "Login Data", "Login Data For Account", "Web Data", "Default/Cookies", "Network/Cookies", "Profile*/Cookies",
    "cookies.sqlite", "Cookies.binarycookies", "logins.json", "key3.db", "key4.db", "signons.sqlite",
    "Slack/storage/**", "Signal/config.json", "wallet.dat", "*.wallet", ".bitcoin/**", ".ethereum/keystore/**",
    "keystore/UTC--*", ".config/solana/id.json", ".electrum/wallets/**", "exodus.wallet/**", ".monero/**",
    // Agents.
    ".claude/.credentials.json", "~/.claude.json", ".gemini/oauth_creds.json", ".gemini/google_accounts.json",
    ".qwen/oauth_creds.json", "github-copilot/hosts.json", "github-copilot/apps.json", ".copilot/config.json",
    ".openclaw/credentials/**", ".openclaw/openclaw.json", "auth-profiles.json", ".clawdbot/credentials/**",
    ".claude/credentials/**", ".minimax/oauth_creds.json", "github-copilot.token.json", "goose/secrets.yaml", ".config/openai/**",
    "~/.local/share/tollgate/audit/**",
    ".anthropic/**", ".cursor/mcp-auth*", ".mcp-auth/**", ".kiro/auth*", ".factory/auth*", ".cline/data/secrets.json",
    // The machine.
    "/etc/shadow*", "/etc/gshadow*", "/etc/master.passwd", "/var/db/dslocal/**", "/etc/ssl/private/**",
    "/etc/letsencrypt/live/*/privkey*.pem", "/etc/letsencrypt/archive/**", "*.keytab", "krb5cc_*",
    "/etc/ppp/*-secrets", "/etc/ipsec.secrets", "/etc/wireguard/**", "wpa_supplicant.conf",
    "/etc/NetworkManager/system-connections/**", "/etc/cups/ssl/**", "/proc/*/environ", "/proc/*/mem", "/proc/kcore",
    "/dev/mem", "/dev/kmem", "/var/lib/sss/**", "/etc/sssd/sssd.conf", "ntds.dit", "config/SAM", "/var/backups/shadow*",
    "ssh_host_*_key", "/etc/security/opasswd", "/etc/docker/key.json",
    // Projects.
    "credentials.json", "client_secret*.json", "service-account*.json", "service_account*.json",
    "serviceAccount*.json", "*-service-account.json", "*firebase-adminsdk*.json", "gcp-key*.json", "secrets.json",
    "secrets.yml", "secrets.yaml", "secrets.toml", "secrets.env", "config/credentials.yml", ".htpasswd",
    "wp-config.php", ".secrets", ".secrets/**", ".streamlit/secrets.toml", "config/master.key", ".credentials",
    ".git/config.credentials", "tokens.json", "token.json", ".api_key*", ".token", "api_keys.*", "apikey.txt",
];

#[rustfmt::skip]
const HISTORY: &[&str] = &[
    ".bash_history", ".zsh_history", ".zhistory", "~/.history", ".sh_history", ".ksh_history", ".python_history",
    ".psql_history", ".mysql_history", ".node_repl_history", ".sqlite_history", ".rediscli_history", "fish_history",
    "ConsoleHost_history.txt", ".bash_sessions/**", ".zsh_sessions/**", ".mongosh/*history*", ".irb_history",
];

#[rustfmt::skip]
const RUNS_LATER: &[&str] = &[
    // Shells.
    "~/.bashrc", "~/.bash_profile", "~/.bash_login", "~/.bash_logout", "~/.bash_aliases", "~/.bashrc.d/**",
    "~/.profile", "~/.zshrc", "~/.zshenv", "~/.zprofile", "~/.zlogin", "~/.zlogout", "~/.zshrc.local", "~/.kshrc",
    "~/.cshrc", "~/.tcshrc", "~/.login", "~/.inputrc", "~/.config/fish/config.fish", "~/.config/fish/conf.d/**",
    "~/.config/fish/functions/**", "~/.config/powershell/**", "~/.config/nushell/*.nu", "~/.oh-my-zsh/**",
    "~/.bash_it/**", "~/.config/zsh/**", "~/.config/bash/**", "~/.config/environment.d/**", "~/.pam_environment",
    "~/.xinitrc", "~/.xprofile", "~/.xsession", "~/.xsessionrc", "~/.Xprofile",
    "*_profile.ps1", "Microsoft.PowerShell_profile.ps1",
    "/etc/profile", "/etc/profile.d/**", "/etc/bash.bashrc", "/etc/bashrc", "/etc/zsh/**", "/etc/zshrc",
    "/etc/zshenv", "/etc/zprofile", "/etc/environment", "/etc/csh.*", "/etc/fish/**", "/etc/skel/**",
    "/etc/bash_completion.d/**", "/etc/X11/xinit/**", "/etc/X11/Xsession.d/**",
    // Timers.
    "/etc/cron*/**", "/etc/crontab", "/etc/anacrontab", "/var/spool/cron/**", "/var/spool/at/**",
    "/var/cron/tabs/**", "/usr/lib/cron/tabs/**", "/etc/periodic/**", "/var/spool/incron/**",
    // Services and logins.
    "/etc/systemd/**", "/lib/systemd/**", "/usr/lib/systemd/**", "/usr/local/lib/systemd/**", "/run/systemd/**",
    "~/.config/systemd/**", "~/.local/share/systemd/**", "/etc/init.d/**", "/etc/rc.local", "/etc/rc.d/**",
    "/etc/rc*.d/**", "/etc/inittab", "/etc/init/**", "/etc/runit/**", "/etc/sv/**", "/etc/s6/**", "/etc/local.d/**",
    "/etc/conf.d/local*", "/etc/supervisor/**", "/etc/supervisord*/**", "~/.config/autostart/**",
    "~/.config/autostart-scripts/**", "~/.config/plasma-workspace/env/**", "/etc/xdg/autostart/**",
    "/usr/share/autostart/**", "~/.config/openbox/autostart", "~/.config/i3/config", "~/.config/sway/config",
    "~/.config/hypr/hyprland.conf", "LaunchAgents/**", "LaunchDaemons/**", "/Library/StartupItems/**",
    "/etc/emond.d/**", "Start Menu/Programs/Startup/**", "/etc/udev/rules.d/**", "/lib/udev/rules.d/**",
    "/usr/lib/udev/rules.d/**", "/etc/NetworkManager/dispatcher.d/**", "/etc/network/if-*/**", "/etc/dhcp/**",
    "/etc/update-motd.d/**", "/etc/modules-load.d/**", "/etc/modprobe.d/**", "/etc/modules", "/etc/binfmt.d/**",
    "/etc/apt/apt.conf.d/**", "/etc/yum/pluginconf.d/**", "/etc/pacman.d/hooks/**", "/etc/dnf/plugins/**",
    "/etc/logrotate.d/**", "/etc/dbus-1/system.d/**", "/usr/share/dbus-1/system-services/**", "/etc/acpi/**",
    "/etc/grub.d/**", "/etc/initramfs-tools/**", "/etc/tmpfiles.d/**", "/etc/sysctl.d/**", "/etc/xinetd.d/**",
    "/etc/inetd.conf", "~/.local/share/dbus-1/services/**", "/etc/ssh/sshrc", "~/.ssh/rc", "~/.ssh/environment",
    // Who may come in.
    ".ssh/authorized_keys*", "/etc/ssh/authorized_keys*/**", "~/.rhosts", "~/.shosts", "/etc/hosts.equiv",
    "~/.ssh/config", "~/.ssh/config.d/**", "~/.k5login",
    // What other programs load.
    ".git/hooks/**", ".git/config.worktree", "~/.config/git/hooks/**", "~/.git-hooks/**", "~/.githooks/**",
    "~/.git-templates/**", "~/.git_template/**", "/usr/share/git-core/templates/**", "~/.vimrc", "~/.vim/plugin/**",
    "~/.vim/autoload/**", "~/.config/nvim/**", "~/.emacs", "~/.emacs.d/init.el", "~/.tmux.conf", "~/.screenrc",
    "~/.gdbinit", "~/.config/gdb/**", "sitecustomize.py", "usercustomize.py", "site-packages/*.pth",
    "dist-packages/*.pth", "~/.pythonrc*", "~/.config/pip/pip.conf", "~/.pip/pip.conf", "/etc/pip.conf",
    "~/.npmrc", "~/.cargo/config.toml", "~/.cargo/config", "~/.direnvrc", "~/.config/direnv/**", "~/.mailrc",
    "~/.forward", "~/.procmailrc", "~/.config/Code/User/settings.json", "~/.config/mpv/scripts/**",
];

#[rustfmt::skip]
const POLICY: &[&str] = &[
    "tollgate.toml", ".tollgate.toml", ".tollgate/**", "~/.config/tollgate/**", "~/.local/share/tollgate/**",
    "~/.local/state/tollgate/**", "~/.cache/tollgate/**", "~/Library/Application Support/tollgate/**", "/etc/tollgate/**",
    "/var/lib/tollgate/**", "/var/log/tollgate/**", "AppData/Roaming/tollgate/**", "AppData/Local/tollgate/**",
    ".claude/settings*.json", ".claude/hooks/**", ".claude/hooks.json", ".claude/plugins/**", "~/.claude.json",
    "/etc/claude-code/**", "ClaudeCode/managed-settings*", ".codex/config.toml", ".codex/hooks.json",
    ".codex/hooks/**", ".codex/rules/**", ".codex/requirements.toml", "/etc/codex/**", ".gemini/settings.json",
    ".gemini/hooks/**", ".gemini/extensions/**", ".gemini/policies/**", "/etc/gemini-cli/**", ".qwen/settings.json",
    ".qwen/hooks/**", "/etc/qwen-code/**", ".copilot/hooks/**", ".copilot/settings.json", ".copilot/config.json",
    ".github/hooks/**", ".github/copilot/**", "/etc/github-copilot/**", ".cursor/hooks.json", ".cursor/hooks/**", ".cursor/rules/**", ".cursor/mcp.json", ".mcp.json",
    ".cursor/permissions.json", ".cursor/cli.json", ".cursor/cli-config.json", "/etc/cursor/**",
    ".windsurf/hooks.json", ".windsurf/hooks/**", ".codeium/windsurf/hooks.json", "/etc/windsurf/**",
    ".factory/hooks.json", ".factory/hooks/**", ".factory/settings*.json", ".cline/hooks/**", ".clinerules/hooks/**",
    "Cline/Hooks/**", "opencode.json", "opencode.jsonc", "opencode/plugin/**", "opencode/plugins/**",
    ".opencode/plugin/**", ".opencode/plugins/**", ".openclaw/openclaw.json", ".openclaw/plugins/**",
    ".openclaw/extensions/**", ".openclaw/hooks/**", ".kiro/hooks/**", ".kiro/agents/**", ".kiro/settings/**",
    ".amazonq/cli-agents/**", ".aws/amazonq/cli-agents/**", ".agents/plugins/**", ".config/goose/config.yaml",
    ".config/goose/permission*", ".config/devin/**", ".gemini/config/**", ".gemini/antigravity*/**",
    ".config/amp/plugins/**", ".hermes/config*", ".config/amp/settings.json", ".config/crush/crush.json",
];

#[rustfmt::skip]
const SECURITY: &[&str] = &[
    "/etc/sudoers", "/etc/sudoers.d/**", "/etc/doas.conf", "/etc/doas.d/**", "/etc/polkit-1/**",
    "/usr/share/polkit-1/**", "/etc/pam.d/**", "/etc/pam.conf", "/etc/security/**", "/etc/selinux/**",
    "/sys/fs/selinux/**", "/etc/apparmor/**", "/etc/apparmor.d/**", "/sys/kernel/security/**", "/etc/audit/**",
    "/etc/rsyslog*", "/etc/rsyslog.d/**", "/etc/syslog*", "/var/log/**", "/etc/ld.so.preload", "/etc/ld.so.conf",
    "/etc/ld.so.conf.d/**", "/etc/passwd", "/etc/group", "/etc/shadow", "/etc/gshadow", "/etc/subuid", "/etc/subgid",
    "/etc/login.defs", "/etc/securetty", "/etc/shells", "/etc/ssh/**", "/etc/hosts.allow", "/etc/hosts.deny",
    "/etc/ufw/**", "/etc/iptables/**", "/etc/nftables*", "/etc/firewalld/**", "/etc/fail2ban/**", "/etc/crypttab",
    "/etc/aide/**", "/etc/samhain/**", "/etc/ossec*/**", "/var/ossec/**", "/etc/krb5.conf", "/etc/nsswitch.conf",
    "/proc/sys/kernel/**", "/proc/sys/net/**", "/proc/sysrq-trigger", "/etc/pf.conf", "/etc/authorization",
    "TCC.db", "drivers/etc/hosts", "/etc/resolv.conf.d/**", "/etc/pki/ca-trust/**", "/etc/sysctl.conf",
    "/etc/falco/**", "/etc/osquery/**", "/etc/clamav/**",
];
