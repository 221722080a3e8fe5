/**
 * The tables that a purge removes content from, with the columns that may have what a client or a receiver has sent. Not
 * those that have nothing but userIds: deletions keep these, and the planner needs to know how many there are.
 */
const CONTENT: Readonly<Record<string, readonly string[]>> = {
  events: ['message_id', 'user_id', 'anonymous_id', 'previous_id', 'body', 'rest'],
  attempts: ['document'],
  quarantine: ['reason'],
  outbox: ['chunk'],
  replays: ['document', 'search_text'],
  profiles: ['counts'],
  profile_traits: ['traits'],
  profile_ids: ['id'],
  facts: ['value'],
  results: ['value'],
  announced: ['value'],
}

function hidden(table: string): string {
  const columns = CONTENT[table]!
  return `PERFORM hide_from_statistics(relid, '{${columns.join()}}')
      FROM (SELECT '${table}'::regclass UNION SELECT relid FROM pg_partition_tree('${table}')) AS tables (relid);`
}

/**
 * What the overwriting of removed content needs (erasure/erase.ts).
 *
 * ANALYZE copies values of columns into `pg_statistic`, which only a superuser can clean. So it leaves out columns with content,
 * and what indexes have of them. The planner has its defaults for those.
 */
export const erasure = `
  CREATE FUNCTION hide_from_statistics(hidden regclass, columns text[]) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    name text;
    expression record;
  BEGIN
    FOREACH name IN ARRAY columns LOOP
      EXECUTE format('ALTER TABLE ONLY %s ALTER COLUMN %I SET STATISTICS 0', hidden, name);
    END LOOP;
    FOR expression IN
      SELECT indexrelid::regclass AS of, place FROM pg_index, unnest(indkey) WITH ORDINALITY AS key (attribute, place)
      WHERE indrelid = hidden AND attribute = 0
    LOOP
      EXECUTE format('ALTER INDEX %s ALTER COLUMN %s SET STATISTICS 0', expression.of, expression.place);
    END LOOP;
  END $$;

  -- Hides in a table that was made like this one what is hidden there.
  CREATE FUNCTION hide_alike(hidden regclass, model regclass) RETURNS void LANGUAGE sql AS $$
    SELECT hide_from_statistics(hidden, ARRAY(
      SELECT attname::text FROM pg_attribute WHERE attrelid = model AND attnum > 0 AND attstattarget = 0))
  $$;

  DO $$ BEGIN
    ${Object.keys(CONTENT).map(hidden).join('\n    ')}
  END $$;

  -- Days of which rows were removed one by one, whose bytes their partitions still have. is_begun: their rewriting has begun.
  CREATE TABLE unerased_days (
    day      int     NOT NULL,
    is_begun boolean NOT NULL,
    PRIMARY KEY (day, is_begun)
  );

  -- The trigger of a partition that is being rewritten: it keeps the keys of the rows that change meanwhile.
  CREATE FUNCTION keep_changed_key() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    statement text := format('INSERT INTO %I.%I (key) SELECT ($1).%I', TG_TABLE_SCHEMA, TG_ARGV[0], TG_ARGV[1]);
  BEGIN
    IF TG_OP = 'DELETE' THEN
      EXECUTE statement USING OLD;
    ELSE
      EXECUTE statement USING NEW;
    END IF;
    RETURN NULL;
  END $$;
`
