/** The index for failure reports also has deliveries that ended without an attempt. One that goes well still never touches it. */
export const failuresWithoutAttempt = `
  DROP INDEX deliveries_failing;
  CREATE INDEX deliveries_failing ON deliveries (destination_id, id)
    WHERE state <> 'delivered' AND (rounds > 0 OR state IN ('expired', 'quarantined'));
`
