import { posix } from 'node:path'

/** An import of a file in one room of a part by a file in another. */
export interface RoomImport {
  /** The rooms. */
  readonly from: string
  readonly to: string
  /** The files, for who reads of it. */
  readonly shown: string
}

/** The imports between rooms, of types too, in the files of one part: paths from the part on, and their texts. */
export function roomImports(files: Readonly<Record<string, string>>): RoomImport[] {
  return Object.entries(files).flatMap(([path, text]) =>
    [...text.matchAll(/\b(?:from|import)\s*\(?\s*'(\.[^']*)'/g)].flatMap(([, specifier]) => {
      const target = posix.join(posix.dirname(path), specifier!)
      const [from, to] = [roomOf(path), roomOf(target)]
      if (from === undefined || to === undefined || from === to) return []
      return [{ from, to, shown: `${path} → ${target}` }]
    }),
  )
}

/** Those of the imports that lie on a cycle of rooms. */
export function cyclic(imports: readonly RoomImport[]): RoomImport[] {
  return imports.filter(({ from, to }) => reachable(to, imports).has(from))
}

function reachable(room: string, imports: readonly RoomImport[]): Set<string> {
  const found = new Set([room])
  // A set that grows while it is gone through is gone through to its end.
  for (const each of found) {
    for (const { from, to } of imports) if (from === each) found.add(to)
  }
  return found
}

/** The room of a file, `undefined` for one that is in none or outside of the part. */
function roomOf(path: string): string | undefined {
  const [room, ...rest] = path.split('/')
  return rest.length > 0 && room !== '..' ? room : undefined
}
