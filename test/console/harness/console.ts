import { existsSync } from 'node:fs'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core'
import { afterAll, beforeAll, onTestFinished, test } from 'vitest'
import { CONDITION_MS } from '@hookline/testing/run/condition-ms'
import { CHROMIUM, CHROMIUM_FLAGS } from '@hookline/testing/programs/chromium'
import type { RunningService } from '@hookline/testing/service/running-service'
import { skipOrFail } from '@hookline/testing/run/skip-or-fail'

export interface OpenConsole {
  readonly page: Page
  readonly context: BrowserContext
  /** Errors and warnings in the browser console, uncaught errors, and requests to other hosts. */
  readonly pageErrors: string[]
  /** Opens a page in the console: `live`, `events/evt_…`. */
  readonly go: (path: string) => Promise<void>
}

let browser: Browser | undefined

/** Launches Chromium for the tests in a file. Without Chromium, they are skipped or fail. */
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

/** Opens the console of a service in a new browser context. */
export async function openConsole(
  base: string,
  options: BrowserContextOptions = {},
): Promise<OpenConsole> {
  const context = await browser!.newContext({ viewport: { width: 1280, height: 800 }, ...options })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  page.setDefaultTimeout(CONDITION_MS)
  const pageErrors: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) pageErrors.push(message.text())
  })
  page.on('pageerror', (error) => pageErrors.push(error.message))
  page.on('request', (request) => {
    if (!request.url().startsWith(new URL(base).origin)) pageErrors.push(request.url())
  })
  const go = async (path: string): Promise<void> => {
    await page.goto(`${base}/console/${path}`)
  }
  return { page, context, pageErrors, go }
}

/** Like `openConsole`, signed in by a sign-in link. */
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

/** Opens the Live page. Resolves when the stream is open, so that events sent from then on appear. */
export async function openTail(page: Page, go: OpenConsole['go']): Promise<void> {
  const opened = page.waitForResponse((response) => response.url().includes('topics=activity'))
  await go('live')
  await opened
  await page.getByText('Waiting for events').waitFor()
}
