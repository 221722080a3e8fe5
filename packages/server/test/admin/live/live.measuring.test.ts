import { expect, test } from 'vitest'
import { AdminServer } from '../admin-server.ts'
import { LiveReader } from './live-reader.ts'
import { receiveMany } from './receive-many.ts'

test('a stalled reader uses little memory', async () => {
  await using server = await AdminServer.open()
  await using reader = await LiveReader.open(server)
  await reader.said('retry')
  reader.pause()
  const before = heapBytes()
  await receiveMany(server)
  expect(heapBytes() - before).toBeLessThan(50 * 2 ** 20)
})

function heapBytes(): number {
  globalThis.gc!()
  return process.memoryUsage().heapUsed
}
