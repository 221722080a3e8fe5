import { expect, test } from 'vitest'
import { MeasuredService } from '@hookline/testing/service/measured-service'
import { openSignedIn, openTail, useChromium } from './harness/console.ts'
import { Relay } from './harness/relay.ts'

useChromium()

/** Enough for the events to exceed the buffers of the sockets and of the service. */
const BATCHES = 400
const CALLS = 100
/** Long values, so that few events fit into the buffers. */
const LONG = 'x'.repeat(200)

test('a slow browser shows how many messages it missed, and a link to the events', async () => {
  await using service = new MeasuredService()
  await service.start()
  await service.addSource()
  await using relay = await Relay.open(service.url)
  const { page, go, pageErrors } = await openSignedIn({ url: relay.url, api: service.api })
  await openTail(page, go)
  relay.hold()
  for (let batch = 0; batch < BATCHES; batch += 1) await sendBatch(service, batch)
  relay.restore()
  await page.getByText('shown, at least').waitFor()
  // The row is below newer events. A filter without matches leaves only the rows of missed messages.
  await page.getByLabel('Contains').fill('no event has this text')
  await page
    .getByText(/^[\d,]+ messages missed$/)
    .first()
    .waitFor()
  await page.getByRole('link', { name: 'View events from this period' }).first().click()
  await page.getByLabel('From', { exact: true }).waitFor()
  expect(pageErrors).toEqual([])
})

async function sendBatch({ url, authorization }: MeasuredService, number: number): Promise<void> {
  const batch = Array.from({ length: CALLS }, (_, index) => ({
    type: 'track',
    event: LONG,
    userId: LONG,
    anonymousId: LONG,
    messageId: `m${number}-${index}`,
  }))
  const response = await fetch(`${url}/v1/batch`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ batch }),
  })
  if (response.status !== 200) throw new Error(await response.text())
}
