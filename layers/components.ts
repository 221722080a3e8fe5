/** A folder with import rules: one in packages/server/src, or a backend in packages/server/src/backend. */
export interface Component<Name extends string = string> {
  /** Its description in ARCHITECTURE.md. */
  readonly holds: string
  /** The permitted imports besides itself. `backend` means the ports: only the files directly in that folder. */
  readonly mayImport: readonly (Name | 'protocol')[]
  /** Files next to service.ts from which it may import types, but not values. */
  readonly mayImportTypes?: readonly ('config.ts' | 'settings.ts')[]
  /** Packages that only this component may import: no other component and no other workspace. */
  readonly ownPackages?: readonly string[]
}

const PORTS_AND_TOOLS = ['backend', 'telemetry', 'util', 'protocol'] as const

/**
 * The components of the server and the imports that are allowed between them. All others are forbidden. The linter's rules
 * (import-rules.ts) and a table in ARCHITECTURE.md are generated from this table.
 */
export const COMPONENTS = tableOf({
  ingest: {
    holds: 'HTTP requests → validated events → log',
    mayImport: ['http', 'routing', 'threads', ...PORTS_AND_TOOLS],
    mayImportTypes: ['config.ts', 'settings.ts'],
  },
  pipeline: {
    holds: 'log → decisions, archive, deliveries for the lanes, ack',
    mayImport: ['delivery', 'routing', ...PORTS_AND_TOOLS],
  },
  routing: {
    holds:
      'which events a destination gets, and in which format: filters, samples, fields, formats. Pure',
    mayImport: ['backend', 'protocol'],
  },
  delivery: {
    holds: 'lanes, attempts, sender, address guard, outcomes, retries, held deliveries, replays',
    mayImport: ['routing', ...PORTS_AND_TOOLS],
  },
  deletions: {
    holds: 'the worker that carries out deletion requests, notices, signed receipts',
    mayImport: PORTS_AND_TOOLS,
  },
  audiences: {
    holds: 'profiles, audiences and computed traits',
    mayImport: PORTS_AND_TOOLS,
  },
  activity: {
    holds:
      'live tail, statistics and counts for the last hour, built from the reports of other components; event names, counted from the log',
    mayImport: PORTS_AND_TOOLS,
  },
  alerts: {
    holds: 'the table of conditions, the current problems, and the alert events about them',
    mayImport: PORTS_AND_TOOLS,
  },
  inspector: {
    holds: 'the built-in receiver: requests as received, signature checks, and its responses',
    mayImport: ['delivery', 'routing', ...PORTS_AND_TOOLS],
  },
  engine: {
    holds:
      'the delivery engine, wired in one place: pipeline, lanes and the supervisor of their workers',
    mayImport: [
      'activity',
      'deletions',
      'delivery',
      'pipeline',
      'threads',
      'upkeep',
      ...PORTS_AND_TOOLS,
    ],
  },
  admin: {
    holds: 'the management API, one file or folder for each resource',
    mayImport: ['activity', 'alerts', 'audiences', 'inspector', 'routing', ...PORTS_AND_TOOLS],
  },
  backend: {
    holds:
      '**the ports**, one file each: log, catalog, events, deliveries, quarantine, replays, upkeep …',
    mayImport: ['protocol'],
  },
  'backend/store': {
    holds:
      'ports implemented once for both SQL engines, and the differences between their dialects',
    mayImport: ['backend', 'util', 'protocol'],
  },
  'backend/embedded': {
    holds: 'the ports on `node:sqlite`; the only folder that imports it',
    mayImport: ['backend', 'backend/store', 'util', 'protocol'],
    ownPackages: ['node:sqlite'],
  },
  'backend/cluster': {
    holds: 'the ports on PostgreSQL and NATS; the only folder that imports their clients',
    mayImport: ['backend', 'backend/store', 'util', 'protocol'],
    ownPackages: ['pg', 'kysely', '@nats-io'],
  },
  sites: {
    holds: 'static files: the console at `/console`, the documentation at `/docs`',
    mayImport: ['protocol'],
    ownPackages: ['@fastify/static'],
  },
  http: {
    holds: 'HTTP server, error responses, health checks, metrics, start page',
    mayImport: ['telemetry', 'util', 'protocol'],
    mayImportTypes: ['config.ts', 'settings.ts'],
  },
  threads: {
    holds:
      'starts, restarts and stops threads; the channel between a thread and main; logs, metrics and activity of threads',
    mayImport: PORTS_AND_TOOLS,
    mayImportTypes: ['config.ts', 'settings.ts'],
  },
  upkeep: {
    holds: 'retention, and gauges of the backlog',
    mayImport: PORTS_AND_TOOLS,
  },
  telemetry: {
    holds:
      'metrics, traces, the logger with the table of its events, and the interface through which components report activity',
    mayImport: ['util', 'protocol'],
    ownPackages: ['@opentelemetry'],
  },
  util: {
    holds: 'clock, backoff, supervisor and other helpers, independent of events and deliveries',
    mayImport: [],
    ownPackages: ['node:timers', 'timers'],
  },
})

export type ComponentName = keyof typeof COMPONENTS

export const COMPONENT_NAMES = Object.keys(COMPONENTS) as readonly ComponentName[]

/** Makes the compiler check that each name in `mayImport` is in the table. */
function tableOf<Name extends string>(
  components: Readonly<Record<Name, Component<NoInfer<Name>>>>,
): Readonly<Record<Name, Component>> {
  return components
}
