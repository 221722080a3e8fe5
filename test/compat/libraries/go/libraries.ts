import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run } from '../../harness/run.ts'
import type { Call } from '../../scenarios/call.ts'
import type { Installation, Library } from '../library.ts'

const MODULE = fileURLToPath(new URL('.', import.meta.url))

/** The programs with their build flags. Versions with the same import path use separate module files. */
const PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  'segment-1': ['-modfile=segment-1.mod', './segment1'],
  'segment-2.0': ['-modfile=segment-2.0.mod', '-tags=v20', './segment2'],
  'segment-2.1': ['./segment2'],
  'segment-3': ['./segment3'],
  'rudder-4': ['./rudder4'],
}

const installation: Installation = {
  name: 'go',
  needs: [['go', 'version']],
  files: readdirSync(MODULE, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:go|mod|sum)$/.test(file))
    .map((file) => new URL(file, import.meta.url)),
  async install(folder) {
    for (const [name, flags] of Object.entries(PROGRAMS)) {
      const args = ['build', '-mod=readonly', '-buildvcs=false', '-o', join(folder, name), ...flags]
      await run('go', args, { cwd: MODULE })
    }
  },
}

function goLibrary(
  program: string,
  named: Pick<Library, 'name' | 'version' | 'family'> & Partial<Library>,
): Library {
  return {
    language: 'Go',
    installation,
    command: (folder) => ({ program: join(folder, program), args: [] }),
    without: NO_GZIP,
    ...named,
  }
}

function withoutContextOfAlias({ context, ...call }: Call): Call {
  return call.type === 'alias' || context === undefined ? call : { ...call, context }
}

const NO_GZIP = { gzip: 'does not compress' }
const NO_RETRY = { outage: 'does not retry', kill: 'does not retry' }
const NO_LIMIT = { 'large-batch': 'limits the number of calls in a batch, but not its size' }
const name = 'github.com/segmentio/analytics-go'

export const GO_LIBRARIES: readonly Library[] = [
  goLibrary('segment-3', {
    name: `${name}/v3`,
    version: '3.3.0',
    family: 'analytics-go 3',
    // Its pages have no category.
    sends: ({ category: _category, ...call }) => call,
  }),
  goLibrary('segment-2.1', {
    name,
    version: '2.1.1',
    family: 'analytics-go 2',
    dropsCallsIn: NO_LIMIT,
    lacks: ['screen'],
    // Its alias calls have only ids.
    sends: withoutContextOfAlias,
  }),
  goLibrary('segment-2.0', {
    name,
    version: '2.0.0',
    family: 'analytics-go 2.0',
    dropsCallsIn: { ...NO_RETRY, ...NO_LIMIT },
    lacks: ['screen'],
    // It has no integrations, and stamps each call with the current time.
    sends: ({ integrations: _integrations, timestamp: _timestamp, ...call }) =>
      withoutContextOfAlias(call),
  }),
  goLibrary('segment-1', {
    name,
    version: '1.2.0',
    family: 'analytics-go 1',
    dropsCallsIn: { ...NO_RETRY, ...NO_LIMIT },
  }),
  goLibrary('rudder-4', {
    name: 'github.com/rudderlabs/analytics-go/v4',
    version: '4.2.0',
    family: 'rudder analytics-go',
    without: {},
    sends: ({ category: _category, ...call }) => call,
  }),
]
