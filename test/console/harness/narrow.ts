import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/** The narrowest supported screen. */
export const NARROW = { width: 380, height: 800 }

/** Expects that the page itself does not scroll horizontally. Tables and code blocks may scroll within themselves. */
export async function expectNoHorizontalScroll(page: Page): Promise<void> {
  const widths = await page.evaluate<readonly number[]>(
    '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
  )
  expect(widths[0]).toBeLessThanOrEqual(widths[1]!)
}
