import { type AcceptedEvent, newId } from '@hookline/protocol'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import type { Deletion } from '../../src/backend/deletions.ts'
import { DeletionWorker } from '../../src/deletions/deletions.ts'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import { filesWith } from '@hookline/testing/files/bytes-in-folder'
import { NO_ACTIVITY } from '@hookline/testing/engine/no-activity'
import { openReceiver, type ReceivedRequest } from '@hookline/testing/receiver/receiver'
import { AdjustableClock } from '@hookline/testing/clocks/adjustable-clock'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { TestEngine } from '@hookline/testing/engine/test-engine'

const HOUR = 60 * 60 * 1000
const PLANTED = 'PLANTED-VALUE'

/** Appends an event from u1 with the planted value, stamped by the clock. */
async function receive({ backend }: TestEngine, clock: AdjustableClock): Promise<AcceptedEvent> {
  const event = acceptedEvent({ at: clock.now(), properties: { it: PLANTED } })
  await backend.log.append([event])
  return event
}

/** Runs the service's deletion worker. Returns a function that deletes u1 and resolves when the notice is delivered. */
function deletionsOf(
  { backend, engine }: TestEngine,
  clock: AdjustableClock,
): (suppress: boolean) => Promise<Deletion> {
  const logger = pino({ level: 'silent' })
  const worker = new DeletionWorker({
    ...backend,
    clock,
    activity: NO_ACTIVITY,
    logger,
    onErased: async () => undefined,
    onNotices: () => engine.wake(),
  })
  engine.supervise(worker)
  return async (suppress) => {
    const id = newId('del', clock.now())
    const request = { id, createdAt: clock.now(), sourceIds: null, suppress, users: 1 }
    await backend.deletions.create(request, { userIds: ['u1'] })
    worker.wake()
    const progress = () => backend.notices.progress(id)
    await expect.poll(progress).toMatchObject([{ counts: { delivered: 1 } }])
    return (await backend.deletions.find(id))!
  }
}

const isNotice = ({ body }: ReceivedRequest): boolean =>
  (JSON.parse(body.toString()) as { type: string }).type === 'delete'

test.each([false, true])(
  'a deletion removes events stamped while the clock was an hour ahead, in lanes and on disk (suppress: %s)',
  async (suppress) => {
    const clock = new AdjustableClock()
    const { promise: opened, resolve: answer } = Promise.withResolvers<void>()
    // The first event is delivered, the second is parked, the third is in flight, and the others wait behind it.
    await using receiver = await openReceiver({
      respond: (request, index) => {
        if (index === 1) return { status: 500, body: request.body.toString() }
        return index === 2 ? opened.then(() => ({ status: 500, body: PLANTED })) : 200
      },
    })
    using folder = new TemporaryFolder()
    const limits = { maxConcurrencyPerWebhook: 1 }
    const options = { clock, limits, retryDelaysMs: [HOUR], retryWindowMs: 4 * HOUR }
    {
      await using engine = await TestEngine.open(options, folder)
      await engine.destination('dst_a', receiver.url)
      clock.adjust(HOUR)
      for (let count = 1; count <= 3; count++) {
        await receive(engine, clock)
        await receiver.waitFor(count)
      }
      await receive(engine, clock)
      await receive(engine, clock)
      await expect.poll(() => engine.lanes.current.inMemory).toBe(3)
      clock.adjust(-HOUR)

      const deleteUser = deletionsOf(engine, clock)
      expect(await deleteUser(suppress)).toMatchObject({ purged: { events: 5 } })
      const later = await receive(engine, clock)
      answer()
      await expect
        .poll(() => engine.deliveries({ eventId: later.id }))
        .toMatchObject([{ state: 'delivered' }])
      expect(await engine.deliveries({})).toHaveLength(1)
      expect((await engine.backend.events.list({}, { limit: 9 })).data).toMatchObject([
        { id: later.id },
      ])
      // Three events from before the deletion, its notice, and the event from after it.
      expect(receiver.requests.map(isNotice)).toEqual([false, false, false, true, false])
      expect(await deleteUser(suppress)).toMatchObject({ purged: { events: 1 } })
    }
    expect(filesWith(folder.path, PLANTED)).toEqual([])
  },
)
