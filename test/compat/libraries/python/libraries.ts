import { fileURLToPath } from 'node:url'
import { run } from '../../harness/run.ts'
import type { Installation, Library } from '../library.ts'

const PROGRAM = fileURLToPath(new URL('program.py', import.meta.url))

/** Each has a requirements file, and a folder of the same name in the installation. */
const FOLDERS = [
  'common',
  'segment-2.4',
  'segment-2.3',
  'segment-2.2',
  'analytics-1.4',
  'analytics-1.2',
  'rudder-2',
  'customerio-1',
] as const
const requirementsOf = (name: string): URL => new URL(`requirements/${name}.txt`, import.meta.url)

const installation: Installation = {
  name: 'python',
  needs: [['python3', '-m', 'pip', '--version']],
  files: FOLDERS.map(requirementsOf),
  async install(folder) {
    for (const name of FOLDERS) {
      const from = ['-r', fileURLToPath(requirementsOf(name))]
      const options = [
        '--quiet',
        '--no-deps',
        '--only-binary',
        ':all:',
        '--target',
        `${folder}/${name}`,
      ]
      await run('python3', ['-m', 'pip', 'install', ...options, ...from])
    }
  },
}

function pythonLibrary(
  name: (typeof FOLDERS)[number],
  module: string,
  more: Omit<Library, 'language' | 'installation' | 'command'>,
): Library {
  return {
    language: 'Python',
    installation,
    command: (folder) => ({
      program: 'python3',
      args: [PROGRAM, module],
      env: { PYTHONPATH: `${folder}/${name}:${folder}/common` },
    }),
    ...more,
  }
}

const segment = { name: 'segment-analytics-python', family: 'analytics-python' }
const legacy = { name: 'analytics-python', family: 'analytics-python 1' }

export const PYTHON_LIBRARIES: readonly Library[] = [
  pythonLibrary('segment-2.4', 'segment.analytics.client', { ...segment, version: '2.4.0' }),
  pythonLibrary('segment-2.3', 'segment.analytics.client', { ...segment, version: '2.3.6' }),
  pythonLibrary('segment-2.2', 'segment.analytics.client', { ...segment, version: '2.2.3' }),
  pythonLibrary('analytics-1.4', 'analytics.client', { ...legacy, version: '1.4.post1' }),
  pythonLibrary('analytics-1.2', 'analytics.client', {
    ...legacy,
    version: '1.2.9',
    without: { gzip: 'does not compress' },
    dropsCallsIn: {
      'large-batch': 'sends requests over 544 KiB',
      outage: 'retries ten times within seconds',
      kill: 'retries ten times within seconds',
    },
  }),
  pythonLibrary('rudder-2', 'rudderstack.analytics.client', {
    name: 'rudder-sdk-python',
    version: '2.1.9',
    family: 'rudder-sdk-python',
    dropsCallsIn: { 'large-batch': 'sends requests over 544 KiB' },
  }),
  pythonLibrary('customerio-1', 'customerio.analytics.client', {
    name: 'customerio-cdp-analytics',
    version: '1.1.0',
    family: 'customerio-cdp-analytics',
  }),
]
