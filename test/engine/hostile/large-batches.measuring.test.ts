import { expect, test } from 'vitest'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { loadText, worstWhile } from '../fan-out/worst-load.ts'
import { MeasuredService } from '@hookline/testing/service/measured-service'
import { measureAgain } from '@hookline/testing/run/measure-again'

const CONNECTIONS = 64
const CALLS = 2_400
const ROUNDS = 3
/** Parsing all bodies in the same tick would block the event loop for 900 ms. */
const MAX_LATE_MS = 500

test(`${CONNECTIONS} connections sending batches of ${CALLS} calls at once do not block other requests`, async () => {
  await using receiver = await openReceiver()
  await using service = new MeasuredService()
  await service.start()
  await service.addSource(receiver.url)
  const sendAll = async (): Promise<void> => {
    for (let round = 0; round < ROUNDS; round++)
      await Promise.all(Array.from({ length: CONNECTIONS }, () => service.sendUntilAccepted(CALLS)))
  }
  const worst = await measureAgain(
    () => worstWhile(service, sendAll()),
    // This process sends the batches, and can itself be delayed on a busy machine.
    ({ eventLoopMaxMs, livezMs }) => Math.max(eventLoopMaxMs, livezMs) >= MAX_LATE_MS,
  )
  console.log(`${ROUNDS} × ${CONNECTIONS} × ${CALLS} calls: ${loadText(worst)}`)
  expect(worst.eventLoopMaxMs).toBeLessThan(MAX_LATE_MS)
  expect(worst.livezMs).toBeLessThan(MAX_LATE_MS)
})
