/** A file: its path in the repository, and its text. */
export type PlantedFile = readonly [path: string, text: string]

/** A violation of a rule, and similar code that is allowed. */
export interface PlantedViolation {
  /** The name that oxlint prints. */
  readonly rule: string
  readonly violation: PlantedFile
  readonly innocent: PlantedFile
}

const SERVER = 'packages/server/src'
const HTTP = `${SERVER}/http`
let planted = 0
const RESTRICTED = 'eslint(no-restricted-imports)'

/** Each kind of pattern in layers/patterns.ts: a folder, a path or package that is forbidden there, and one that is allowed. */
const IMPORTS = [
  // From a component and its subfolders to another component.
  [HTTP, '../ingest/x.ts', '../telemetry/x.ts'],
  [`${HTTP}/subfolder`, '../../ingest/x.ts', '../../telemetry/x.ts'],
  [`${HTTP}/subfolder/inner`, '../../../ingest/x.ts', '../../other-subfolder/x.ts'],
  [HTTP, '../service.ts', './service.ts'],
  // Ports and engines.
  [`${SERVER}/backend`, './embedded/x.ts', './x.ts'],
  [`${SERVER}/backend`, 'node:fs', '@hookline/protocol'],
  [`${SERVER}/backend/cluster`, '../embedded/x.ts', '../x.ts'],
  [`${SERVER}/admin`, '../backend/embedded/x.ts', '../backend/x.ts'],
  // Packages of another component.
  [`${SERVER}/backend/cluster`, 'node:sqlite', 'kysely'],
  [`${HTTP}/subfolder`, '@nats-io/jetstream', 'fastify'],
  [HTTP, 'node:timers/promises', 'node:fs/promises'],
  ['packages/cli/src', 'node:sqlite', 'undici'],
  // Boundaries of a workspace.
  [HTTP, '@hookline/client', '@hookline/protocol/x'],
  [HTTP, '../../../protocol/src/x.ts', './x.ts'],
  ['packages/client/src', '@hookline/server', '@hookline/protocol'],
  ['packages/client/src', './../src/x.ts', './x.ts'],
  ['packages/client/src/subfolder', '../../../protocol/src/x.ts', '../x.ts'],
  ['packages/console/src', '@hookline/cli', '@hookline/cli/management-client'],
  ['packages/protocol/src', 'node:fs', 'node:crypto'],
  ['packages/protocol/src', './subfolder/../../../server/src/x.ts', './subfolder/x.ts'],
  ['packages/protocol/src/subfolder', 'undici', '../x.ts'],
  // Indirect paths, which the other patterns cannot match.
  [HTTP, './../telemetry/x.ts', '../telemetry/x.ts'],
  [HTTP, '../util/../telemetry/x.ts', '../util/time/x.ts'],
  [HTTP, '../util/./../ingest/x.ts', '../telemetry/a.b/x.ts'],
  [HTTP, '../util//../ingest/x.ts', './subfolder/x.ts'],
  [HTTP, `/${SERVER}/telemetry/x.ts`, '../telemetry/subfolder/x.ts'],
] as const

/** Every other rule, with code that breaks it and code that does not. */
const CODE_RULES = [
  [RESTRICTED, `export type { X } from '../ingest/x.ts'`, `export type { X } from '../util/x.ts'`],
  [RESTRICTED, `await import('../ingest/x.ts')`, `await import('../util/x.ts')`],
  [RESTRICTED, `export { X } from '../config.ts'`, `export type { X } from '../config.ts'`],
  ['eslint(no-console)', `console.log('x')`, `log.info('x')`],
  [
    'eslint(no-restricted-properties)',
    `export const x = Date.now()`,
    `export const x = clock.now()`,
  ],
  ['eslint(no-restricted-globals)', `setTimeout(task, 1000)`, `clock.after(1000, task)`],
  ['eslint(no-restricted-globals)', `globalThis.setInterval(task, 1)`, `clock.after(1, task)`],
  ['eslint(max-lines)', lines(401), `${lines(400)}\n\n// a comment does not count`],
  ['eslint(max-lines-per-function)', long(59), long(58)],
  [
    'eslint(max-depth)',
    `if (a) { if (b) { if (c) { if (d) { e() } } } }`,
    `if (a) { if (b) { if (c) { e() } } }`,
  ],
  ['eslint(max-params)', `export function f(a, b, c, d, e) {}`, `export function f(a, b, c, d) {}`],
  ['eslint(complexity)', branching(12), branching(11)],
  ['eslint(no-constant-condition)', `if ('always') planted()`, `if (sometimes) planted()`],
  ['eslint(no-shadow)', `export const f = (x) => (x) => x`, `export const f = (x) => (y) => x`],
  ['eslint(no-unused-vars)', `const x = 1`, `export const f = (_x, y) => y`],
  ['import(no-unassigned-import)', `import './x.ts'`, `import './x.css'`],
  ['typescript(switch-exhaustiveness-check)', switching(`'a' | 'b'`), switching(`'a'`)],
  [
    'typescript(consistent-type-imports)',
    `export type X = import('../util/x.ts').X`,
    `export type X = 1`,
  ],
] as const

