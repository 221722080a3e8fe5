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

/** @param alias the dependency's name in `package.json` */
function nodeLibrary(
  alias: string,
  flavour: 'segment' | 'legacy' | 'rudder' | 'rudder-1',
  named: Omit<Library, 'language' | 'installation' | 'command'>,
): Library {
  return {
    language: 'Node.js',
    installation,
    command: () => ({ program: process.execPath, args: [PROGRAM, alias, flavour] }),
    ...named,
  }
}

const OVERSIZED = { 'large-batch': 'sends requests over 544 KiB' }
const NO_RETRIES = 'does not retry'
const FEW_RETRIES = 'retries three times within a second'
const NO_GZIP = { gzip: 'does not compress' }
const segment = { name: '@segment/analytics-node', family: 'analytics-node', without: NO_GZIP }
const legacy = {
  name: 'analytics-node',
  family: 'analytics-node 3–6',
  without: NO_GZIP,
  dropsCallsIn: OVERSIZED,
}
const oldest = {
  ...legacy,
  family: 'analytics-node 1–2',
  dropsCallsIn: { ...OVERSIZED, outage: NO_RETRIES, kill: NO_RETRIES },
}
const rudder = {
  name: '@rudderstack/rudder-sdk-node',
  family: 'rudder-sdk-node',
  dropsCallsIn: OVERSIZED,
}

export const NODE_LIBRARIES: readonly Library[] = [
  nodeLibrary('segment-3', 'segment', { ...segment, version: '3.1.0' }),
  nodeLibrary('segment-2', 'segment', { ...segment, version: '2.3.0' }),
  nodeLibrary('segment-1', 'segment', { ...segment, version: '1.3.0' }),
  nodeLibrary('legacy-6', 'legacy', { ...legacy, version: '6.2.0' }),
  nodeLibrary('legacy-5', 'legacy', { ...legacy, version: '5.2.0' }),
  nodeLibrary('legacy-4', 'legacy', { ...legacy, version: '4.0.1' }),
  nodeLibrary('legacy-3', 'legacy', { ...legacy, version: '3.5.0' }),
  nodeLibrary('legacy-2', 'legacy', { ...oldest, version: '2.4.1' }),
  nodeLibrary('legacy-1', 'legacy', { ...oldest, version: '1.2.2', lacks: ['screen'] }),
  nodeLibrary('rudder-3', 'rudder', { ...rudder, version: '3.0.13' }),
  nodeLibrary('rudder-2', 'rudder', { ...rudder, version: '2.1.11' }),
  nodeLibrary('rudder-1', 'rudder-1', { ...rudder, version: '1.1.5', without: NO_GZIP }),
  nodeLibrary('customerio', 'segment', {
    name: '@customerio/cdp-analytics-node',
    version: '0.5.9',
    family: 'analytics-node',
    without: NO_GZIP,
  }),
  nodeLibrary('expo-rudder', 'rudder-1', {
    name: '@expo/rudder-sdk-node',
    version: '1.1.1',
    family: 'rudder-sdk-node of Expo',
    without: NO_GZIP,
    dropsCallsIn: { ...OVERSIZED, outage: FEW_RETRIES, kill: FEW_RETRIES },
  }),
  nodeLibrary('june-6', 'legacy', {
    name: '@june-so/analytics-node',
    version: '6.1.1',
    family: 'June',
    without: NO_GZIP,
    dropsCallsIn: OVERSIZED,
  }),
]
