import { existsSync, mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'

const ROOT = new URL('../../../', import.meta.url)
/** The pictures that pages show. To add one, copy it from `OTHERS`. */
const SHOWN = fileURLToPath(new URL('docs/console', ROOT))
const OTHERS = fileURLToPath(new URL('node_modules/.cache/console-shots', ROOT))

/** Replaces a picture that docs/console has. Writes any other to a folder that git ignores. */
export async function takePicture(
  page: Page,
  name: string,
  colorScheme: 'light' | 'dark',
): Promise<void> {
  const file = `${name}-${colorScheme}.png`
  const folder = existsSync(`${SHOWN}/${file}`) ? SHOWN : OTHERS
  mkdirSync(folder, { recursive: true })
  // A page with a live stream is never idle.
  await page.waitForLoadState('networkidle', { timeout: 1_500 }).catch(() => undefined)
  await page.screenshot({ path: `${folder}/${file}`, animations: 'disabled' })
}
