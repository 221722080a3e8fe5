import { posix } from 'node:path'
import { FILES, type FileName } from './files.ts'
import { COMPONENT_NAMES, type ComponentName, COMPONENTS } from './components.ts'
import { type WorkspaceName, WORKSPACES } from './workspaces.ts'

/** A pattern of the linter's rule no-restricted-imports. In a group, the last match decides. */
export interface Pattern {
  readonly group?: string[]
  readonly regex?: string
  readonly allowTypeImports?: boolean
  readonly message: string
}

/** A set of files in the server whose imports a rule checks. */
interface FileSet {
  readonly name: string
  /** Its folder below packages/server/src, with * for a subfolder. */
  readonly folder: string
  /** Patterns of the paths that lead out of it. */
  readonly outside: readonly string[]
  readonly mayImport: readonly string[]
  readonly mayImportTypes?: readonly string[]
}

// The other patterns compare text, so a path must be written in one form only.
const STRAIGHT: Pattern = {
  regex: String.raw`^/|(?:^\.|[^./][^/]*)/\.\./|/\./|//`,
  message: 'Use the shortest path: no ./../x, y/../x, .././x, ..//x or /x.',
}

/** For files in the server that no other rule covers. */
export const CLOSED: readonly Pattern[] = [
  {
    group: ['**'],
    message: 'layers/components.ts has no such folder, or the file is too deep in subfolders.',
  },
]

/** For the files of a workspace other than the server. */
export function workspacePatterns(name: WorkspaceName): Pattern[] {
  const { mayImport: workspaces, mayImportExports = [], onlyPackages = [] } = WORKSPACES[name]
  const mayImport = [...workspaces, ...mayImportExports]
  const message = `${name} may import ${nameList([...mayImport, ...onlyPackages])}, by name.`
  if (onlyPackages.length > 0)
    // From a file in a subfolder, ../*.ts is a file beside the subfolders.
    return [STRAIGHT, { group: ['**', '!./**', '!../*.ts', ...not(onlyPackages)], message }]
  const engines = COMPONENT_NAMES.filter((component) => component.startsWith('backend/')).flatMap(
    packagesOf,
  )
  return [
    STRAIGHT,
    { group: ['@hookline/**', '**/../*/src/**', ...not(mayImport.flatMap(byName))], message },
    { group: engines, message: 'Only backends may import engines.' },
  ]
}

/** For the ports. */
export function portPatterns(): Pattern[] {
  const ways = COMPONENTS.backend.mayImport.flatMap((to) => waysTo(to, 'backend'))
  const message = `A port may import other ports and ${nameList(COMPONENTS.backend.mayImport)}.`
  return [{ group: ['**', '!./*.ts', ...not(ways)], message }]
}

/** For a file beside service.ts. */
export function filePatterns(name: FileName): Pattern[] {
  return arrowPatterns({ name, folder: '', outside: ['./**', '../**'], ...FILES[name] })
}

/** For the files in a component's subfolders at this depth. */
export function componentPatterns(name: ComponentName, depth: number): Pattern[] {
  const folder = posix.join(name, '*/'.repeat(depth))
  return arrowPatterns({
    name,
    folder,
    outside: [`${'../'.repeat(depth + 1)}**`],
    ...COMPONENTS[name],
  })
}

function arrowPatterns({
  name,
  folder,
  outside,
  mayImport,
  mayImportTypes = [],
}: FileSet): Pattern[] {
  const ways = mayImport.flatMap((to) => waysTo(to, folder))
  const typeWays = mayImportTypes.flatMap((to) => waysTo(to, folder))
  const others = COMPONENT_NAMES.filter((component) => component !== name)
  return [
    STRAIGHT,
    ...typeWays.map((way) => ({
      // A regex, not a group, and first in the list: once a group allows a path, later patterns do not check it.
      regex: `^${way.replaceAll('.', String.raw`\.`)}$`,
      allowTypeImports: true,
      message: 'Import only the type: the values are injected.',
    })),
    {
      group: [...outside, '@hookline/**', ...not([...ways, ...typeWays])],
      message: `${name} may import ${nameList(mayImport)}.`,
    },
    {
      group: others.flatMap(packagesOf),
      message: 'Only backends may import engines; use a Clock for time.',
    },
  ]
}

/** The imports that lead from a folder to a component, a file or a workspace. */
function waysTo(to: string, folder: string): string[] {
  if (to === 'protocol') return byName(to)
  const path = posix.relative(folder, to)
  const way = path.startsWith('.') ? path : `./${path}`
  if (to.endsWith('.ts')) return [way]
  // Only the ports of the backend: a folder beside them is an implementation.
  return [to === 'backend' ? `${way}/*.ts` : `${way}/**`]
}

function byName(workspace: string): string[] {
  return [`@hookline/${workspace}`, `@hookline/${workspace}/**`]
}

function packagesOf(name: ComponentName): string[] {
  const { ownPackages = [] } = COMPONENTS[name]
  return ownPackages.flatMap((each) => [each, `${each}/**`])
}

function not(patterns: readonly string[]): string[] {
  return patterns.map((pattern) => `!${pattern}`)
}

function nameList(names: readonly string[]): string {
  const words = names.map((name) => (name === 'backend' ? 'backend ports' : name))
  return words.length === 0 ? 'no other component' : new Intl.ListFormat('en-GB').format(words)
}
