import { expect, test } from 'vitest'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { shown, worstWhile } from '../fan-out/worst-load.ts'
import { MeasuredService } from '@hookline/testing/service/measured-service'
import { measureAgain } from '@hookline/testing/run/measure-again'

const CONNECTIONS = 64
const CALLS = 2_400
const ROUNDS = 3
/** When all bodies were parsed in the turn in which they were complete, the event loop was late by 900 ms. */
const MOST_LATE_MS = 500

test(`${CONNECTIONS} connections send batches of ${CALLS} calls at once, and everything else goes on`, async () => {
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
    // The process of this test sends the batches, and is late itself where it gets no processor.
    ({ eventLoopMostMs, livezMs }) => Math.max(eventLoopMostMs, livezMs) >= MOST_LATE_MS,
  )
  console.log(`${ROUNDS} × ${CONNECTIONS} × ${CALLS} calls: ${shown(worst)}`)
  expect(worst.eventLoopMostMs).toBeLessThan(MOST_LATE_MS)
  expect(worst.livezMs).toBeLessThan(MOST_LATE_MS)
})
