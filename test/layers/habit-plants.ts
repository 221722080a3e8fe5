import { COMPONENT_NAMES } from '../../layers/components.ts'
import { pathsIn } from './places.ts'
import type { Allowed, Plant } from './plant.ts'

const SERVER = 'packages/server/src'

const CLOCKED = COMPONENT_NAMES.flatMap((component) => pathsIn(component, 'planted-clock.ts'))

const TIME: readonly Plant[] = [...CLOCKED, `${SERVER}/service.ts`].flatMap((file) => [
  {
    file,
    rule: 'eslint(no-restricted-properties)',
    violation: 'export const at = Date.now()',
    innocent: 'export const at = clock.now()',
  },
  ...['setTimeout', 'setInterval', 'globalThis.setTimeout'].map((timer) => ({
    file,
    rule: 'eslint(no-restricted-globals)',
    violation: `${timer}(task, 1000)`,
    innocent: 'clock.after(1000, task)',
  })),
])

/** The system's clock is read in one file, only commands print, a describe block may be long. */
export const ALLOWED_HABITS: readonly Allowed[] = [
  {
    file: `${SERVER}/util/time/clock.ts`,
    rule: 'eslint(no-restricted-properties)',
    innocent: 'export const at = Date.now()',
  },
  {
    file: `${SERVER}/util/time/clock.ts`,
    rule: 'eslint(no-restricted-globals)',
    innocent: 'setTimeout(task, 1000)',
  },
  {
    file: 'packages/cli/src/commands/planted-console.ts',
    rule: 'eslint(no-console)',
    innocent: `console.log('printed')`,
  },
  ...['packages/server/test/http/planted-long.test.ts', 'test/e2e/planted-long.test.ts'].map(
    (file) => ({
      file,
      rule: 'eslint(max-lines-per-function)',
      innocent: `describe('a long block', () => {\n${lines(100)}\n})`,
    }),
  ),
]

const CYCLES: readonly Plant[] = [
  cycle('cycle', `import { b } from './cycle-b.ts'`),
  cycle('cycle-b', `import { a } from './cycle.ts'`),
  cycle('type-cycle', `import type { B } from './type-cycle-b.ts'`),
  cycle('type-cycle-b', `import type { A } from './type-cycle.ts'`),
]

const SIZES: readonly Plant[] = [
  {
    file: `${SERVER}/delivery/too-long.ts`,
    rule: 'eslint(max-lines)',
    violation: lines(401),
    innocent: `${lines(400)}\n\n// a comment does not count`,
  },
  size('max-lines-per-function', {
    violation: `export function long() {\n${lines(59)}\n}`,
    innocent: `export function long() {\n${lines(58)}\n\n// a comment does not count\n}`,
  }),
  size('max-depth', {
    violation: 'if (a) { if (b) { if (c) { if (d) { e() } } } }',
    innocent: 'if (a) { if (b) { if (c) { e() } } }',
  }),
  size('max-params', {
    violation: 'export function five(a, b, c, d, e) { return [a, b, c, d, e] }',
    innocent: 'export function four(a, b, c, d) { return [a, b, c, d] }',
  }),
  size('complexity', {
    violation: `export function choose(n) { ${branches(12)} }`,
    innocent: `export function choose(n) { ${branches(11)} }`,
  }),
]

const TYPES: readonly Plant[] = [
  ...['packages/server/src/http', 'packages/server/test/http', 'test/e2e', 'bench', 'release'].map(
    (folder) => ({
      file: `${folder}/planted-promise.ts`,
      rule: 'typescript(no-floating-promises)',
      violation: 'Promise.resolve(1)',
      innocent: 'await Promise.resolve(1)',
    }),
  ),
  {
    file: `${SERVER}/http/planted-switch.ts`,
    rule: 'typescript(switch-exhaustiveness-check)',
    violation: `export function f(x: 'a' | 'b') { switch (x) { case 'a': return 1 } }`,
    innocent: `export function f(x: 'a' | 'b') { switch (x) { case 'a': return 1; case 'b': return 2 } }`,
  },
  {
    file: `${SERVER}/http/planted-type.ts`,
    rule: 'typescript(consistent-type-imports)',
    violation: `export type T = import('../ingest/planted.ts').Planted`,
    innocent: 'export type T = string',
  },
]

const OTHERS: readonly Plant[] = [
  ...['protocol', 'server', 'client', 'console'].map((name) => ({
    file: `packages/${name}/src/planted-console.ts`,
    rule: 'eslint(no-console)',
    violation: `console.log('printed')`,
    innocent: `log.info('printed')`,
  })),
  ...['camelCase.ts', 'PascalCase.test.ts', 'snake_case.ts'].map((name) => ({
    file: `packages/server/test/http/${name}`,
    rule: 'unicorn(filename-case)',
    violation: 'export const planted = 1',
    innocent: 'export {}',
    innocentFile: 'packages/server/test/http/kebab-case.test.ts',
  })),
  {
    file: `${SERVER}/http/planted-correctness.ts`,
    rule: 'eslint(no-constant-condition)',
    violation: `if ('always') planted()`,
    innocent: 'if (sometimes) planted()',
  },
  {
    file: `${SERVER}/http/planted-unused.ts`,
    rule: 'eslint(no-unused-vars)',
    violation: 'const unused = 1',
    innocent: 'export const second = (_first, second) => second',
  },
  {
    file: `${SERVER}/http/planted-suspicion.ts`,
    rule: 'eslint(no-shadow)',
    violation: 'export const f = (x) => (x) => x',
    innocent: 'export const f = (x) => (y) => [x, y]',
  },
]

/** Plants for every habit that a rule can hold: time, cycles, sizes, types, names. */
export const HABIT_PLANTS: readonly Plant[] = [...TIME, ...CYCLES, ...SIZES, ...TYPES, ...OTHERS]

function cycle(name: string, violation: string): Plant {
  const file = `${SERVER}/pipeline/${name}.ts`
  return { file, rule: 'import(no-cycle)', violation, innocent: 'export {}' }
}

function size(rule: string, texts: Pick<Plant, 'violation' | 'innocent'>): Plant {
  return { file: `${SERVER}/delivery/planted-${rule}.ts`, rule: `eslint(${rule})`, ...texts }
}

function lines(count: number): string {
  return Array.from({ length: count }, (_, index) => `planted(${index})`).join('\n')
}

function branches(count: number): string {
  return Array.from({ length: count }, (_, index) => `if (n === ${index}) return ${index};`).join(
    ' ',
  )
}
