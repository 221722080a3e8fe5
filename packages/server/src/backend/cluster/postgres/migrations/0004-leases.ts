/** What one node does at a time. `fence` grows with each holder: a node that slept through its lease does not renew it. And the service's own keys. */
export const leases = `
  CREATE TABLE leases (
    name   txt         PRIMARY KEY,
    holder txt         NOT NULL,
    fence  bigint      NOT NULL,
    until  timestamptz NOT NULL
  );

  -- Keys that the service makes for itself, sealed.
  CREATE TABLE own_keys (name txt PRIMARY KEY, sealed text NOT NULL);
`
