import { posix } from 'node:path'
import { arrows, MAY_IMPORT_CONFIG_TYPES, type Part } from './direction.ts'
import type { Allowed, Plant } from './plant.ts'

const RULE = 'eslint(no-restricted-imports)'
const SERVER = 'packages/server/src'

/** One plant for each forbidden arrow inside the server, and each form that an import takes. */
export function arrowPlants(): Plant[] {
  return arrows()
    .filter(({ allowed }) => !allowed)
    .flatMap(({ from, to }) => formsOf(from, to))
}

/** Every allowed arrow, in each form. */
export function allowedArrows(): Allowed[] {
  const types = MAY_IMPORT_CONFIG_TYPES.flatMap((from) =>
    (['config.ts', 'settings.ts'] as const).map((to) => ({
      file: fileOf(from),
      rule: RULE,
      innocent: typeImport(specifier(from, to)),
    })),
  )
  const arrowsInFull = arrows()
    .filter(({ allowed }) => allowed)
    .flatMap(({ from, to }) => [
      { file: fileOf(from), rule: RULE, innocent: valueImport(specifier(from, to)) },
      { file: fileOf(from), rule: RULE, innocent: typeImport(specifier(from, to)) },
    ])
  return [...types, ...arrowsInFull]
}

function formsOf(from: Part, to: Part): Plant[] {
  const onlyValues = MAY_IMPORT_CONFIG_TYPES.includes(from) && /^(?:config|settings)/.test(to)
  const forms = onlyValues ? [valueImport] : [valueImport, typeImport, reExport, dynamicImport]
  return forms.map((form) => ({
    file: fileOf(from),
    rule: RULE,
    violation: form(specifier(from, to)),
    innocent: 'export {}',
  }))
}

function fileOf(part: Part): string {
  return part.endsWith('.ts') ? `${SERVER}/${part}` : `${SERVER}/${part}/planted.ts`
}

function specifier(from: Part, to: Part): string {
  const path = posix.relative(posix.dirname(fileOf(from)), fileOf(to))
  return path.startsWith('.') ? path : `./${path}`
}

function valueImport(path: string): string {
  return `import { planted as ${localName('value', path)} } from '${path}'`
}

function typeImport(path: string): string {
  return `import type { Planted as ${localName('type', path)} } from '${path}'`
}

function reExport(path: string): string {
  return `export * from '${path}'`
}

function dynamicImport(path: string): string {
  return `await import('${path}')`
}

// A name declared twice in a file is a syntax error, and the file would not be linted at all.
function localName(form: string, path: string): string {
  return form + path.replaceAll(/\W+/g, '_')
}
