import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { chromium } from 'playwright-core'
import { CHROMIUM, CHROMIUM_FLAGS } from '@hookline/testing/programs/chromium'

/** Opens a page with this module as its only script, and closes it after the response to its first call. */
export async function openPage(module: string): Promise<void> {
  const code = await readFile(module)
  const server = createServer(({ url }, response) => {
    const isModule = url === '/module.js'
    response.setHeader('content-type', isModule ? 'text/javascript' : 'text/html')
    response.end(
      isModule ? code : '<!doctype html><script type="module" src="/module.js"></script>',
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: CHROMIUM_FLAGS })
  try {
    const page = await browser.newPage()
    const responded = page.waitForResponse((response) => response.request().method() === 'POST')
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    await responded
  } finally {
    await browser.close()
    server.closeAllConnections()
    server.close()
  }
}
