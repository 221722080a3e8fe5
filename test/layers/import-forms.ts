import { posix } from 'node:path'

/** The forms that an import takes, each as text. */
export const IMPORT_FORMS = {
  value: (path: string) => `import { planted as ${localName('value', path)} } from '${path}'`,
  type: (path: string) => `import type { Planted as ${localName('type', path)} } from '${path}'`,
  reExport: (path: string) => `export * from '${path}'`,
  dynamic: (path: string) => `await import('${path}')`,
} as const

/** How the file `from` names the file `to`. */
export function wayBetween(from: string, to: string): string {
  const way = posix.relative(posix.dirname(from), to)
  return way.startsWith('.') ? way : `./${way}`
}

// A name declared twice in a file is a syntax error, and the file would not be linted at all.
function localName(form: string, path: string): string {
  return form + path.replaceAll(/[^\w.]/g, '_').replaceAll('.', '$')
}
