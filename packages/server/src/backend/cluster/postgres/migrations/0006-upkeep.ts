/** Crockford's base32, in which the first ten letters of an id are its time (protocol `timeOfId`). */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/** What a row takes beside its long columns: its head, its ids, and its entries in indexes. */
const ROW_BYTES = { events: 350, declined: 150, deliveries: 300, attempts: 150 } as const

type Table = keyof typeof ROW_BYTES
type Change = 'insert' | 'update' | 'delete'

/** The long columns, and the one whose value begins with the time. */
const LONG: Readonly<Record<Table, string>> = {
  events: '+ octet_length(body) + octet_length(rest)',
  declined: '',
  deliveries: '+ octet_length(webhooks)',
  attempts: '+ octet_length(document)',
}
const ID: Readonly<Record<Table, string>> = {
  events: 'id',
  declined: 'event_id',
  deliveries: 'id',
  attempts: 'delivery_id',
}

/** What retention and purges have set while they remove rows (postgres/removal.ts). */
const IS_REMOVAL = "current_setting('hookline.removal', true) IS NOT DISTINCT FROM 'on'"

/** The rows that a statement has changed, with the sign with which they count. */
const CHANGED: Readonly<Record<Change, string>> = {
  insert: 'SELECT 1 AS sign, * FROM added',
  update: 'SELECT 1 AS sign, * FROM added UNION ALL SELECT -1, * FROM removed',
  delete: 'SELECT -1 AS sign, * FROM removed',
}
const REFERENCING: Readonly<Record<Change, string>> = {
  insert: 'NEW TABLE AS added',
  update: 'OLD TABLE AS removed NEW TABLE AS added',
  delete: 'OLD TABLE AS removed',
}

/** The trigger that tallies what one kind of statement has changed in a table. */
function tallied(table: Table, change: Change): string {
  const name = `tally_${change}_${table}`
  const moment = `substr(${ID[table]}, 5, 10) AS moment`
  const size = `${ROW_BYTES[table]} ${LONG[table]}`
  // Many rows of a statement are of the same moment: its day is found once.
  const waiting = `
    INSERT INTO tallies
      SELECT day_of(moment), state, destination_id, sum(sign), 0 FROM (
        SELECT ${moment}, state, destination_id, sum(sign) AS sign FROM (${CHANGED[change]}) AS changed
        WHERE state IN ('pending', 'held') GROUP BY 1, 2, 3) AS moments
      GROUP BY 1, 2, 3 HAVING sum(sign) <> 0;`
  const missing = `
    IF NOT (${IS_REMOVAL}) THEN
      INSERT INTO tallies SELECT 0, 'missing', '${table}', count(*), 0 FROM removed HAVING count(*) > 0;
    END IF;`
  return `
  CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
  BEGIN
    INSERT INTO tallies
      SELECT day_of(moment), '${table}', '', sum(sign), sum(bytes) FROM (
        SELECT ${moment}, sum(sign) AS sign, sum(sign * (${size})) AS bytes
        FROM (${CHANGED[change]}) AS changed GROUP BY 1) AS moments
      GROUP BY 1 HAVING sum(sign) <> 0 OR sum(bytes) <> 0;
    ${table === 'deliveries' ? waiting : ''}${change === 'delete' && table !== 'attempts' ? missing : ''}
    RETURN NULL;
  END $$;
  CREATE TRIGGER ${name} AFTER ${change} ON ${table} REFERENCING ${REFERENCING[change]}
    FOR EACH STATEMENT EXECUTE FUNCTION ${name}();`
}

const DIGITS = Array.from(
  { length: 10 },
  (_, index) =>
    `((strpos('${ALPHABET}', substr(moment, ${index + 1}, 1)) - 1)::bigint << ${5 * (9 - index)})`,
)

/**
 * What is stored, and what waits, in numbers. Every statement that changes the archive or deliveries adds rows to `tallies`:
 * what it has changed, by the day in the ids. So no statement waits for another one, and the sum is exact. The rows of a day
 * are put together from time to time.
 *
 * Kinds: a table (its rows, and their bytes); a state that is no end (deliveries, by destination); `missing` (rows of the table in
 * `of` that something else than retention or a purge has deleted).
 */
export const upkeep = `
  CREATE TABLE tallies (
    day   int    NOT NULL, -- since 1970; 0 for what has no day
    kind  txt    NOT NULL,
    of    txt    NOT NULL,
    rows  bigint NOT NULL,
    bytes bigint NOT NULL
  ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

  CREATE FUNCTION day_of(moment text) RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT ((${DIGITS.join(' + ')}) / 86400000)::int $$;
  ${tallied('events', 'insert')}
  ${tallied('events', 'delete')}
  ${tallied('declined', 'insert')}
  ${tallied('declined', 'delete')}
  ${tallied('deliveries', 'insert')}
  ${tallied('deliveries', 'update')}
  ${tallied('deliveries', 'delete')}
  ${tallied('attempts', 'insert')}
  ${tallied('attempts', 'delete')}

  -- What retention keeps of a day.
  CREATE INDEX deliveries_waiting ON deliveries (id) WHERE is_waiting;
`
