import { expect, test } from 'vitest'
import { caseCount } from '@hookline/testing/run/case-count'
import { seededRandom } from '@hookline/testing/run/seeded-random'
import { SEED } from '@hookline/testing/run/seed'
import { Load } from '@hookline/testing/service/load'
import { KillableService } from './killable-service.ts'

const KILLS = caseCount('HOOKLINE_TEST_KILLS', 10)

interface NamePage {
  readonly data: readonly {
    readonly name: string
    readonly count: number
    readonly properties: readonly { readonly name: string; readonly types: readonly string[] }[]
  }[]
}

test(`after ${KILLS} kills, every stored event is counted once under its name`, async () => {
  const random = seededRandom(SEED)
  await using service = await KillableService.open([])
  const load = new Load(random, { pauseMs: 100 })
  // Names are written every two seconds.
  await service.killUnderLoad(load, { kills: KILLS, maxUptimeMs: 5_000, random })
  const events = await service.api.listAll('events')
  expect(events.length).toBeGreaterThan(KILLS * 100)
  const names = () => service.api.call<NamePage>('GET', 'event-names')
  await expect.poll(async () => (await names()).data[0]?.count).toBe(events.length)
  const { data } = await names()
  expect(data).toMatchObject([{ name: 'Order Completed' }])
  expect(data[0]!.properties).toMatchObject([
    { name: 'note', types: ['string'] },
    { name: 'revenue', types: ['number'] },
  ])
  console.log(`seed ${SEED}: ${KILLS} kills, ${events.length} events`)
  await service.restart()
  expect((await names()).data[0]!.count).toBe(events.length)
})
