import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'

const FOLDER = fileURLToPath(new URL('../../../docs/console', import.meta.url))

/** Writes what the window shows to docs/console. */
export async function takePicture(
  page: Page,
  name: string,
  colorScheme: 'light' | 'dark',
): Promise<void> {
  mkdirSync(FOLDER, { recursive: true })
  // What goes on by itself, such as the live stream, never makes it idle.
  await page.waitForLoadState('networkidle', { timeout: 1_500 }).catch(() => undefined)
  await page.screenshot({ path: `${FOLDER}/${name}-${colorScheme}.png`, animations: 'disabled' })
}
