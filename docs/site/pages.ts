import { existsSync, globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The root of the repository, with a trailing slash. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** Paths on the site of pages outside `docs`. Pages of `docs` keep their path. */
const OUTSIDE: Readonly<Record<string, string>> = {
  'README.md': 'overview.md',
  'ARCHITECTURE.md': 'project/architecture.md',
  'CONTRIBUTING.md': 'contributing/index.md',
  'SECURITY.md': 'project/security.md',
  'CHANGELOG.md': 'project/changelog.md',
  'deploy/README.md': 'guides/monitoring.md',
  'examples/README.md': 'reference/examples.md',
  'packages/client/README.md': 'reference/client-library.md',
  'clients/go/README.md': 'reference/client-library-go.md',
}

/** The path of a Markdown file on the site; undefined if it is not on the site. */
export function sitePathOf(file: string): string | undefined {
  if (!file.endsWith('.md')) return undefined
  if (!file.startsWith('docs/')) return OUTSIDE[file]
  return file.slice('docs/'.length).replace(/(^|\/)README\.md$/, '$1index.md')
}

/** All Markdown files of the repository that are not on the site. */
export function filesOutsideSite(): string[] {
  const exclude = (path: string): boolean => posix.basename(path) === 'node_modules'
  return globSync('**/*.md', { cwd: ROOT, exclude }).filter(
    (path) => sitePathOf(path) === undefined,
  )
}

/** The page that a relative link leads to, if it is on the site. A folder stands for its README. */
export function linkedPage(file: string, link: string): string | undefined {
  const target = posix.join(posix.dirname(file), decodeURIComponent(link)).replace(/\/$/, '')
  const page = target.endsWith('.md') ? target : posix.join(target, 'README.md')
  return existsSync(ROOT + page) ? sitePathOf(page) : undefined
}

/** The first heading of a Markdown file, without backticks. */
export function titleOf(file: string): string {
  const heading = /^# (.+)$/m.exec(readFileSync(ROOT + file, 'utf8'))
  return (heading?.[1] ?? posix.basename(file, '.md')).replaceAll('`', '')
}

export const PAGES_OUTSIDE: readonly string[] = Object.keys(OUTSIDE)
