import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { AdjustableService } from './adjustable-service.ts'

const DAY = 24 * 60 * 60_000

interface Alert {
  readonly event: string
  readonly properties: { readonly state: string; readonly title: string }
}

test('a three-day-old backup raises one alert, even across a kill, and the next backup resolves it once', async () => {
  await using channel = await openReceiver()
  await using adjustable = await AdjustableService.open()
  const { service } = adjustable
  await service.api.call('POST', 'alerts/channels', { url: channel.url, format: 'webhook' })
  const alerts = () => {
    // A kill may repeat a delivery, with the same webhook-id.
    const byId = new Map(channel.requests.map(({ headers, body }) => [headers['webhook-id'], body]))
    const all = [...byId.values()].map((body) => JSON.parse(body.toString()) as Alert)
    return all.flatMap(({ event, properties: { state, title } }) =>
      event === 'Backup Old' ? [[state, title]] : [],
    )
  }
  const backUp = async (): Promise<void> => {
    expect((await service.api.request('GET', 'backup')).status).toBe(200)
  }
  await backUp()
  await adjustable.setClock(3 * DAY)
  const old = ['started', 'The last backup is 3 days old.']
  await expect.poll(alerts, { timeout: 60_000 }).toEqual([old])
  await service.restart()
  await backUp()
  const ended = ['ended', 'A new backup was made.']
  await expect.poll(alerts, { timeout: 60_000 }).toEqual([old, ended])
  await service.restart()
  // The conditions are checked at startup.
  await sleep(1_000)
  expect(alerts()).toEqual([old, ended])
})
