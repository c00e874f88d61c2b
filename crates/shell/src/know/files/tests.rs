use crate::check::effects_of;
use crate::{Kind, Surroundings};

/// The first words of each effect: `delete outside recursive /x`.
fn check(command: &str, expected: &[&str]) {
    let found = effects_of(command);
    let found: Vec<&str> = found.lines().map(|line| line.split(" — ").next().unwrap_or_default()).collect();
    let found: Vec<&str> = found.into_iter().filter(|line| !line.starts_with("read ")).collect();
    assert_eq!(found, expected, "{command}");
}

#[test]
fn removing() {
    check("rm -vrf /srv/x", &["delete outside recursive,force /srv/x"]);
    check("rm --recur --fo ~", &["delete home recursive,force /home/ann"]);
    check("rm -- -r", &["delete inside - /home/ann/app/-r"]);
    check("rm --help /", &[]);
    check("rmdir /srv/x", &[]);
    check("rmdir /s /q 'C:\\Users\\x'", &["delete home recursive C:/Users/x"]);
    check("shred -n 3 -u notes", &["delete inside force /home/ann/app/notes"]);
    check("shred /dev/sdb", &["overwrite device force /dev/sdb"]);
    check("unlink /etc/motd", &["delete system - /etc/motd"]);
    check("truncate -s 0 /etc/motd", &["overwrite system - /etc/motd"]);
    check("truncate -s +1M disk.img", &["write inside - /home/ann/app/disk.img"]);
}

#[test]
fn copying() {
    check("cp a /etc/motd", &["overwrite system - /etc/motd"]);
    check("cp a ~/.bashrc", &["overwrite outside - /home/ann/.bashrc", "persist outside - /home/ann/.bashrc"]);
    check("cp .bashrc ~/", &["write outside - /home/ann/.bashrc", "persist outside - /home/ann/.bashrc"]);
    check("cp -t /tmp a b", &["write temp - /tmp/a", "write temp - /tmp/b"]);
    check("cp ~/.netrc x", &["read-secret outside secret /home/ann/.netrc", "overwrite inside - /home/ann/app/x"]);
    check("mv a b", &["move inside - /home/ann/app/a", "overwrite inside - /home/ann/app/b"]);
    check("mv * lib", &["write inside pattern /home/ann/app/lib"]);
    check("mv ~/x /dev/null", &["delete outside recursive /home/ann/x", "overwrite temp - /dev/null"]);
    check("ln -sf /dev/null /etc/motd", &["overwrite system force /etc/motd"]);
    check("dd if=/dev/zero of=/dev/sdb bs=1M", &["overwrite device - /dev/sdb"]);
    check("install -m 4755 a /tmp/b", &["escalate - force -", "overwrite temp - /tmp/b"]);
    check("echo hi | tee -a /etc/motd", &["write system - /etc/motd"]);
    check("rsync -a --del a/ /srv/b", &["delete outside recursive,force /srv/b"]);
    check("rsync -an --delete a/ /srv/b", &[]);
    check("rsync a box:/srv", &["network - upload box"]);
}

#[test]
fn archives() {
    check("tar xzf a.tgz -C /srv/x", &["write outside - /srv/x"]);
    check("tar -xf a.tar -C /", &["overwrite root recursive /"]);
    check("tar cf /tmp/a.tar ~/.ssh", &["read-secret outside secret /home/ann/.ssh", "overwrite temp - /tmp/a.tar"]);
    check(
        "tar cf a.tar x --remove-files",
        &["delete inside recursive /home/ann/app/x", "overwrite inside - /home/ann/app/a.tar"],
    );
    check(
        "tar cf a.tar x --checkpoint=1 --checkpoint-action=exec='rm b'",
        &["delete inside - /home/ann/app/b", "overwrite inside - /home/ann/app/a.tar"],
    );
    check("tar -tf a.tar", &[]);
    check("zip -rm a.zip /srv/x", &["delete outside recursive /srv/x", "write inside - /home/ann/app/a.zip"]);
    check("gzip -r /srv/x", &["overwrite outside recursive /srv/x"]);
    check("gzip -dc a.gz", &[]);
}

