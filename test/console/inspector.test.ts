import { expect, test } from 'vitest'
import { startService, type RunningService } from '@hookline/testing/service/running-service'
import { expectAccessible } from './harness/accessible.ts'
import { openSignedIn, useChromium } from './harness/console.ts'
import { expectNoHorizontalScroll, NARROW } from './harness/narrow.ts'

useChromium()

const INSPECTOR = 'http://inspector.internal/'
const SECRET = 'a shared secret'
const HOSTILE = '<img src=x onerror=alert(1)> \u202Eevil \u001B[31m javascript:alert(1) '
/** Retries are fast, so that tests do not have to wait for them. */
const QUICK = { settings: { retryScheduleMs: '100' } }

async function destinationTo(
  service: RunningService,
  name: string,
  more: { readonly secret?: string; readonly urls?: readonly string[] } = { secret: SECRET },
): Promise<string> {
  const id = await service.createDestination({ urls: [INSPECTOR], ...more })
  await service.api.call('PATCH', `destinations/${id}`, { name })
  return id
}

test('two attempts fail as configured, the third succeeds, and all are listed with a verified signature', async () => {
  await using service = await startService(QUICK)
  // Without events, the console opens Get started.
  await service.track('m0')
  await service.endOf('m0')
  await destinationTo(service, 'Inspector')
  const { page, pageErrors } = await openSignedIn(service)
  await page.getByRole('navigation').getByRole('link', { name: 'Inspector' }).click()
  await page.getByRole('heading', { name: 'No requests yet' }).waitFor()
  await page.getByRole('button', { name: 'Fail the first 2 attempts with 503' }).click()
  const says = page.getByRole('status').filter({ hasText: 'with 503' })
  await says.getByText('to the first 2 attempts of each delivery, then with 200').waitFor()

  await service.track('m1', { event: 'Signed Up' })
  const rows = page.getByRole('region', { name: 'Requests, newest first' }).getByRole('row')
  const row = (status: string, attempt: number) =>
    rows.filter({
      has: page
        .getByRole('cell', { name: status })
        .and(page.locator(`:has(+ td:text-is("${attempt}"))`)),
    })
  for (const [status, attempt] of [
    ['503', 1],
    ['503', 2],
    ['200', 3],
  ] as const)
    await row(status, attempt).getByText('Signature verified').waitFor()
  await expectAccessible(page)

  await page.getByRole('columnheader', { name: 'Event' }).click()
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.waitForURL(/request=req_/)
  const drawer = page.getByRole('dialog', { name: 'Signed Up' })
  await drawer.getByText('Signature verified').waitFor()
  await drawer.getByLabel('the request headers').getByText('POST / HTTP/1.1').waitFor()
  await drawer.getByLabel('the request body').getByText('"Signed Up"').waitFor()
  await drawer.getByRole('tab', { name: 'Raw' }).click()
  await page.waitForURL(/body=raw/)
  await drawer.getByLabel('the request body').getByText('"event":"Signed Up"').waitFor()
  await expectAccessible(page)
  await drawer.getByRole('link', { name: 'Open trace' }).click()
  await page.getByRole('heading', { level: 1, name: 'Signed Up' }).waitFor()
  expect(pageErrors).toEqual([])
})

