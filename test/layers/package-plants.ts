import { FILES, FOLDERS } from './direction.ts'
import type { Allowed, Plant } from './plant.ts'

const RULE = 'eslint(no-restricted-imports)'

const TIMERS = ['node:timers', 'node:timers/promises', 'timers', 'timers/promises']
const SQLITE = ['node:sqlite']
const SERVERS = ['pg', 'kysely', 'kysely/helpers/postgres', '@nats-io/jetstream']
const ENGINES = [...SQLITE, ...SERVERS]
const OTHER_WORKSPACES = ['@hookline/server', '@hookline/client', '@hookline/cli']

/** What a file may not import by the name of a package, or across the border of a workspace, and what it may. */
interface Border {
  readonly file: string
  readonly forbidden: readonly string[]
  readonly allowed: readonly string[]
}

const WORKSPACES: readonly Border[] = [
  {
    file: 'packages/protocol/src/planted-border.ts',
    forbidden: ['undici', 'node:fs', '../../x.ts', ...ENGINES, ...TIMERS, ...OTHER_WORKSPACES],
    allowed: ['./event.ts', 'node:crypto'],
  },
  {
    file: 'packages/client/src/planted-border.ts',
    forbidden: [
      '@hookline/cli',
      '@hookline/console',
      '@hookline/server',
      '../../protocol/src/index.ts',
      '../../server/src/index.ts',
      ...ENGINES,
    ],
    allowed: ['@hookline/protocol', '@hookline/protocol/signature', 'undici', './queue.ts'],
  },
  {
    file: 'packages/cli/src/commands/planted-border.ts',
    forbidden: [
      '@hookline/console',
      '../../../protocol/src/index.ts',
      '../../../server/src/service.ts',
      ...ENGINES,
    ],
    allowed: [
      '@hookline/client',
      '@hookline/protocol',
      '@hookline/protocol/signature',
      '@hookline/server',
      '../main.ts',
    ],
  },
]

/** Every part of the server has the same border, but for the engine that a backend is made of. */
const SERVER: readonly Border[] = [
  ...FILES.map((file) => partBorder(file, [...ENGINES, ...TIMERS])),
  ...FOLDERS.map((folder) => partBorder(`${folder}/planted-border.ts`, forbiddenIn(folder))),
]

function partBorder(path: string, forbidden: readonly string[]): Border {
  return {
    file: `packages/server/src/${path}`,
    forbidden: [...forbidden, ...OTHER_WORKSPACES],
    allowed: allowedIn(path),
  }
}

function allowedIn(path: string): string[] {
  if (path.startsWith('util/')) return ['node:util', 'leven', './clock.ts']
  if (path.startsWith('backend/planted')) return ['@hookline/protocol', './page.ts']
  return ['@hookline/protocol', '@hookline/protocol/signature', 'fastify', 'node:fs']
}

function forbiddenIn(folder: (typeof FOLDERS)[number]): string[] {
  const acrossWorkspaces = '../../../protocol/src/index.ts'
  if (folder === 'backend/embedded') return [...SERVERS, ...TIMERS, acrossWorkspaces]
  if (folder === 'backend/cluster') return [...SQLITE, ...TIMERS, acrossWorkspaces]
  if (folder === 'backend') return [...ENGINES, ...TIMERS, acrossWorkspaces, 'undici', 'node:fs']
  if (folder === 'util') return [...ENGINES, acrossWorkspaces, '@hookline/protocol']
  return [...ENGINES, ...TIMERS, acrossWorkspaces]
}

/** One plant for each forbidden import of a package, or past the border of a workspace. */
export function packagePlants(): Plant[] {
  return [...WORKSPACES, ...SERVER].flatMap(({ file, forbidden }) =>
    forbidden.map((name) => ({
      file,
      rule: RULE,
      violation: `export * from '${name}'`,
      innocent: 'export {}',
    })),
  )
}

export function allowedPackages(): Allowed[] {
  return [
    ...WORKSPACES,
    ...SERVER,
    { file: 'packages/server/src/backend/embedded/planted-border.ts', allowed: SQLITE },
    { file: 'packages/server/src/backend/cluster/planted-border.ts', allowed: SERVERS },
  ].flatMap(({ file, allowed }) =>
    allowed.map((name) => ({ file, rule: RULE, innocent: `export * from '${name}'` })),
  )
}
