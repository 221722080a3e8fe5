import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run } from '../../harness/run.ts'
import type { Installation, Library } from '../library.ts'

const PROGRAM = fileURLToPath(new URL('program.ts', import.meta.url))
const MANIFEST = new URL('package.json', import.meta.url)
const LOCKFILE = new URL('package-lock.json', import.meta.url)
const NATIVE_SIDE = new URL('react-native.cjs', import.meta.url)

const installation: Installation = {
  name: 'react-native',
  needs: [['npm', '--version']],
  files: [MANIFEST, LOCKFILE, NATIVE_SIDE],
  async install(folder) {
    await copyFile(MANIFEST, join(folder, 'package.json'))
    await copyFile(LOCKFILE, join(folder, 'package-lock.json'))
    const flags = ['--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund']
    await run('npm', ['ci', ...flags], { cwd: folder })
    const target = join(folder, 'node_modules/react-native')
    await mkdir(target)
    await copyFile(NATIVE_SIDE, join(target, 'index.js'))
  },
}

export const REACT_NATIVE_LIBRARIES: readonly Library[] = [
  {
    name: '@segment/analytics-react-native',
    version: '2.24.1',
    language: 'React Native',
    family: 'analytics-react-native',
    installation,
    command: () => ({ program: process.execPath, args: [PROGRAM] }),
    lacks: ['page'],
    without: { gzip: 'does not compress' },
  },
]
