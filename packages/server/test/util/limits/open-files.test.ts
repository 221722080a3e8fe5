import { expect, test } from 'vitest'
import {
  checkOpenFiles,
  openFilesOf,
  sharesOf,
  sharesWithThreads,
} from '../../../src/util/limits/open-files.ts'

test.each([
  { maxOpenFiles: 16_384, permitted: 1_024, half: 448 },
  { maxOpenFiles: 1_024, permitted: Infinity, half: 448 },
  { maxOpenFiles: 16_384, permitted: 65_536, half: 8_128 },
])(
  'of $permitted permitted and $maxOpenFiles configured files, clients and webhooks get $half each',
  ({ maxOpenFiles, permitted, half }) => {
    const shares = sharesOf(openFilesOf(maxOpenFiles, permitted), 0)
    expect(shares).toEqual({ connections: half, adminConnections: half / 8, webhookSockets: half })
  },
)

test('reads the limit of the operating system', () => {
  const files = openFilesOf(Infinity)
  expect(files).toBeGreaterThan(0)
  expect(files).toBeLessThan(Infinity)
})

test('each thread needs some files for itself', () => {
  expect(sharesOf(1_024, 4).connections).toBe(432)
})

test('forwarded connections use three files each, and all connections together fit the limit', () => {
  const { threadConnections, mainConnections } = sharesWithThreads(448)
  expect({ threadConnections, mainConnections }).toEqual({
    threadConnections: 226,
    mainConnections: 74,
  })
  expect(threadConnections + 3 * mainConnections).toBe(448)
})

test.each([
  { openFiles: 96, threads: 0, needed: 256 },
  { openFiles: 255, threads: 0, needed: 256 },
  { openFiles: 256, threads: 2, needed: 272 },
])(
  'startup with $openFiles files and $threads threads is refused, with the required number',
  ({ openFiles, threads, needed }) => {
    const check = () =>
      checkOpenFiles(openFiles, { threads, connections: 500, onInsufficientFiles: () => {} })
    expect(check).toThrow(`may open ${openFiles} files and connections, but needs ${needed}`)
    expect(check).toThrow(expect.objectContaining({ name: 'TooFewOpenFilesError' }))
  },
)

test('a limit that is too low for all configured connections is reported, with the required number', () => {
  const wanted: number[] = []
  const onInsufficientFiles = (files: number): void => void wanted.push(files)
  for (const openFiles of [256, 1_127, 1_128]) {
    checkOpenFiles(openFiles, { threads: 0, connections: 500, onInsufficientFiles })
  }
  expect(wanted).toEqual([1_128, 1_128])
})
