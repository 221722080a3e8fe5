import { existsSync } from 'node:fs'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { CHROMIUM, CHROMIUM_FLAGS } from '@hookline/testing/programs/chromium'
import { type RunningService, startService } from '@hookline/testing/service/running-service'
import { skipOrFail } from '@hookline/testing/run/skip-or-fail'

let service: RunningService
let browser: Browser | undefined

beforeAll(async () => {
  service = await startService()
  if (existsSync(CHROMIUM)) {
    browser = await chromium.launch({ executablePath: CHROMIUM, args: CHROMIUM_FLAGS })
  }
})
afterAll(async () => {
  await browser?.close()
  await service[Symbol.asyncDispose]()
})

interface OpenPage {
  readonly page: Page
  /** Errors in the browser's console, blocked styles and scripts, and requests to other hosts. */
  readonly faults: string[]
}

async function open(path: string, options: BrowserContextOptions = {}): Promise<OpenPage> {
  const context = await browser!.newContext(options)
  onTestFinished(() => context.close())
  const page = await context.newPage()
  const faults: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(message.text())
  })
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('request', (request) => {
    if (!request.url().startsWith(service.url)) faults.push(request.url())
  })
  await page.goto(service.url + path, { waitUntil: 'networkidle' })
  return { page, faults }
}

describe('the documentation in a browser', () => {
  test.beforeEach(({ skip }) => {
    if (browser === undefined) skipOrFail(CHROMIUM, 'HOOKLINE_REQUIRE_CHROMIUM', skip)
  })

  test('can be searched for words on a page, using only the keyboard', async () => {
    const { page, faults } = await open('/docs')
    await page.keyboard.press('Control+k')
    await page.getByRole('searchbox').fill('webhook fails')
    const result = page.getByRole('option', { name: /Find out why a webhook fails/ }).first()
    await result.waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL('**/docs/guides/find-a-failing-webhook*')
    await page.getByRole('heading', { level: 1, name: 'Find out why a webhook fails' }).waitFor()
    expect(faults).toEqual([])
  })

  test.for([
    ['light', 1280],
    ['dark', 1280],
    ['dark', 390],
  ] as const)('shows pages without errors: %s, %i pixels wide', async ([theme, width]) => {
    for (const path of ['/docs', '/docs/reference/config', '/docs/tutorials/first-delivery']) {
      const viewport = { width, height: 800 }
      const { page, faults } = await open(path, { colorScheme: theme, viewport })
      expect(faults).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
      const isDark = await page.evaluate("document.documentElement.classList.contains('dark')")
      expect(isDark).toBe(theme === 'dark')
    }
  })

  test('toggles between light and dark with a click', async () => {
    const { page, faults } = await open('/docs', { colorScheme: 'light' })
    await page.getByRole('switch').first().click()
    await expect
      .poll(() => page.evaluate("document.documentElement.classList.contains('dark')"))
      .toBe(true)
    expect(faults).toEqual([])
  })

  test('links to the API reference, and back', async () => {
    const { page, faults } = await open('/docs')
    await page.getByRole('link', { name: 'API reference' }).first().click()
    await page.waitForURL('**/api/docs')
    await page.getByRole('link', { name: 'Documentation', exact: true }).first().click()
    await page.waitForURL('**/docs')
    await page.getByRole('heading', { level: 1, name: 'Documentation' }).waitFor()
    expect(faults).toEqual([])
  })

  test('has a page for unknown addresses', async () => {
    const { page } = await open('/docs/no/such/page')
    await page.getByText('404').first().waitFor()
    await page.getByRole('link', { name: /home/i }).first().click()
    await page.waitForURL('**/docs/')
  })
})