test('the list is filtered by destination or delivery, loads older requests, and is cleared', async () => {
  await using service = await startService()
  await destinationTo(service, 'First')
  await destinationTo(service, 'Second', { urls: [`${INSPECTOR}second`] })
  const batch = Array.from({ length: 30 }, (_, index) => ({
    type: 'track',
    event: `Event ${index}`,
    userId: 'u1',
    messageId: `m${index}`,
  }))
  await service.send('/v1/batch', { batch })
  await Promise.all(batch.map(({ messageId }) => service.endOf(messageId)))
  const { page, go, pageErrors } = await openSignedIn(service)
  await go('inspector')
  await page.getByText('50 requests.').waitFor()
  await page.getByRole('button', { name: 'Load older' }).click()
  await page.getByText('All 60 requests.').waitFor()
  await page.getByLabel('Destination', { exact: true }).selectOption('Second')
  await page.waitForURL(/destination=dst_/)
  await page.getByText('All 30 requests.').waitFor()
  await page.getByText('Not signed').first().waitFor()
  await page.getByText('The webhook has neither a secret nor a signing key').first().waitFor()
  await page.getByRole('button', { name: 'Event 7', exact: true }).click()
  await page.getByRole('button', { name: 'Show all attempts' }).click()
  await page.getByText('1 request.').waitFor()
  await page.getByLabel('Delivery ID').fill('msg_none')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'No matching requests' }).waitFor()
  await page.getByRole('button', { name: 'Show all requests' }).click()
  await page.getByRole('button', { name: 'Clear…' }).click()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('heading', { name: 'No requests yet' }).waitFor()
  await page.getByRole('link', { name: 'Send a test to First' }).waitFor()
  expect(pageErrors).toEqual([])
})

test('a custom response is saved, and an invalid one is not', async () => {
  await using service = await startService()
  const { page, go } = await openSignedIn(service)
  await go('inspector')
  await page.getByRole('heading', { name: 'No destination uses the inspector' }).waitFor()
  const status = page.getByLabel('Status', { exact: true })
  await status.fill('700')
  await page.keyboard.press('Enter')
  expect(await page.locator('input:invalid').count()).toBe(1)
  await expectAccessible(page)
  await status.fill('418')
  await page.getByLabel('Delay (ms)').fill('6000')
  await page.keyboard.press('Enter')
  const message = page
    .getByRole('status')
    .filter({ hasText: 'after 6 s: with 418 to every request' })
  await message.getByText('attempts time out after 5 s').waitFor()
  await page.getByRole('button', { name: '200 immediately' }).click()
  await page.getByText('Responds immediately: with 200 to every request.').first().waitFor()
  await page.getByRole('link', { name: 'Create a destination' }).click()
  await page.getByRole('dialog', { name: 'New destination' }).waitFor()
})

test('a viewer sees the requests, but no forbidden actions', async () => {
  await using service = await startService()
  await destinationTo(service, 'Inspector')
  await service.track('m1')
  await service.endOf('m1')
  const { page, go, pageErrors } = await openSignedIn(service, { role: 'viewer' })
  await go('inspector')
  await page.getByRole('button', { name: 'Order Completed' }).waitFor()
  await page.getByText('Responds immediately: with 200 to every request.').waitFor()
  for (const name of ['Clear…', 'Save', '200 immediately'])
    expect(await page.getByRole('button', { name }).count()).toBe(0)
  await expectAccessible(page)
  expect(pageErrors).toEqual([])
})

test('hostile names and bodies are shown as text, in both themes and at 380 px; a removed request is explained', async () => {
  await using service = await startService()
  await destinationTo(service, HOSTILE)
  await service.track('m1', {
    event: HOSTILE + 'x'.repeat(12_000),
    userId: HOSTILE.replace('\u001B', '') + 'u'.repeat(6_000),
    properties: { [HOSTILE]: HOSTILE },
  })
  await service.endOf('m1')
  const sizes = [
    { viewport: NARROW, colorScheme: 'dark' },
    { viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
  ] as const
  for (const look of sizes) {
    const { page, go, pageErrors } = await openSignedIn(service, look)
    await go('inspector')
    await page.getByRole('button', { name: /^<img src=x onerror/ }).waitFor()
    await expectNoHorizontalScroll(page)
    await expectAccessible(page)
    await page.getByRole('button', { name: /^<img src=x onerror/ }).click()
    await page.getByRole('dialog').getByText('Signature verified').waitFor()
    await expectNoHorizontalScroll(page)
    await expectAccessible(page)
    expect(await page.locator('img[src="x"]').count()).toBe(0)
    await go('inspector?request=req_none')
    await page.getByText('Request no longer stored').waitFor()
    expect(pageErrors.filter((fault) => !fault.includes('404'))).toEqual([])
  }
})
