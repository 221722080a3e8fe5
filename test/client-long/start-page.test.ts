import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'
import { expect, test } from 'vitest'
import { CHROMIUM, CHROMIUM_FLAGS } from '@hookline/testing/programs/chromium'
import { startService } from '@hookline/testing/service/running-service'
import { skipOrFail } from '@hookline/testing/run/skip-or-fail'

test.for(['/', '/api/docs'])(
  'a browser shows %s with its style, without horizontal scrolling on a phone',
  async (path, { skip }) => {
    if (!existsSync(CHROMIUM)) skipOrFail(CHROMIUM, 'HOOKLINE_REQUIRE_CHROMIUM', skip)
    await using service = await startService()
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: CHROMIUM_FLAGS })
    try {
      const page = await browser.newPage({ viewport: { width: 320, height: 640 } })
      await page.goto(service.url + path)
      // If the browser blocked the style, its default font would be used.
      expect(await page.evaluate('getComputedStyle(document.body).fontFamily')).toMatch(/system-ui/)
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320)
    } finally {
      await browser.close()
    }
  },
)
