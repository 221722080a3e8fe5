import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const FOLDER = fileURLToPath(new URL('../../packages/server/docs-site', import.meta.url))

/** The site's built files with this extension, as paths in its folder. */
export function builtFiles(extension: string): string[] {
  if (!existsSync(join(FOLDER, 'index.html'))) {
    throw new Error('The site is not built. Run: npm run docs:site')
  }
  return globSync(`**/*.${extension}`, { cwd: FOLDER })
}

export function readBuilt(path: string): string {
  return readFileSync(join(FOLDER, path), 'utf8')
}

/** Whether an address below `/docs` is a page or file of the site. */
export function isBuilt(address: string): boolean {
  const path = decodeURIComponent(address.replace(/^\/docs\/?/, '').replace(/[#?].*$/, ''))
  return ['', '.html', 'index.html'].some((end) => {
    const file = join(FOLDER, path + end)
    return path + end !== '' && existsSync(file) && !file.endsWith('/')
  })
}
