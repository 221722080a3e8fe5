import { test } from 'vitest'
import { openConsole, useChromium } from '../harness/console.ts'
import { npmStart } from '../harness/npm-start.ts'
import { takePicture } from './take-picture.ts'

useChromium()

test.for(['light', 'dark'] as const)('the first minute, %s', async (colorScheme) => {
  const url = await npmStart()
  const { page } = await openConsole(url, { colorScheme, viewport: { width: 1000, height: 720 } })
  const still = (name: string): Promise<unknown> =>
    takePicture(page, `first-minute-${name}`, colorScheme)
  await page.goto(url)
  const send = page.getByRole('button', { name: 'Send a test event' })
  await send.waitFor()
  await still('1')

  await send.click()
  await page.getByText('Signature verified').waitFor()
  await page.getByRole('heading', { name: 'Receive a signed delivery' }).scrollIntoViewIfNeeded()
  await still('2')

  await page.getByRole('link', { name: 'View trace' }).click()
  await page.getByText('delivered').first().waitFor()
  await still('3')
})
