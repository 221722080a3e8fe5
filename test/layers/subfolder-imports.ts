import { posix } from 'node:path'

/** An import between two subfolders of a component. */
export interface SubfolderImport {
  /** The subfolders. */
  readonly from: string
  readonly to: string
  /** The two files, for the message of a failed test. */
  readonly shown: string
}

/**
 * The imports between subfolders, including type imports. `files`: the texts of a component's
 * files, by path in the component.
 */
export function subfolderImports(files: Readonly<Record<string, string>>): SubfolderImport[] {
  return Object.entries(files).flatMap(([path, text]) =>
    [...text.matchAll(/\b(?:from|import)\s*\(?\s*'(\.[^']*)'/g)].flatMap(([, specifier]) => {
      const target = posix.join(posix.dirname(path), specifier!)
      const [from, to] = [subfolderOf(path), subfolderOf(target)]
      if (from === undefined || to === undefined || from === to) return []
      return [{ from, to, shown: `${path} → ${target}` }]
    }),
  )
}

/** The imports that are part of a cycle of subfolders. */
export function cyclicImports(imports: readonly SubfolderImport[]): SubfolderImport[] {
  return imports.filter(({ from, to }) => reachable(to, imports).has(from))
}

function reachable(subfolder: string, imports: readonly SubfolderImport[]): Set<string> {
  const found = new Set([subfolder])
  // The loop also visits elements that are added to the set while it runs.
  for (const each of found) {
    for (const { from, to } of imports) if (from === each) found.add(to)
  }
  return found
}

/** The subfolder of a file; `undefined` if it is in no subfolder, or outside the component. */
function subfolderOf(path: string): string | undefined {
  const [subfolder, ...rest] = path.split('/')
  return rest.length > 0 && subfolder !== '..' ? subfolder : undefined
}
