import { expect, test } from 'vitest'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { startService } from '@hookline/testing/service/running-service'
import { expectAccessible } from './harness/accessible.ts'
import { openSignedIn, useChromium } from './harness/console.ts'
import { expectNoHorizontalScroll, NARROW } from './harness/narrow.ts'

useChromium()

const HOSTILE = `<img src=x onerror=alert(1)>\u202Egnirts javascript:alert(1) \u001B[31m${'W'.repeat(120)}`
const TABS = ['overview', 'deliveries', 'settings', 'test', 'replay', 'audit']

test('hostile names, URLs and responses are shown as text, in light and dark mode, and at 380 px', async () => {
  await using service = await startService()
  await using receiver = await openReceiver({
    respond: { status: 404, headers: { 'X-Bad': '<b>1</b>' }, body: HOSTILE },
  })
  const url = `${receiver.url}?${'x'.repeat(1_500)}`
  const id = await service.createDestination({ urls: [url] })
  await service.api.call('PATCH', `destinations/${id}`, { name: HOSTILE })
  await service.track('m1', { event: HOSTILE })
  const { deliveries } = await service.endOf('m1')
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page, pageErrors, go } = await openSignedIn(service, {
      colorScheme,
      viewport: NARROW,
    })
    const delivery = (deliveries[0] as { id: string }).id
    // Colours are the same on all tabs, so a few are enough in dark mode.
    const tabs = colorScheme === 'light' ? TABS : ['overview', 'settings']
    const paths = [
      'destinations',
      'failures',
      ...tabs.map((tab) => `destinations/${id}?tab=${tab}`),
      `destinations/${id}?tab=deliveries&delivery=${delivery}`,
    ]
    for (const path of paths) {
      await go(path)
      await page.getByText('⟨U+202E⟩').or(page.getByRole('dialog')).first().waitFor()
      await expectNoHorizontalScroll(page)
      await expectAccessible(page)
    }
    await page.getByLabel('the response').getByText('␛[31m').waitFor()
    expect(await page.locator('img[src="x"]').count()).toBe(0)
    expect(pageErrors).toEqual([])
  }
})
