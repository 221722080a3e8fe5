import type { ComponentName } from './components.ts'

/** The rooms of each component, which are the folders inside it, with their contents. */
export const ROOMS = {
  ingest: {
    calls: 'one call or a batch: validated and stamped; calls of suppressed users are dropped',
    threads: 'ingestion in dedicated threads, with one port and shared limits',
  },
  delivery: {
    lanes: 'one lane for each webhook: turns, slots, recovery; the deliveries in memory',
    parts:
      "each webhook's part of a delivery: an attempt, the state after it, the time of the next one; test deliveries",
    sending: 'one attempt: the signed request, the response, its outcome',
    network: 'sockets: name look-up, forbidden addresses, deadlines',
    health: 'breakers, waits that receivers asked for, paused webhooks, and their log lines',
    parking: 'parked parts: put into their lanes when due, held, resumed, or expired',
    records:
      'deliveries recorded as they are now, again and again while the backend is unavailable, or put into quarantine',
    replays: 'ended deliveries that become pending again, at a bounded rate',
  },
  engine: {
    'lane-threads':
      'lanes in dedicated threads: destinations by thread, messages between threads, and the unfinished work of a thread that ends',
  },
  audiences: {
    profiles:
      'the meaning of an event for its user; the slices of the log that profiles have applied',
    evaluation: 'evaluation plans, the evaluation of profiles, and its identify calls',
    syncs: 'full syncs, and new clauses that are filled from the archive',
    conditions:
      'conditions and functions of computed traits: validated, planned, evaluated, explained; the facts of an event. All of it is pure',
  },
  admin: {
    access: 'authentication, the role that each route requires, limits of clients',
    api: 'shared by routes: the parts of their schemas, lists, bodies, versions of records',
    computations:
      'shared by audiences and computed traits: records, faults, syncs, previews, explanations',
    configuration: '`/export` and `/import`: the configuration as one document',
    deliveries:
      '`/deliveries`, grouped failures, retry of one delivery, its requests as they would be sent now',
    destinations: '`/destinations`: settings, health, pauses, test deliveries, secret rotation',
    events: '`/events`, the trace of one event, and why one is missing',
    problems: 'every error response, from one table of codes',
    reference: 'the OpenAPI document, and the reference page of both APIs',
    sessions: '`/sign-in-links`, `/session`, `/sessions`: browsers that are signed in',
  },
  'backend/store': {
    profiles: 'identities and their links; traits, facts, results and lists; search',
  },
  'backend/embedded': {
    database: 'the database file: open, lock, copy, read; the encryption key',
    damage: 'damaged files: detection, missing commits, readable rows',
    migrations: 'the schema, and its steps',
    stopped: 'operations on the database while no service runs',
    log: 'events: append, number, consume and follow; known messageIds',
    events: 'the archive: events, and why a destination did not get one',
    deliveries: 'deliveries and attempts: due, claimed, recorded, listed',
    deletions:
      'deletion requests and suppressions; the purge of a user, and the overwriting of the bytes',
    upkeep: 'counts and sizes; removal of old data',
  },
  'backend/cluster': {
    postgres: 'the database: connections, transactions, locks, the schema step by step',
    jetstream: 'the log: events appended to a stream, and consumed from it',
    encryption: 'the key that seals secrets: checked, and changed',
    move: 'data of an embedded service, moved here slice by slice and compared',
    changes: 'changes of other nodes: told by notifications, and looked for beneath',
    signals: 'messages and requests between nodes',
    events: 'the archive: events, duplicates, and why a destination did not get one; its followers',
    deliveries: 'deliveries and attempts: due, claimed with leases, recorded, listed',
    deletions: 'deletion requests and suppressions; the purge of a user',
    erasure: 'tables and partitions that are rewritten, so that no byte of removed data is left',
    upkeep: 'counts and sizes; partitions, and removal of old data',
  },
  util: {
    time: 'the clock, pauses that can be aborted, and recurring work',
    limits: 'rates, budgets of bytes, shares of the open files, and lines of the log that repeat',
    secrets: 'encryption, and values that are never printed',
    workers: 'workers, their supervisor, and the watch of the clock',
  },
} as const satisfies Partial<Record<ComponentName, Readonly<Record<string, string>>>>
