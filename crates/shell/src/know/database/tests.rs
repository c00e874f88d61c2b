use crate::check::check_kinds as check;

#[test]
fn destroys() {
    check(&[
        ("psql -c 'DROP DATABASE x'", "database"),
        ("psql -c 'delete from x'", "database"),
        ("psql -c 'delete from x where 1=1'", "database"),
        ("psql -c 'delete from x where a = 1 or true'", "database"),
        ("psql -c 'update x set a = 1'", "database"),
        ("psql -c '/**/Drop/**/Table x'", "database"),
        ("psql -c 'alter table x drop column y'", "database"),
        ("psql -c 'with a as (select 1) delete from x'", "database"),
        ("psql -c 'do $$ begin drop table x; end $$'", "database"),
        ("psql <<< 'truncate x'", "database"),
        ("mysql -uroot -psecret -e 'drop table x'", "database"),
        ("mysql -e '/*!50000 drop table x */'", "database"),
        ("sqlite3 a.db 'delete from x'", "database"),
        ("duckdb a.db 'drop table x'", "database"),
        ("bq query 'drop table x'", "database"),
        ("cqlsh -e 'drop keyspace x'", "database"),
        ("mongosh --eval 'db . dropDatabase ( )'", "database"),
        ("mongosh --eval 'db.x.deleteMany({})'", "database"),
        ("redis-cli -n 1 flushdb", "database"),
        ("dropdb x", "database"),
        ("mysqladmin -u root drop x", "database"),
        ("rails db:drop", "database"),
        ("./manage.py flush", "database"),
        ("alembic downgrade base", "database"),
        ("pg_restore -c -d x y", "database"),
        ("etcdctl del --prefix ''", "database"),
    ]);
}

#[test]
fn keeps() {
    check(&[
        ("psql -c 'select 1'", ""),
        ("psql -c 'delete from x where id = 1'", ""),
        ("psql -c 'delete from x where id = 1 or id = 2'", ""),
        ("psql -c 'explain delete from x'", ""),
        ("psql -c '-- drop table x'", ""),
        ("psql -c 'create table drop_log (id int)'", ""),
        ("psql -c 'alter table x drop constraint y'", ""),
        (r#"mysql -e 'select "drop table x; delete from y"'"#, ""),
        ("sqlite3 a.db .tables", ""),
        (r#"mongosh --eval 'print("db.dropDatabase()")'"#, ""),
        ("mongosh --eval 'db.x.deleteOne({_id:1})'", ""),
        ("redis-cli get x", ""),
        ("rails db:migrate", ""),
        ("pg_restore -l x", ""),
        ("dropdb --help", ""),
    ]);
}

#[test]
fn leaves_the_database() {
    check(&[
        (r#"psql -c '\! rm -rf ~'"#, "delete"),
        (r#"psql -c "copy x to program 'rm -rf ~'""#, "delete"),
        ("sqlite3 a.db '.shell rm -rf ~'", "delete"),
        ("mysql -e 'system rm -rf ~'", "delete"),
        (r#"sqlcmd -Q "exec xp_cmdshell 'rm -rf /'""#, "delete"),
        ("sqlite3 a.db '.output /etc/passwd'", "overwrite weaken"),
    ]);
}

#[test]
fn less_common_ways() {
    check(&[
        ("redis-cli keys 'a*' | xargs redis-cli del", "database"),
        ("redis-cli del \"$key\"", ""),
        ("redis-cli unlink a b", ""),
        ("dotnet ef database drop -f", "database"),
        ("dotnet ef database update", ""),
        ("goose reset", "database"),
        ("goose session", ""),
        ("symfony console doctrine:schema:drop --force", "database"),
        ("sqlite3 :memory: 'create table a(b); drop table a'", ""),
        ("sqlite3 :memory: '.shell rm -rf ~'", "delete"),
        ("sqlite3 ~/.config/google-chrome/Default/Cookies .tables", "read-secret"),
    ]);
}
