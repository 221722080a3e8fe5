import { expect, test } from 'vitest'
import { openConsole, useChromium } from './harness/console.ts'
import { npmStart } from './harness/npm-start.ts'
import { expectVerified } from './harness/expect-verified.ts'

/** Limit for a new user, from the command to a delivery with a verified signature. */
const FIRST_MINUTE_MS = 60_000

useChromium()

test('after npm start, one click leads to a verified delivery within the first minute', async () => {
  const startedAt = performance.now()
  const url = await npmStart()
  const { page, pageErrors } = await openConsole(url)
  await page.goto(url)
  await page.getByRole('button', { name: 'Send a test event' }).click()
  await expectVerified(page)
  const elapsedMs = performance.now() - startedAt
  console.log(`From npm start to a verified delivery: ${(elapsedMs / 1000).toFixed(1)} s, 1 click.`)
  expect(elapsedMs).toBeLessThan(FIRST_MINUTE_MS)
  expect(pageErrors).toEqual([])
})
