import { posix } from 'node:path'

/** An import between two rooms of a component. */
export interface RoomImport {
  /** The rooms. */
  readonly from: string
  readonly to: string
  /** The two files, for the message of a failed test. */
  readonly shown: string
}

/** The imports between rooms, including type imports. `files`: the texts of a component's files, by path in the component. */
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

/** The imports that are part of a cycle of rooms. */
export function cyclic(imports: readonly RoomImport[]): RoomImport[] {
  return imports.filter(({ from, to }) => reachable(to, imports).has(from))
}

function reachable(room: string, imports: readonly RoomImport[]): Set<string> {
  const found = new Set([room])
  // The loop also visits elements added to the set meanwhile.
  for (const each of found) {
    for (const { from, to } of imports) if (from === each) found.add(to)
  }
  return found
}

/** The room of a file; `undefined` if it is in no room, or outside the component. */
function roomOf(path: string): string | undefined {
  const [room, ...rest] = path.split('/')
  return rest.length > 0 && room !== '..' ? room : undefined
}
