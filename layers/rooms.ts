import type { PartName } from './parts.ts'

/** The rooms of a part, which are the folders inside it, and what ARCHITECTURE.md says of each. */
export const ROOMS = {
  ingest: {
    'write-keys':
      'which source a request is for; keys that were rejected, and when each was last used',
    body: 'bytes off the socket, decompressed up to the cap, parsed',
    calls: 'one call or a batch: validated, stamped; those of suppressed users are left out',
  },
  delivery: {
    lanes:
      'a lane for each destination: turns, slots, recovery, and the ledger of what was taken on',
    rounds:
      'every due webhook tried side by side, what follows for the delivery, when to try again; trials',
    sending: 'one attempt: the signed request, the answer, what it means',
    network: 'sockets: names resolved, forbidden addresses refused, deadlines',
    health: 'breakers, quiet asked for, webhooks that are gone, what is paused',
    parking: 'what is pending taken up when it is due, held, or expired',
    records: 'what became of a delivery: recorded, however often the backend fails, or set aside',
    replays: 'ended deliveries made pending again, at a bounded rate',
  },
  destinations: {
    webhooks: 'settings of type `webhooks`: checked, and shown without secrets',
  },
  admin: {
    access: 'who calls, and the table of the role that each route asks for',
    api: 'what routes have in common: lists, cursors, time ranges, versions of records',
    audit: '`/audit`, and the hook that keeps an entry of each change',
    backup: '`/backup`: a copy of the database',
    configuration: '`/export` and `/import`: sources and destinations as one document',
    deletions: '`/deletions` with receipts, `/suppressions`',
    deliveries: '`/deliveries`, their failures, a retry at once',
    destinations: '`/destinations`: settings, health, pauses, trials, a new secret',
    events: '`/events`, and the trace of one',
    idempotency: 'a POST with an `Idempotency-Key` that comes again is answered as before',
    live: '`/live`: the live tail as a stream',
    problems: 'every answer other than success, from one table of codes',
    reference: 'the OpenAPI document, and the page made of it',
    replays: '`/replays`, and dry runs of them',
    sources: '`/sources` and their write keys',
    statistics: '`/stats`: counts over time',
    tokens: '`/tokens`: made, listed, revoked',
  },
  'backend/embedded': {
    database: 'the file itself: opened, locked, copied, read; its encryption key',
    migrations: 'the schema, step by step',
    stopped: 'what may be done to the database while no service runs',
    log: 'events appended and read back; the messageIds that are known',
    events: 'the archive: events, and the reasons for no delivery',
    catalog: 'sources and destinations, with their secrets sealed; uses of write keys',
    deliveries: 'deliveries and attempts: due, claimed, recorded, reported on',
    replays: 'replays, and the deliveries that one selects',
    quarantine: 'deliveries that were set aside',
    deletions: 'deletion requests, suppressions; users purged, and their bytes overwritten',
    notices: 'deletion notices, and their queue',
    audit: 'entries of the audit log',
    tokens: 'tokens of the management API',
    'idempotent-responses': 'responses by `Idempotency-Key`',
    statistics: 'counts over time',
    upkeep: 'counts and sizes; removal of what is old',
  },
} as const satisfies Partial<Record<PartName, Readonly<Record<string, string>>>>

type RoomPair = readonly [from: string, to: string]

/**
 * Rooms that import each other in a circle, by the import that would have to go. There should be none: each waits for
 * a file to be moved, and a test fails when an entry is no longer needed.
 */
export const BACK_IMPORTS: Readonly<Partial<Record<PartName, readonly RoomPair[]>>> = {}
