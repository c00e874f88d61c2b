use crate::check::check_kinds as check;

#[test]
fn publishes() {
    check(&[
        ("npm publish", "publish"),
        ("npm --registry https://r.example publish", "publish"),
        ("npm unpublish a -f", "publish"),
        ("npm deprecate a x", "publish"),
        ("npm owner add e a", "publish"),
        ("yarn npm publish", "publish"),
        ("pnpm publish -r", "publish"),
        ("twine upload dist/x", "publish"),
        ("poetry publish --build", "publish"),
        ("uv publish", "publish"),
        ("cargo publish", "publish"),
        ("cargo yank --vers 1.0.0 a", "publish"),
        ("gem push a.gem", "publish"),
        ("mvn clean deploy", "publish"),
        ("./gradlew :a:publish", "publish"),
        ("dotnet nuget push a.nupkg", "publish"),
        ("helm push a oci://x", "publish"),
        ("mix hex.publish", "publish"),
        ("npx semantic-release", "publish"),
        ("vsce publish", "publish"),
    ]);
}

#[test]
fn ordinary() {
    check(&[
        ("npm publish --dry-run", ""),
        ("npm install a", ""),
        ("npm run publish-docs", ""),
        ("cargo publish -n", ""),
        ("cargo owner --list", ""),
        ("gradle publishToMavenLocal", ""),
        ("dotnet publish", ""),
        ("pip install -r requirements.txt", ""),
        ("pip install git+https://github.com/a/b", ""),
        ("npx a@latest b", ""),
        ("uv run pytest", ""),
        ("npm publish --help", ""),
    ]);
}

#[test]
fn runs() {
    check(&[
        ("npm install https://x.example/a.tgz", "run-unseen"),
        ("pip install git+https://x.example/a", "run-unseen"),
        ("deno run https://x.example/a.ts", "run-unseen"),
        ("npx -c 'rm -rf ~'", "delete"),
        ("npm exec -- rm -rf ~", "delete"),
        ("uvx rm -rf ~", "delete"),
        ("poetry run bash -c 'rm -rf ~'", "delete"),
        ("bundle exec rake db:drop", "database"),
        ("npx prisma@5 migrate reset", "database"),
        ("mix ecto.drop", "database"),
        ("cargo install --git https://x.example/a", "run-unseen"),
    ]);
}

#[test]
fn versions_are_no_questions() {
    check(&[
        ("cargo yank --version 1.0.0 a", "publish"),
        ("gem yank a --version 1.0.0", "publish"),
        ("cargo --version", ""),
        ("cargo release minor", ""),
        ("cargo release minor --execute", "publish"),
        ("python setup.py bdist_wheel upload", "publish"),
        ("python setup.py bdist_wheel", ""),
        ("./gradlew publishAllPublicationsToReleasesRepository", "publish"),
        ("./gradlew publishAllPublicationsToMavenLocal", ""),
        ("npx nx release", "publish"),
        ("npx nx release version", ""),
        ("lein deploy clojars", "publish"),
        ("mix hex.owner add a b", "publish"),
        ("mix hex.owner list a", ""),
        ("npm profile disable-2fa", "publish"),
    ]);
}

#[test]
fn what_a_project_installs() {
    check(&[
        ("yarn prisma migrate reset", "database"),
        ("pnpm typeorm schema:drop", "database"),
        ("yarn prisma generate", ""),
        ("yarn build", ""),
        ("pnpm rm lodash", ""),
    ]);
}

#[test]
fn packages_of_the_machine() {
    check(&[
        ("apt-get remove -y auditd", "weaken"),
        ("sudo dnf remove firewalld", "escalate weaken"),
        ("rpm -e falcon-sensor", "weaken"),
        ("pacman -Rdd glibc", "weaken"),
        ("dpkg --purge --force-all libc6", "weaken"),
        ("apt-get remove -s auditd", ""),
        ("apt-get install -y auditd", ""),
        ("apt remove -y nginx", ""),
        ("rpm -qi sudo", ""),
        ("npm config set strict-ssl false", "weaken"),
        ("conda config --set ssl_verify false", "weaken"),
        ("npm config set strict-ssl true", ""),
        ("npm config get //r.example/:_authToken", "read-secret"),
        ("npm config get registry", ""),
    ]);
}
