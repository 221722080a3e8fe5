import { expect, test } from 'vitest'
import { sharesOf } from '../../../src/util/limits/open-files.ts'

test.each([
  { maxOpenFiles: 16_384, permitted: 1_024, half: 448 },
  { maxOpenFiles: 1_024, permitted: Infinity, half: 448 },
  { maxOpenFiles: 16_384, permitted: 65_536, half: 8_128 },
  { maxOpenFiles: 16_384, permitted: 64, half: 64 },
])(
  'of $permitted permitted files and $maxOpenFiles wanted ones, clients and webhooks have $half each',
  ({ maxOpenFiles, permitted, half }) => {
    const shares = sharesOf(maxOpenFiles, permitted)
    expect(shares).toEqual({ connections: half, adminConnections: half / 8, webhookSockets: half })
  },
)

test('the operating system says how many files it permits', () => {
  const { connections } = sharesOf(1_048_576)
  expect(connections).toBeGreaterThan(0)
  expect(connections).toBeLessThan(Infinity)
})
