import { existsSync } from 'node:fs'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { CONDITION_MS } from '@hookline/testing/run/condition-ms'
import { CHROMIUM, CHROMIUM_FLAGS } from '@hookline/testing/programs/chromium'
import type { RunningService } from '@hookline/testing/service/running-service'
import { skipOrFail } from '@hookline/testing/run/skip-or-fail'

export interface OpenConsole {
  readonly page: Page
  readonly context: BrowserContext
  /** What a developer would see: errors, what the content security policy blocked, requests to other hosts. */
  readonly faults: string[]
  /** Opens a page of the console: `live`, `events/evt_…`. */
  readonly go: (path: string) => Promise<void>
}

let browser: Browser | undefined

/** Launches Chromium for the tests of a file, and skips them, or fails, where it is missing. */
export function useChromium(): void {
  beforeAll(async () => {
    if (existsSync(CHROMIUM))
      browser = await chromium.launch({ executablePath: CHROMIUM, args: CHROMIUM_FLAGS })
  })
  afterAll(async () => {
    await browser?.close()
    browser = undefined
  })
  test.beforeEach(({ skip }) => {
    if (browser === undefined) skipOrFail(CHROMIUM, 'HOOKLINE_REQUIRE_CHROMIUM', skip)
  })
}

/** A new browser, without cookies, with the console of a service. */
export async function openConsole(
  base: string,
  options: BrowserContextOptions = {},
): Promise<OpenConsole> {
  const context = await browser!.newContext({ viewport: { width: 1280, height: 800 }, ...options })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  page.setDefaultTimeout(CONDITION_MS)
  const faults: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(message.text())
  })
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('request', (request) => {
    if (!request.url().startsWith(new URL(base).origin)) faults.push(request.url())
  })
  const go = async (path: string): Promise<void> => {
    await page.goto(`${base}/console/${path}`)
  }
  return { page, context, faults, go }
}

/** The same, signed in by a sign-in link. */
export async function openSignedIn(
  service: Pick<RunningService, 'url' | 'api'>,
  options: BrowserContextOptions & { readonly role?: 'viewer' | 'editor' | 'admin' } = {},
): Promise<OpenConsole> {
  const { role = 'admin', ...more } = options
  const opened = await openConsole(service.url, more)
  const link = await service.api.call<{ path: string }>('POST', 'sign-in-links', { role })
  await opened.page.goto(service.url + link.path)
  await opened.page
    .getByRole('navigation', { name: 'Pages' })
    .or(opened.page.getByRole('button', { name: 'Pages' }))
    .first()
    .waitFor()
  return opened
}

/** Expects that the page itself does not scroll sideways. */
export async function expectFits(page: Page): Promise<void> {
  const { scrollWidth, clientWidth } = await page.evaluate<
    Record<'scrollWidth' | 'clientWidth', number>
  >(
    '({ scrollWidth: document.documentElement.scrollWidth, clientWidth: document.documentElement.clientWidth })',
  )
  expect(scrollWidth).toBeLessThanOrEqual(clientWidth)
}

/** Opens the page Live. The tail begins when its stream is open: what is sent from then on appears. */
export async function openTail(page: Page, go: OpenConsole['go']): Promise<void> {
  const opened = page.waitForResponse((response) => response.url().includes('topics=activity'))
  await go('live')
  await opened
  await page.getByText('Waiting for events').waitFor()
}
