import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CHROMIUM } from '@hookline/testing/programs/chromium'
import { run } from '../../harness/run.ts'
import type { Call } from '../../scenarios/call.ts'
import type { Installation, Library } from '../library.ts'
import { withoutNulls } from '../without-nulls.ts'
import { bundle } from './bundle.ts'

const PROGRAM = fileURLToPath(new URL('program.ts', import.meta.url))
const ENTRY = 'analytics-js.entry.js'

const installation: Installation = {
  name: 'browser',
  needs: [
    ['npm', '--version'],
    [CHROMIUM, '--version'],
  ],
  files: ['package.json', 'package-lock.json', ENTRY].map((file) => new URL(file, import.meta.url)),
  async install(folder) {
    for (const file of ['package.json', 'package-lock.json', ENTRY]) {
      await copyFile(new URL(file, import.meta.url), join(folder, file))
    }
    await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder })
    await bundle(join(folder, ENTRY), join(folder, 'analytics-js.bundle.js'))
  },
}

/** @param page the name of its module in `pages` */
function browserLibrary(
  page: string,
  named: Pick<Library, 'name' | 'version' | 'family'> & Partial<Library>,
): Library {
  return {
    language: 'Browser',
    installation,
    command: () => ({
      program: process.execPath,
      args: ['--conditions=hookline-source', PROGRAM, page],
    }),
    without: NO_GZIP,
    ...named,
  }
}

/** RudderStack's libraries accept a userId only in identify and alias calls. */
function ofRudder({ userId, ...call }: Call): Call {
  const isOwn = call.type === 'identify' || call.type === 'alias'
  return withoutNulls(isOwn && userId !== undefined ? { ...call, userId } : call)
}

const SHORT_QUEUE = { kill: 'keeps only the newest 100 calls' }
const NO_GZIP = { gzip: 'does not compress' }
const NO_SETTINGS = {
  'wrong-key': 'gets no settings for an unknown write key, and does not start',
  outage: 'gets no settings in an outage, and does not start',
}

export const BROWSER_LIBRARIES: readonly Library[] = [
  browserLibrary('analytics-next', {
    name: '@segment/analytics-next',
    version: '1.84.3',
    family: 'analytics-next',
    without: { ...NO_GZIP, ...NO_SETTINGS },
  }),
  browserLibrary('snippet', {
    name: '@segment/snippet',
    version: '5.2.1',
    family: 'analytics-next',
    without: { ...NO_GZIP, ...NO_SETTINGS },
  }),
  browserLibrary('analytics-js', {
    name: '@segment/analytics.js-core',
    version: '4.1.11',
    family: 'analytics.js',
    dropsCallsIn: SHORT_QUEUE,
    lacks: ['screen'],
  }),
  browserLibrary('rudder-3', {
    name: '@rudderstack/analytics-js',
    version: '3.34.1',
    family: 'rudder analytics-js',
    dropsCallsIn: SHORT_QUEUE,
    lacks: ['screen'],
    sends: ofRudder,
  }),
  browserLibrary('rudder-2', {
    name: 'rudder-sdk-js',
    version: '2.52.21',
    family: 'rudder-sdk-js',
    dropsCallsIn: SHORT_QUEUE,
    lacks: ['screen'],
    sends: ofRudder,
  }),
]
