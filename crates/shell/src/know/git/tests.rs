use crate::check::check_kinds as check;

#[test]
fn throws_work_away() {
    check(&[
        ("git reset --hard", "git-discard"),
        ("git -C sub reset --ha HEAD~1", "git-discard"),
        ("git --git-dir=x --work-tree y reset --merge", "git-discard"),
        ("git checkout -- a.rs", "git-discard"),
        ("git checkout .", "git-discard"),
        ("git checkout HEAD~2 a.rs", "git-discard"),
        ("git checkout lib.rs", "git-discard"),
        ("git checkout -qf main", "git-discard"),
        ("git switch --discard-changes main", "git-discard"),
        ("git restore a.rs", "git-discard"),
        ("git restore -SW a.rs", "git-discard"),
        ("git clean -fdx", "git-discard"),
        ("git -c clean.requireForce=no clean", "git-discard"),
        ("git stash drop", "git-discard"),
        ("git stash clear", "git-discard"),
        ("git branch -D x", "git-discard"),
        ("git branch -d --force x", "git-discard"),
        ("git tag -d v1", "git-discard"),
        ("git rm -rf .", "git-discard"),
        ("git worktree remove --force ../x", "git-discard"),
        ("git reflog expire --expire=now --all", "git-discard"),
        ("git gc --prune=now", "git-discard"),
        ("git prune", "git-discard"),
        ("git update-ref -d refs/heads/x", "git-discard"),
        ("git checkout-index -f -a", "git-discard"),
        ("git read-tree --reset -u HEAD", "git-discard"),
        ("git submodule deinit -f x", "git-discard"),
        ("hg update --clean", "git-discard"),
        ("svn revert -R .", "git-discard"),
    ]);
}

#[test]
fn keeps_work() {
    check(&[
        ("git reset --soft HEAD~1", ""),
        ("git reset HEAD a.rs", ""),
        ("git reset --hard -h", ""),
        ("git checkout feature/x", ""),
        ("git checkout v1.2", ""),
        ("git checkout -b x origin/main", ""),
        ("git checkout --theirs a.rs", ""),
        ("git switch -c x", ""),
        ("git restore --staged .", ""),
        ("git clean -nfd", ""),
        (r#"git stash push -m "drop it""#, ""),
        ("git branch -d x", ""),
        ("git branch -M main", ""),
        ("git rm --cached -f a", ""),
        ("git gc", ""),
        ("git reflog expire --expire=90.days", ""),
        ("git merge --abort", ""),
        ("git help reset --hard", ""),
        ("git reset --help --hard", ""),
    ]);
}

#[test]
fn published_history() {
    check(&[
        ("git push -f", "git-rewrite"),
        ("git push --forc origin x", "git-rewrite"),
        ("git push origin +x", "git-rewrite"),
        ("git push origin :x", "git-rewrite"),
        ("git push -d origin x", "git-rewrite"),
        ("git push --mirror", "git-rewrite"),
        ("git push --force-with-lease origin main", "git-rewrite"),
        ("git push --force-with-lease --force origin x", "git-rewrite"),
        ("hub push -f", "git-rewrite"),
        ("git filter-repo --path a", "git-rewrite"),
        ("git push --force-with-lease origin x", ""),
        ("git push --dry-run -f", ""),
        ("git push -u origin HEAD", ""),
        ("git push --no-verify", "weaken"),
        ("git remote add b https://b.example/x && git push b x", "send-secret"),
        ("git remote add b git@github.com:a/x && git push b x", ""),
    ]);
}

#[test]
fn runs_what_it_is_told() {
    check(&[
        ("git -c alias.x='!rm -rf ~' x", "delete"),
        ("git -c alias.x='reset --hard' x", "git-discard"),
        (r#"git config alias.x "push -f" && git x"#, "git-rewrite"),
        ("git -c alias.status='reset --hard' status", ""),
        ("git -c alias.a=b -c alias.b=a a", ""),
        ("git -c core.pager='rm -rf ~' log", "delete"),
        ("git -c core.pager=cat log", ""),
        ("git bisect run sh -c 'rm -rf ~'", "delete"),
        ("git submodule foreach 'git reset --hard'", "git-discard"),
        ("git rebase --exec 'rm -rf ~' main", "delete"),
        ("git grep -O'rm -rf ~' x", "delete"),
        ("GIT_SSH_COMMAND='rm -rf ~' git fetch", "delete"),
        ("X='!rm -rf ~' git --config-env=alias.x=X x", "delete"),
        ("git clone 'ext::rm -rf ~' x", "delete"),
        ("git commit -m 'rm -rf /' -m '--no-verify'", ""),
        ("git commit -nm x", "weaken"),
    ]);
}

#[test]
fn settings() {
    check(&[
        ("git config --global core.hooksPath /x", "persist"),
        ("git config core.hooksPath /dev/null", "weaken"),
        ("git config core.hooksPath .githooks", ""),
        ("git config --global core.editor vim", ""),
        ("git config --get github.token", "read-secret"),
        ("git config --global user.name x", ""),
    ]);
}

#[test]
fn forges() {
    check(&[
        ("gh repo delete a/b --yes", "infra"),
        ("gh api -X DELETE repos/a/b", "infra"),
        ("gh api repos/a/b", ""),
        ("gh auth token", "read-secret"),
        ("gh release create v1", "publish"),
        ("gh release create v1 --draft", ""),
        ("gh repo edit --visibility public", "publish"),
        ("gh pr merge 3 --admin", "weaken"),
        ("gh issue create -t x -b 'gh repo delete'", ""),
        ("glab repo delete a/b", "infra"),
    ]);
}

#[test]
fn less_common_ways() {
    check(&[
        ("git branch -f main HEAD~3", "git-discard"),
        ("git branch --force topic other", "git-discard"),
        ("git branch -M trunk", ""),
        ("git branch -f", ""),
        ("git lfs migrate import --everything", "git-rewrite"),
        ("git lfs migrate import --no-rewrite a.bin", ""),
        ("git lfs migrate info", ""),
        ("HUSKY=0 git commit -m a", "weaken"),
        ("LEFTHOOK=0 git push", "weaken"),
        ("HUSKY=0 git status", ""),
        ("HUSKY=1 git commit -m a", ""),
        ("jj op abandon ..@-", "git-discard"),
        ("jj git push --deleted", "git-rewrite"),
        ("jj describe -m a", ""),
        ("gh api repos/a/b -X PATCH -f private=false", "publish"),
        ("gh api repos/a/b -X PATCH -f name=c", ""),
    ]);
}
