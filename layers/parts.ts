/** A folder of packages/server/src with arrows of its own: one there, or an engine below backend/. */
export interface Part<Name extends string = string> {
  /** What ARCHITECTURE.md says of it. */
  readonly holds: string
  /** What it may import besides itself. `backend` stands for the ports: the files of that folder, and none below. */
  readonly mayImport: readonly (Name | 'protocol')[]
  /** Files beside service.ts whose types it may name; it is handed the values. */
  readonly mayImportTypes?: readonly ('config.ts' | 'settings.ts')[]
  /** Packages that no other part may import, and no other workspace. */
  readonly ownPackages?: readonly string[]
  /** It has arrows, and no folder yet. */
  readonly planned?: true
}

const PORTS_AND_TOOLS = ['backend', 'telemetry', 'util', 'protocol'] as const

/**
 * The parts of the server, and the direction of imports between them: every arrow that is not here is forbidden. The
 * linter's rules (import-rules.ts), their tests (test/layers) and a table in ARCHITECTURE.md are made from it.
 */
export const PARTS = tableOf({
  ingest: {
    holds: 'HTTP → events → log',
    mayImport: PORTS_AND_TOOLS,
    mayImportTypes: ['config.ts', 'settings.ts'],
  },
  pipeline: {
    holds: 'log → archive, decisions, lanes, ack',
    mayImport: ['delivery', 'destinations', ...PORTS_AND_TOOLS],
  },
  delivery: {
    holds: 'lanes, rounds, outcomes, retries, holds, replays, address guard, sender',
    mayImport: PORTS_AND_TOOLS,
  },
  destinations: {
    holds: 'settings of destination types',
    mayImport: ['util', 'protocol'],
  },
  deletions: {
    holds: 'deletion requests carried out, ids of notices, receipts',
    mayImport: PORTS_AND_TOOLS,
  },
  audiences: {
    holds: 'groups of users, made from their events',
    mayImport: PORTS_AND_TOOLS,
    planned: true,
  },
  activity: {
    holds: 'live tail, statistics, and attempts of the last hour, from what the other parts report',
    mayImport: PORTS_AND_TOOLS,
  },
  engine: {
    holds: 'the delivery engine, wired once: pipeline, lanes, and the supervisor of their workers',
    mayImport: [
      'activity',
      'deletions',
      'delivery',
      'destinations',
      'pipeline',
      'upkeep',
      ...PORTS_AND_TOOLS,
    ],
  },
  admin: {
    holds: 'the management API, a folder for each resource',
    mayImport: ['activity', 'destinations', ...PORTS_AND_TOOLS],
  },
  backend: {
    holds:
      '**the ports**, a file each: log, catalog, events, deliveries, quarantine, replays, upkeep …',
    mayImport: ['protocol'],
  },
  'backend/embedded': {
    holds: 'the ports on `node:sqlite`; the only place that imports it',
    mayImport: ['backend', 'util', 'protocol'],
    ownPackages: ['node:sqlite'],
  },
  'backend/cluster': {
    holds: 'the ports on PostgreSQL and NATS; the only place that imports their clients',
    mayImport: ['backend', 'util', 'protocol'],
    ownPackages: ['pg', 'kysely', '@nats-io'],
    planned: true,
  },
  http: {
    holds: 'server, error answers, health, metrics',
    mayImport: ['telemetry', 'util', 'protocol'],
    mayImportTypes: ['config.ts', 'settings.ts'],
  },
  upkeep: {
    holds: 'retention, gauges of what waits',
    mayImport: PORTS_AND_TOOLS,
  },
  telemetry: {
    holds: 'what the parts report: metrics, log, activity',
    mayImport: ['util', 'protocol'],
  },
  util: {
    holds: 'clock, backoff, and the like: no domain word',
    mayImport: [],
    ownPackages: ['node:timers', 'timers'],
  },
})

export type PartName = keyof typeof PARTS

export const PART_NAMES = Object.keys(PARTS) as readonly PartName[]

/** The compiler holds each name in `mayImport` to the names of the table. */
function tableOf<Name extends string>(
  parts: Readonly<Record<Name, Part<NoInfer<Name>>>>,
): Readonly<Record<Name, Part>> {
  return parts
}
