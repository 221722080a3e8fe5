/** The nodes of the service: a row each, which a heartbeat keeps alive. */
export const nodes = `
  CREATE TABLE nodes (
    id         txt         PRIMARY KEY,
    version    txt         NOT NULL,
    role       txt         NOT NULL,
    started_at timestamptz NOT NULL,
    seen_at    timestamptz NOT NULL
  );
`
