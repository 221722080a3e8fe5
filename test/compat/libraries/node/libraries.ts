import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run } from '../../harness/run.ts'
import type { Installation, Library } from '../library.ts'

const PROGRAM = fileURLToPath(new URL('program.ts', import.meta.url))
const MANIFEST = new URL('package.json', import.meta.url)
const LOCKFILE = new URL('package-lock.json', import.meta.url)

const installation: Installation = {
  name: 'node',
  needs: [['npm', '--version']],
  files: [MANIFEST, LOCKFILE],
  async install(folder) {
    await copyFile(MANIFEST, join(folder, 'package.json'))
    await copyFile(LOCKFILE, join(folder, 'package-lock.json'))
    await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder })
  },
}

/** @param alias its name in `package.json` */
function nodeLibrary(
  alias: string,
  flavour: 'segment' | 'legacy' | 'rudder' | 'rudder-1',
  named: Pick<Library, 'name' | 'version' | 'family'> & Pick<Partial<Library>, 'lacks' | 'without'>,
): Library {
  return {
    language: 'Node.js',
    installation,
    command: () => ({ program: process.execPath, args: [PROGRAM, alias, flavour] }),
    ...named,
  }
}

const NO_GZIP = { gzip: 'does not compress' }
const segment = { name: '@segment/analytics-node', family: 'analytics-node', without: NO_GZIP }

export const NODE_LIBRARIES: readonly Library[] = [
  nodeLibrary('segment-3', 'segment', { ...segment, version: '3.1.0' }),
  nodeLibrary('segment-2', 'segment', { ...segment, version: '2.3.0' }),
  nodeLibrary('segment-1', 'segment', { ...segment, version: '1.3.0' }),
]
