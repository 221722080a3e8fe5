import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { REPOSITORY } from '@hookline/testing/repository'

const NOT_OURS = new Set(['node_modules', 'dist'])

/** The paths of all files below a folder of the repository, from that folder on. */
export function filesBelow(folder: string): string[] {
  return readdirSync(join(REPOSITORY, folder), { withFileTypes: true })
    .filter(({ name }) => !NOT_OURS.has(name))
    .flatMap((entry) => {
      if (!entry.isDirectory()) return [entry.name]
      return filesBelow(join(folder, entry.name)).map((path) => `${entry.name}/${path}`)
    })
}
