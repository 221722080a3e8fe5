/**
 * How far the data of an embedded service was moved here, and which schema each node knows: a step that a running node could not
 * bear waits for it.
 */
export const dataMove = `
  -- identity: of the data. finished_at NULL: no node starts. report: JSON, what was compared at the end.
  CREATE TABLE data_move (
    only_row    boolean     PRIMARY KEY CHECK (only_row),
    identity    txt         NOT NULL,
    begun_at    timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz,
    report      text
  );

  -- place: where the next slice of a table begins; NULL at the beginning.
  CREATE TABLE moved_tables (name txt PRIMARY KEY, place text, is_done boolean NOT NULL);

  ALTER TABLE claiming_nodes ADD schema int NOT NULL DEFAULT 0;
`
