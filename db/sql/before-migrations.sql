-- Applied before the migrations, unlike the other files: indexes of tables use the operator classes of this extension.
create extension if not exists pg_trgm;
