import { expect, test } from 'vitest'
import { sharesOf, sharesWithThreads } from '../../../src/util/limits/open-files.ts'

test.each([
  { maxOpenFiles: 16_384, permitted: 1_024, half: 448 },
  { maxOpenFiles: 1_024, permitted: Infinity, half: 448 },
  { maxOpenFiles: 16_384, permitted: 65_536, half: 8_128 },
  { maxOpenFiles: 16_384, permitted: 64, half: 64 },
])(
  'of $permitted permitted files and $maxOpenFiles wanted ones, clients and webhooks have $half each',
  ({ maxOpenFiles, permitted, half }) => {
    const shares = sharesOf(maxOpenFiles, 0, permitted)
    expect(shares).toEqual({ connections: half, adminConnections: half / 8, webhookSockets: half })
  },
)

test('the operating system says how many files it permits', () => {
  const { connections } = sharesOf(1_048_576, 0)
  expect(connections).toBeGreaterThan(0)
  expect(connections).toBeLessThan(Infinity)
})

test('each thread takes some for itself', () => {
  expect(sharesOf(1_024, 4).connections).toBe(432)
})

test('connections that threads forward take three files each, and all together no more than there are', () => {
  const { ofThreads, ofMain } = sharesWithThreads(448)
  expect({ ofThreads, ofMain }).toEqual({ ofThreads: 226, ofMain: 74 })
  expect(ofThreads + 3 * ofMain).toBe(448)
})
