import type { ComponentName } from './components.ts'

/** The subfolders of each component, with their contents. */
export const SUBFOLDERS = {
  ingest: {
    calls: 'one call or a batch: validated and stamped; calls for suppressed users are dropped',
    threads: 'ingestion in dedicated threads, with one port and shared limits',
  },
  delivery: {
    lanes: 'one lane for each webhook: turns, slots, recovery; the deliveries in memory',
    parts:
      "each webhook's part of a delivery: an attempt, the state after it, the time of the next one; test deliveries",
    sending: 'one attempt: the signed request, the response, its outcome',
    transforms: 'JSONata expressions that make request bodies, evaluated in processes with limits',
    auth: 'authentication of requests: Authorization, OAuth 2 access tokens',
    network: 'sockets: name look-ups, forbidden addresses, deadlines',
    health: 'breakers, pauses requested by receivers, paused webhooks, and their log lines',
    parking: 'parked parts: moved to their lanes when due, held, resumed, or expired',
    records:
      'records deliveries, with retries while the backend is unavailable, or quarantines them',
    replays: 'ended deliveries that become pending again, at a bounded rate',
  },
  engine: {
    'lane-threads':
      'lanes in dedicated threads: destinations by thread, messages between threads, and the unfinished work of a thread that exits',
  },
  audiences: {
    profiles: 'how an event changes the profile of its user; applying the log in slices',
    evaluation: 'evaluation plans, the evaluation of profiles, and its identify calls',
    syncs: 'full syncs, and new clauses that are filled from the archive',
    conditions:
      'conditions and functions of computed traits: validation, planning, evaluation, explanation; the facts of an event. Pure',
  },
  admin: {
    access: 'authentication, the role that each route requires, limits for clients',
    api: 'shared by routes: parts of schemas, lists, bodies, record versions',
    computations:
      'shared by audiences and computed traits: records, faults, syncs, previews, explanations',
    configuration: '`/export` and `/import`: the configuration as one document',
    deliveries:
      '`/deliveries`, grouped failures, retrying a delivery, previewing its next requests',
    destinations: '`/destinations`: settings, health, pauses, test deliveries, secret rotation',
    events: '`/events`, the trace of one event, and why one is missing',
    problems: 'every error response, from one table of codes',
    reference: 'the OpenAPI document, and the reference page of both APIs',
    sessions: '`/sign-in-links`, `/session`, `/sessions`: signed-in browsers',
  },
  telemetry: {
    opentelemetry: 'traces and metrics for a collector; loaded only if its variables are set',
  },
  'backend/store': {
    profiles: 'identities and their links; traits, facts, results and lists; search',
  },
  'backend/embedded': {
    database: 'the database file: open, lock, copy, read; the encryption key',
    corruption: 'detection of corruption, missing commits, readable rows',
    migrations: 'the schema and its migrations',
    stopped: 'operations on the database while no service runs',
    log: 'events: append, number, consume and follow; known messageIds',
    events: 'the archive: events, and why destinations declined them',
    deliveries: 'deliveries and attempts: due, claimed, recorded, listed',
    deletions: 'deletion requests and suppressions; purging a user and overwriting the bytes',
    upkeep: 'counts and sizes; removal of old data',
  },
  'backend/cluster': {
    postgres: 'the database: connections, transactions, locks, schema migrations',
    jetstream: 'the log: appending events to a stream, and consuming them',
    encryption: 'checking and changing the key that seals secrets',
    move: 'moving the data of an embedded service into the cluster, slice by slice',
    changes: 'changes by other nodes: by notification, with polling as a fallback',
    signals: 'messages and requests between nodes',
    events: 'the archive: events, duplicates, and why destinations declined them; its followers',
    deliveries: 'deliveries and attempts: due, claimed with leases, recorded, listed',
    deletions: 'deletion requests and suppressions; purging a user',
    erasure: 'rewrites tables and partitions, so that no byte of removed data is left',
    upkeep: 'counts and sizes; partitions, and removal of old data',
  },
  util: {
    time: 'the clock, abortable pauses, and recurring work',
    limits:
      'rate limits, byte budgets, shares of the open files, and throttling of repeated log lines',
    secrets: 'encryption, and redacted values',
    workers: 'workers, their supervisor, and the clock watch',
  },
} as const satisfies Partial<Record<ComponentName, Readonly<Record<string, string>>>>
