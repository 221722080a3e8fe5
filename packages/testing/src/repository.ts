import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url))
/** The `hookline` command. */
export const HOOKLINE = join(REPOSITORY, 'packages/cli/bin/hookline.js')
/** For `node --import`: a clock that a test can set. */
export const SHIFTED_CLOCK = new URL('clocks/shifted-clock.ts', import.meta.url).href

const NOT_OURS = new Set(['node_modules', 'dist', 'docs-site', 'console-site', '.git', 'data'])

export function readRepositoryFile(path: string): string {
  return readFileSync(join(REPOSITORY, path), 'utf8')
}

/** The paths of all Markdown pages, relative to the root of the repository. */
export function markdownPages(): string[] {
  return repositoryFiles().filter((path) => path.endsWith('.md'))
}

/** The paths of all files, relative to the root of the repository. */
export function repositoryFiles(folder = ''): string[] {
  return readdirSync(join(REPOSITORY, folder), { withFileTypes: true })
    .filter(({ name }) => !NOT_OURS.has(name))
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      return entry.isDirectory() ? repositoryFiles(path) : [path]
    })
}