#[test]
fn modes() {
    check("chmod -R 777 /", &["permissions root recursive,force /"]);
    check("chmod 777 x", &["permissions inside - /home/ann/app/x"]);
    check("chmod u+s x", &["escalate - force -", "permissions inside - /home/ann/app/x"]);
    check("chmod -x /srv/x", &["permissions outside - /srv/x"]);
    check("chmod o+r ~/.ssh/id_rsa", &["permissions outside force,secret /home/ann/.ssh/id_rsa"]);
    check("chmod +x .git/hooks/pre-push", &["permissions vcs - /home/ann/app/.git/hooks/pre-push", "persist - - -"]);
    check("chown -R ann /usr", &["permissions system recursive /usr"]);
    check("setcap cap_setuid+ep x", &["escalate - force -"]);
    check("setcap cap_net_bind_service+ep x", &[]);
}

#[test]
fn editors() {
    check("vim -c ':!rm a' -c q", &["delete inside - /home/ann/app/a"]);
    check("vim -es '+%!rm a' +wq b", &["delete inside - /home/ann/app/a", "overwrite inside - /home/ann/app/b"]);
    check("printf 'a\\n!rm a\\n.\\n!rm b\\n' | ed", &["delete inside - /home/ann/app/b"]);
    check("patch /etc/motd x.diff", &["overwrite system - /etc/motd"]);
}

#[test]
fn over_the_system() {
    check("tar xf a.tar -C /etc", &["overwrite system recursive /etc"]);
    check("unzip -o a.zip -d /etc", &["overwrite system recursive /etc"]);
    check("tar xf a.tar -C /opt/a", &["write system - /opt/a"]);
}

#[test]
fn where_what_is_put_somewhere_comes_from() {
    for (command, expected) in [
        ("cp a b", "/home/ann/app/b <- File /home/ann/app/a"),
        ("cd /srv && cp -r a/. b", "/srv/b <- Tree /srv/a"),
        ("cp e/*.js out/", "/home/ann/app/out/*.js <- File /home/ann/app/e/*.js"),
        ("cp e/$(cat n) out/", "/home/ann/app/out/… <- File /home/ann/app/e/…"),
        ("cp --parents a/b out", "/home/ann/app/out/a/b <- File /home/ann/app/a/b"),
        ("cp -l a b", "/home/ann/app/b <- HardLink /home/ann/app/a"),
        ("mv a b", "/home/ann/app/b <- Tree /home/ann/app/a"),
        ("install -t out a", "/home/ann/app/out/a <- File /home/ann/app/a"),
        ("ln a b", "/home/ann/app/b <- HardLink /home/ann/app/a"),
        ("ln a b; echo > b", "/home/ann/app/b <- HardLink /home/ann/app/a\n/home/ann/app/a"),
        ("ln -s a b", "/home/ann/app/b <- SymbolicLink /home/ann/app/a"),
        ("rsync -a a/ b", "/home/ann/app/b <- Tree /home/ann/app/a"),
        ("rsync -aR a b", "/home/ann/app/b <- Tree …"),
        ("rsync -a host:a b", "/home/ann/app/b <- Tree …"),
        ("echo > b", "/home/ann/app/b"),
        // A file that was opened is the same by its number.
        ("exec 3< a; echo > /dev/fd/3", "/home/ann/app/a"),
        ("echo x 1<> a", "/home/ann/app/a"),
        ("echo x > /dev/stdin", "/dev/stdin"),
    ] {
        let around = Surroundings { cwd: Some("/home/ann/app"), ..Surroundings::default() };
        let effects = crate::understand(command, &around);
        let puts = effects.iter().filter(|effect| matches!(effect.kind, Kind::Write | Kind::Overwrite));
        let lines = puts.map(|effect| {
            let path = effect.path.as_deref().unwrap_or("-");
            match &effect.source {
                Some(source) => format!("{path} <- {:?} {}", source.way, source.path),
                None => path.to_owned(),
            }
        });
        assert_eq!(lines.collect::<Vec<_>>().join("\n"), expected, "{command}");
    }
}
