-- Exported files are compressed already: a second compression by the database takes time and saves nothing.
alter table exported_chunks alter column bytes set storage external;
