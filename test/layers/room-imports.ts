import { posix } from 'node:path'

/** An import from a file in one room of a component to a file in another room of it. */
export interface RoomImport {
  /** The rooms. */
  readonly from: string
  readonly to: string
  /** The two files, for the message of a failed test. */
  readonly shown: string
}

/** The imports between rooms, types included. `files`: the texts of a component's files, by their path below the component. */
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

/** The imports that lie on a cycle of rooms. */
export function cyclic(imports: readonly RoomImport[]): RoomImport[] {
  return imports.filter(({ from, to }) => reachable(to, imports).has(from))
}

function reachable(room: string, imports: readonly RoomImport[]): Set<string> {
  const found = new Set([room])
  // The loop also visits what it adds to the set.
  for (const each of found) {
    for (const { from, to } of imports) if (from === each) found.add(to)
  }
  return found
}

/** The room of a file; `undefined` for a file in no room, or outside the component. */
function roomOf(path: string): string | undefined {
  const [room, ...rest] = path.split('/')
  return rest.length > 0 && room !== '..' ? room : undefined
}