/** Rules that depend on the file: the text, a file where it is a violation, and one where it is allowed. */
const FILE_RULES = [
  [RESTRICTED, `export * from './config.ts'`, `${SERVER}/version.ts`, `${SERVER}/servers.ts`],
  [RESTRICTED, `export * from 'node:fs'`, `${SERVER}/nowhere/x.ts`, `${SERVER}/util/x.ts`],
  [RESTRICTED, `export * from 'node:fs'`, `${SERVER}/util/a/b/c/x.ts`, `${SERVER}/util/a/b/x.ts`],
  [
    'eslint(no-console)',
    `console.log('x')`,
    'packages/client/src/log.ts',
    'packages/cli/src/log.ts',
  ],
  [
    'eslint(no-restricted-properties)',
    `Date.now()`,
    'packages/protocol/src/now.ts',
    `${SERVER}/util/time/clock.ts`,
  ],
  ['eslint(max-lines-per-function)', long(59), 'bench/long.ts', 'test/e2e/long.test.ts'],
  ['unicorn(filename-case)', `export {}`, `${HTTP}/camelCase.ts`, `${HTTP}/kebab-case.ts`],
  ['unicorn(filename-case)', `export {}`, 'test/e2e/Pascal.test.ts', 'test/e2e/kebab-case.test.ts'],
  [
    'import(no-cycle)',
    `import type { B } from './cycle-b.ts'`,
    `${HTTP}/cycle-a.ts`,
    `${HTTP}/line.ts`,
  ],
  [
    'import(no-cycle)',
    `import { a } from './cycle-a.ts'`,
    `${HTTP}/cycle-b.ts`,
    `${HTTP}/line-2.ts`,
  ],
] as const

/** A folder of each compiler project. The rules about promises need its types. */
const PROJECTS = [HTTP, 'packages/server/test/http', 'test/e2e', 'bench', 'release']

export const PLANTS: readonly PlantedViolation[] = [
  ...IMPORTS.map(([folder, forbidden, allowed]) =>
    plantIn(folder, RESTRICTED, [`export * from '${forbidden}'`, `export * from '${allowed}'`]),
  ),
  ...CODE_RULES.map(([rule, ...texts]) => plantIn(HTTP, rule, texts)),
  ...PROJECTS.map((folder) =>
    plantIn(folder, 'typescript(no-floating-promises)', [
      'Promise.resolve(1)',
      'await Promise.resolve(1)',
    ]),
  ),
  ...FILE_RULES.map(
    ([rule, text, ...[forbidden, allowed]]) =>
      ({ rule, violation: [forbidden, text], innocent: [allowed, text] }) as const,
  ),
]

function plantIn(
  folder: string,
  rule: string,
  [violation, innocent]: readonly [string, string],
): PlantedViolation {
  planted++
  return {
    rule,
    violation: [`${folder}/violation-${planted}.ts`, violation],
    innocent: [`${folder}/innocent-${planted}.ts`, innocent],
  }
}

function lines(count: number): string {
  return Array.from({ length: count }, (_, index) => `planted(${index})`).join('\n')
}

function long(count: number): string {
  return `export function long() {\n${lines(count)}\n\n// a comment does not count\n}`
}

function branching(count: number): string {
  const branches = Array.from(
    { length: count },
    (_, index) => `if (n === ${index}) return ${index}`,
  )
  return `export function choose(n) {\n${branches.join('\n')}\n}`
}

function switching(type: string): string {
  return `export function f(x: ${type}) { switch (x) { case 'a': return 1 } }`
}
