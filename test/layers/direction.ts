/** The parts of the server: what is not named here has no arrows yet, and the test says so. */
export const FOLDERS = [
  'activity',
  'admin',
  'audiences',
  'backend',
  'backend/cluster',
  'backend/embedded',
  'deletions',
  'delivery',
  'destinations',
  'http',
  'ingest',
  'pipeline',
  'telemetry',
  'upkeep',
  'util',
] as const

/** The files beside them. */
export const FILES = [
  'admin-token.ts',
  'config-file.ts',
  'config.ts',
  'index.ts',
  'servers.ts',
  'service.ts',
  'settings.ts',
  'version.ts',
] as const

export type Part = (typeof FOLDERS)[number] | (typeof FILES)[number]

const PARTS: readonly Part[] = [...FOLDERS, ...FILES]
const ENGINES: readonly Part[] = ['backend/cluster', 'backend/embedded']
const ALL_BUT_ENGINES = PARTS.filter((part) => !ENGINES.includes(part))
const ALL_BUT_CONFIG = PARTS.filter((part) => part !== 'config.ts' && part !== 'settings.ts')

/** What each part may import besides itself; `backend` stands for the ports. Every other arrow is forbidden. */
const MAY_IMPORT: Readonly<Record<Part, readonly Part[]>> = {
  'admin-token.ts': ALL_BUT_ENGINES,
  'config-file.ts': ALL_BUT_ENGINES,
  'config.ts': ['settings.ts', 'util'],
  'index.ts': ALL_BUT_ENGINES,
  'servers.ts': ALL_BUT_ENGINES,
  'service.ts': ALL_BUT_CONFIG,
  'settings.ts': ['config.ts', 'util'],
  'version.ts': ALL_BUT_ENGINES,
  activity: ['backend', 'telemetry', 'util'],
  admin: ['activity', 'backend', 'destinations', 'telemetry', 'util'],
  audiences: ['backend', 'telemetry', 'util'],
  backend: [],
  'backend/cluster': ['backend', 'util'],
  'backend/embedded': ['backend', 'util'],
  deletions: ['backend', 'telemetry', 'util'],
  delivery: ['backend', 'telemetry', 'util'],
  destinations: ['util'],
  http: ['backend', 'telemetry', 'util'],
  ingest: ['backend', 'telemetry', 'util'],
  pipeline: ['backend', 'delivery', 'destinations', 'telemetry', 'util'],
  telemetry: ['util'],
  upkeep: ['backend', 'telemetry', 'util'],
  util: [],
}

/** Parts that may name the type of a configuration, but not make one. */
export const MAY_IMPORT_CONFIG_TYPES: readonly Part[] = ['http', 'ingest', 'service.ts']

/** Every pair of parts, and whether the first may import the second. */
export function arrows(): { from: Part; to: Part; allowed: boolean }[] {
  return PARTS.flatMap((from) =>
    PARTS.filter((to) => to !== from).map((to) => ({
      from,
      to,
      allowed: MAY_IMPORT[from].includes(to),
    })),
  )
}
