import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { run } from './command.ts'
import { ROOT } from './packages.ts'

/** The older releases of Node, from npm, that the packages are tested with. */
const NODES = { 18: '18.20.8', 20: '20.20.2', 22: '22.23.3' } as const

const CACHE = `${ROOT}node_modules/.cache/nodes`

/** Resolves with the path of this version of Node, which is installed on first use. */
export async function nodeOf(line: keyof typeof NODES | 24): Promise<string> {
  if (line === 24) return `${ROOT}node_modules/node/bin/node`
  const version = NODES[line]
  const folder = join(CACHE, version)
  if (!existsSync(folder)) await install(version, folder)
  return `${folder}/node_modules/node/bin/node`
}

async function install(version: string, folder: string): Promise<void> {
  mkdirSync(CACHE, { recursive: true })
  const temporary = mkdtempSync(join(CACHE, 'new-'))
  // With --prefix, because npm would otherwise use the package.json of the clone.
  await run('npm', ['install', '--prefix', temporary, `node@${version}`], { cwd: temporary })
  try {
    renameSync(temporary, folder)
  } catch {
    // Another process has installed it in the meantime.
    rmSync(temporary, { recursive: true })
  }
}
