import { expect, test } from 'vitest'
import { seededRandom } from '../../packages/server/test/harness/seeded-random.ts'
import { CountingReceiver } from './counting-receiver.ts'
import { Load } from './load.ts'
import { MortalService } from './mortal-service.ts'

const KILLS = Number(process.env['HOOKLINE_TEST_KILLS'] ?? 30)
const SEED = Number(process.env['HOOKLINE_TEST_SEED'] ?? Date.now() % 1_000_000)
/** Small, so that most of what waits is parked. */
const LANE_WINDOW = 16
const SETTINGS = { HOOKLINE_LANE_WINDOW: `${LANE_WINDOW}` }

/** What becomes of the second destination in a life of the service: by threes. */
const PLAN = ['is paused', 'stays paused', 'is resumed'] as const

test(`over ${KILLS} kills what is held is held, and then delivered; what is parked is not forgotten`, async () => {
  const random = seededRandom(SEED)
  await using receiver = await CountingReceiver.open({ random, failing: 0.1 })
  const destinations = ['steady', 'paused'].map((path) => ({
    urls: [receiver.urlOf(path)],
    successPolicy: 'any' as const,
  }))
  await using service = await MortalService.open(destinations, SETTINGS)
  const pausedId = service.destinationIds[1]!
  const say = (what: 'pause' | 'resume'): Promise<unknown> =>
    service.api.call('POST', `destinations/${pausedId}/${what}`)
  const load = new Load(random)
  const sentWhilePaused: number[] = []
  let before = 0
  await service.killUnder(load, {
    kills: KILLS,
    longestLifeMs: 400,
    random,
    during: async (life) => {
      before = receiver.requestsTo('paused')
      const what = PLAN[life % PLAN.length]
      if (what === 'is paused') await say('pause')
      if (what === 'is resumed') await say('resume')
    },
    after: (life) => {
      if (PLAN[life % PLAN.length] === 'stays paused')
        sentWhilePaused.push(receiver.requestsTo('paused') - before)
    },
  })
  expect(sentWhilePaused).toEqual(Array(sentWhilePaused.length).fill(0))
  await say('resume')

  const lost = (): number =>
    receiver.missing('steady', load.promised) + receiver.missing('paused', load.promised)
  await expect.poll(lost, { timeout: 120_000, interval: 200 }).toBe(0)
  await service.stop()
  const { duplicates } = receiver
  console.log(
    `seed ${SEED}: ${KILLS} kills, ${sentWhilePaused.length} lives paused throughout, ` +
      `${load.sent} calls sent, ${load.promised.size} answered 200, ${receiver.requestsTo('paused')} requests ` +
      `to the one that was paused and resumed, lost ${lost()}, duplicates ${duplicates} (${(duplicates / KILLS).toFixed(2)} a kill)`,
  )
  // As many as two lanes held at the kill, answered but not recorded.
  expect(duplicates / KILLS).toBeLessThan(2 * LANE_WINDOW)
  expect(load.promised.size).toBeGreaterThan(KILLS * 10)
})
