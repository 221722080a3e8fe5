import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url))

const NOT_OURS = new Set(['node_modules', 'dist', '.git', 'data'])

export function read(path: string): string {
  return readFileSync(join(REPOSITORY, path), 'utf8')
}

/** The paths, from the root of the repository, of all its Markdown pages. */
export function markdownPages(folder = ''): string[] {
  return readdirSync(join(REPOSITORY, folder), { withFileTypes: true })
    .filter(({ name }) => !NOT_OURS.has(name))
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      return entry.isDirectory() ? markdownPages(path) : [path]
    })
    .filter((path) => path.endsWith('.md'))
}
