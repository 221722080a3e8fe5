import { fileURLToPath } from 'node:url'
import type { Installation, Library } from '../library.ts'
import { capturedCalls, type CaptureName, readCapture } from './capture.ts'

const PROGRAM = fileURLToPath(new URL('program.ts', import.meta.url))

/** Nothing to install: captures are files in the repository. */
const installation: Installation = {
  name: 'captures',
  needs: [],
  files: [],
  install: () => Promise.resolve(),
}

const NOT_CAPTURED = 'was not captured'
const NO_LIBRARY = 'requires the library itself'
const ALWAYS_WITHOUT = {
  'large-call': NO_LIBRARY,
  'large-batch': NO_LIBRARY,
  outage: NO_LIBRARY,
  kill: NO_LIBRARY,
}

/** @param captures the captures in its folder */
function capturedLibrary(
  folder: string,
  captures: readonly CaptureName[],
  named: Pick<Library, 'name' | 'version' | 'language'>,
): Library {
  const all: readonly CaptureName[] = ['single', 'batch', 'gzip']
  const otherwise = captures.includes('batch') ? 'batch' : 'single'
  const missing = all.filter((name) => !captures.includes(name))
  return {
    ...named,
    family: folder,
    installation,
    command: () => ({ program: process.execPath, args: [PROGRAM, folder, otherwise] }),
    without: {
      ...ALWAYS_WITHOUT,
      ...Object.fromEntries(missing.map((name) => [name, NOT_CAPTURED])),
    },
    recorded: (scenario) =>
      capturedCalls(readCapture(folder, captures.find((name) => name === scenario) ?? otherwise)),
  }
}

const php = (folder: string, version: string, captures: readonly CaptureName[] = ['batch']) => {
  const transport = folder.split('-').at(-1)!
  const named = { name: `segmentio/analytics-php, ${transport}`, version, language: 'PHP' }
  return capturedLibrary(folder, captures, named)
}
const ruby = (
  folder: string,
  name: string,
  version: string,
  captures: readonly CaptureName[] = ['batch'],
) => capturedLibrary(folder, captures, { name, version, language: 'Ruby' })

/** Libraries whose registries are out of reach. */
export const CAPTURED_LIBRARIES: readonly Library[] = [
  php('php-3.8.2-lib_curl', '3.8.2', ['single', 'batch', 'gzip']),
  php('php-3.8.2-socket', '3.8.2', ['single', 'batch', 'gzip']),
  php('php-3.8.2-fork_curl', '3.8.2', ['single', 'batch']),
  php('php-3.8.2-file', '3.8.2'),
  php('php-3.5.0-lib_curl', '3.5.0'),
  php('php-3.5.0-socket', '3.5.0'),
  php('php-2.1.0-lib_curl', '2.1.0'),
  php('php-2.1.0-socket', '2.1.0'),
  php('php-1.8.0-lib_curl', '1.8.0'),
  php('php-1.8.0-socket', '1.8.0'),
  php('php-1.8.0-file', '1.8.0'),
  php('php-1.5.2-lib_curl', '1.5.2'),
  php('php-1.5.2-socket', '1.5.2'),
  ruby('rb-2.5.0', 'analytics-ruby', '2.5.0', ['single', 'batch']),
  ruby('rb-2.4.0', 'analytics-ruby', '2.4.0'),
  ruby('rb-2.2.8', 'analytics-ruby', '2.2.8'),
  ruby('rb-2.0.13', 'analytics-ruby', '2.0.13'),
  ruby('rb-rudder', 'rudder-sdk-ruby', '3.2.1', ['single', 'batch', 'gzip']),
  ruby('rb-simple_segment', 'simple_segment', '1.6.0', ['single']),
  capturedLibrary('net-3.8.1', ['single', 'batch', 'gzip'], {
    name: 'Analytics.NET',
    version: '3.8.1',
    language: '.NET',
  }),
]
