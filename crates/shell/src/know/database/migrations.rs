//! Frameworks that drop, reset or rebuild the database of an application.

use super::destroys;
use crate::doing::{Doing, Invocation};
use crate::know::options::only_asks;

/// A tool, and the words that lose data: all of a row have to be there.
const TOOLS: &[(&[&str], &[&[&str]])] = &[
    (
        &["rails", "rake"],
        &[
            &["db:drop"],
            &["db:reset"],
            &["db:purge"],
            &["db:migrate:reset"],
            &["db:schema:load"],
            &["db:truncate_all"],
            &["db:drop:all"],
            &["db:seed:replant"],
            &["db:structure:load"],
            &["db:drop:_unsafe"],
        ],
    ),
    (
        &["prisma"],
        &[
            &["migrate", "reset"],
            &["db", "push", "--force-reset"],
            &["db", "push", "--accept-data-loss"],
            &["db", "drop"],
        ],
    ),
    (
        &["manage.py", "django-admin"],
        &[&["flush"], &["reset_db"], &["migrate", "zero"], &["sqlflush", "--execute"], &["drop_test_database"]],
    ),
    (&["artisan"], &[&["migrate:fresh"], &["migrate:reset"], &["migrate:refresh"], &["db:wipe"]]),
    (&["alembic"], &[&["downgrade", "base"]]),
    (&["flask", "quart"], &[&["db", "downgrade", "base"], &["drop-db"], &["drop_db"]]),
    (&["sequelize", "sequelize-cli"], &[&["db:drop"], &["db:migrate:undo:all"]]),
    (&["knex"], &[&["migrate:rollback", "--all"]]),
    (&["typeorm", "typeorm-ts-node-commonjs", "typeorm-ts-node-esm"], &[&["schema:drop"]]),
    (&["mikro-orm"], &[&["schema:drop"], &["schema:fresh"], &["migration:fresh"], &["database:drop"]]),
    (&["drizzle-kit"], &[&["push", "--force"]]),
    (&["mix"], &[&["ecto.drop"], &["ecto.reset"]]),
    (&["console"], &[&["doctrine:database:drop"], &["doctrine:schema:drop"], &["d:d:d"]]),
    (&["doctrine"], &[&["orm:schema-tool:drop"]]),
    (&["diesel"], &[&["database", "reset"], &["database", "drop"]]),
    (&["sqlx"], &[&["database", "drop"], &["database", "reset"], &["db", "drop"], &["db", "reset"]]),
    (&["sea-orm-cli"], &[&["migrate", "fresh"], &["migrate", "reset"], &["migrate", "refresh"]]),
    (&["dotnet"], &[&["ef", "database", "drop"]]),
    (&["dotnet-ef"], &[&["database", "drop"]]),
    (&["symfony"], &[&["doctrine:database:drop"], &["doctrine:schema:drop"], &["d:d:d"]]),
    (&["sqitch"], &[&["revert"]]),
    (&["goose"], &[&["reset"], &["down-to", "0"]]),
    (&["migrate"], &[&["drop"], &["down", "-all"]]),
    (&["dbmate"], &[&["drop"]]),
    (&["flyway"], &[&["clean"]]),
    (&["liquibase"], &[&["drop-all"], &["dropAll"], &["rollback-to-date"]]),
    (&["atlas"], &[&["schema", "clean"]]),
    (&["wp"], &[&["db", "reset"], &["db", "drop"], &["db", "clean"], &["site", "empty"]]),
    (&["drush"], &[&["sql:drop"], &["sql-drop"]]),
    (
        &["edgedb", "gel"],
        &[&["database", "drop"], &["database", "wipe"], &["branch", "drop"], &["instance", "destroy"]],
    ),
    (&["hasura"], &[&["metadata", "clear"]]),
    (&["gpdeletesystem"], &[&[]]),
];

fn find(name: &str) -> Option<&'static [&'static [&'static str]]> {
    TOOLS.iter().find(|(names, _)| names.contains(&name)).map(|(_, rows)| *rows)
}

pub(crate) fn knows(name: &str) -> bool {
    find(name).is_some()
}

/// `python manage.py flush` and `php artisan db:wipe` come here with the script as their name.
pub(super) fn migrate(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let Some(rows) = find(invocation.name) else { return };
    if only_asks(invocation.args) || invocation.args.iter().any(|arg| arg.text == "--dry-run" || arg.text == "--plan") {
        return;
    }
    let has = |word: &&str| invocation.args.iter().any(|arg| arg.text == *word);
    if rows.iter().any(|row| row.iter().all(&has)) {
        destroys("drops or resets the database of an application", doing);
    }
}
