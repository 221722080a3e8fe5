import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

const AXE = readFileSync(
  fileURLToPath(new URL('../../../node_modules/axe-core/axe.min.js', import.meta.url)),
  'utf8',
)

interface AxeResult {
  readonly violations: readonly {
    readonly id: string
    readonly help: string
    readonly nodes: readonly { readonly html: string }[]
  }[]
}

/** Expects that axe finds no violations on the page: names, roles, contrast, order of headings. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor({ state: 'attached' })
  // Through the debugger, because the page's content security policy forbids other scripts.
  await page.evaluate(AXE)
  const { violations } = await page.evaluate<AxeResult>('axe.run()')
  const found = violations.map(({ id, help, nodes }) => ({
    rule: `${id}: ${help}`,
    at: nodes.map(({ html }) => html.slice(0, 200)),
  }))
  expect(found).toEqual([])
}
