import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { REPOSITORY } from '../repository.ts'

/** Folders of node_modules whose entries point into the clone itself. */
const OWN = new Set(['.bin', '@hookline'])

/** Makes a clone of the repository in its current state, with dependencies as after `npm ci`. */
export function makeClone(folder: string): void {
  for (const path of filesOfClone()) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    cpSync(join(REPOSITORY, path), join(folder, path))
  }
  linkDependencies(join(REPOSITORY, 'node_modules'), join(folder, 'node_modules'))
}

function filesOfClone(): string[] {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate']
  const deleted = execFileSync('git', ['ls-files', '-z', '--deleted'], { cwd: REPOSITORY })
  const missing = new Set(deleted.toString().split('\0'))
  const paths = execFileSync('git', args, { cwd: REPOSITORY }).toString().split('\0')
  return paths.filter((path) => path !== '' && !missing.has(path))
}

/** All clones share the packages. npm's links to the workspaces are relative. */
function linkDependencies(from: string, to: string): void {
  mkdirSync(to)
  for (const name of readdirSync(from)) {
    if (name === '.cache') continue
    if (OWN.has(name))
      cpSync(join(from, name), join(to, name), { recursive: true, verbatimSymlinks: true })
    else symlinkSync(join(from, name), join(to, name))
  }
}
